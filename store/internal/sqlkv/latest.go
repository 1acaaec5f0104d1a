package sqlkv

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/contexttree/pact/store"
)

// manySpaces is of how many spaces one statement tells the latest.
const manySpaces = 64

// latestOf is the statement that tells the latest of so many spaces.
func latestOf(spaces int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `SELECT p.space, p.value, l.id, length(l.value) > %[3]d,
		CASE WHEN length(l.value) <= %[3]d THEN l.value END FROM pair AS p LEFT JOIN log AS l ON l.id =
		(SELECT max(id) FROM log WHERE id BETWEEN p.space * %[1]d AND p.space * %[1]d + %[2]d) WHERE p.name = $1 AND p.space IN ($2`,
		rowOf(1, 0), store.MaxNumber, store.MostAhead)
	for i := range spaces - 1 {
		fmt.Fprintf(&b, ", $%d", i+3)
	}
	b.WriteString(")")
	return b.String()
}

var latestOne, latestMany = latestOf(1), latestOf(manySpaces)

// Latest implements store.Latester.
func (r reader) Latest(ctx context.Context, name string, spaces ...store.Space) (map[store.Space]store.Latest, error) {
	type found struct {
		space store.Space
		store.Latest
	}
	all := make(map[store.Space]store.Latest, len(spaces))
	for len(spaces) > 0 {
		text, n := latestMany, manySpaces
		if len(spaces) == 1 {
			text, n = latestOne, 1
		}
		args := []any{[]byte(name)}
		for i := range n {
			args = append(args, int64(spaces[min(i, len(spaces)-1)])) // the last one fills up
		}
		spaces = spaces[min(n, len(spaces)):]
		for f, err := range rows(ctx, r, text, func(at *sql.Rows) (f found, err error) {
			var id sql.NullInt64
			var long sql.NullBool
			if err = at.Scan(&f.space, (*owned)(&f.Value), &id, &long, (*owned)(&f.Last.Value)); err == nil && id.Valid {
				f.Last.Space, f.Last.Number, f.Long = f.space, id.Int64&store.MaxNumber, long.Bool
			}
			f.Value = present(f.Value)
			return f, err
		}, args...) {
			if err != nil {
				return nil, err
			}
			all[f.space] = f.Latest
		}
	}
	return all, nil
}

// Latest implements store.Latester.
func (s *Store) Latest(ctx context.Context, name string, spaces ...store.Space) (map[store.Space]store.Latest, error) {
	return reader{store: s}.Latest(ctx, name, spaces...)
}
