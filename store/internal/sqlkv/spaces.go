package sqlkv

import (
	"context"

	"github.com/contexttree/pact/store/kv"
)

// Spaces implements kv.Spacer.
func (s *Store) Spaces(ctx context.Context) (list []kv.Space, err error) {
	rows, err := s.read.QueryContext(ctx, "SELECT space FROM pair UNION SELECT id >> 36 FROM log")
	if err != nil {
		return nil, s.fail(ctx, err, "reading")
	}
	defer rows.Close()
	for rows.Next() {
		var space kv.Space
		if err := rows.Scan(&space); err != nil {
			return nil, s.fail(ctx, err, "reading")
		}
		list = append(list, space)
	}
	return list, s.fail(ctx, rows.Err(), "reading")
}
