package pact_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// cell is one value of one row.
type cell struct {
	table, column string
	key           []string // columns of the primary key
	at            []any    // their values
	value         any
}

func (c cell) String() string {
	return fmt.Sprintf("%s.%s of %v = %v", c.table, c.column, c.at, c.value)
}

// tables are those to damage, with their primary keys.
var tables = map[string][]string{"sqlite_sequence": {"name"}, "unclean": {"no"}, "context": {"key"},
	"log": {"branch", "revision"}, "node_version": {"branch", "birth", "nid"}, "content": {"no"},
	"attempt": {"branch", "cycle", "number"}, "page": {"branch", "last_birth", "last_nid"},
	"page_block": {"branch", "last_birth", "last_nid", "no"}, "page_name": {"branch", "id", "birth", "nid"}}

// cells are all values of a table that are not NULL.
func (d *damaged) cells(table string) []cell {
	return slices.DeleteFunc(d.every(table), func(c cell) bool { return c.value == nil })
}

// every value of a table.
func (d *damaged) every(table string) (list []cell) {
	d.Helper()
	rows, err := d.db.Query("SELECT * FROM " + table)
	must(d.T, err)
	defer rows.Close()
	columns, err := rows.Columns()
	must(d.T, err)
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		must(d.T, rows.Scan(into...))
		for i, v := range values {
			key := tables[table]
			list = append(list, cell{table, strings.ToLower(columns[i]), key, values[:len(key)], v})
		}
	}
	must(d.T, rows.Err())
	return list
}

// set writes a value into a cell, in a row that may have got another key.
func (d *damaged) set(c cell, at []any, v any) error {
	where := make([]string, len(c.key))
	for i, k := range c.key {
		where[i] = k + " IS ?"
	}
	_, err := d.db.Exec(`UPDATE `+c.table+` SET "`+c.column+`" = ? WHERE `+strings.Join(where, " AND "),
		append([]any{v}, at...)...)
	return err
}

// flip changes one bit of a value.
func flip(r *rand.Rand, v any) any {
	switch v := v.(type) {
	case int64:
		return v ^ 1<<r.IntN(20)
	case string:
		b := []byte(v)
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		return string(b)
	case []byte:
		b := append([]byte(nil), v...)
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		return b
	}
	panic(fmt.Sprintf("a value of type %T", v))
}
