package sqlkv

import (
	"context"

	"github.com/contexttree/pact/store"
)

// Spaces implements store.Spacer.
func (s *Store) Spaces(ctx context.Context) (list []store.Space, err error) {
	rows, err := s.read.QueryContext(ctx, "SELECT space FROM pair UNION SELECT id >> 36 FROM log")
	if err != nil {
		return nil, s.fail(ctx, err, "reading")
	}
	defer rows.Close()
	for rows.Next() {
		var space store.Space
		if err := rows.Scan(&space); err != nil {
			return nil, s.fail(ctx, err, "reading")
		}
		list = append(list, space)
	}
	return list, s.fail(ctx, rows.Err(), "reading")
}
