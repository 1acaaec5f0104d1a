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
var tables = map[string][]string{"pair": {"space", "name"}, "log": {"id"}}

// cells are all values of a table that are not empty.
func (d *damaged) cells(table string) []cell {
	return slices.DeleteFunc(d.every(table), func(c cell) bool { return sameValue(c.value, []byte{}) })
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
			if v == nil {
				values[i] = []byte{} // no column can be NULL, but the driver reads an empty value so
			}
		}
		key := tables[table]
		for i, v := range values {
			list = append(list, cell{table, strings.ToLower(columns[i]), key, values[:len(key)], v})
		}
	}
	must(d.T, rows.Err())
	return list
}

// set writes a value into a cell, in a row that may have got another key.
func (d *damaged) set(c cell, at []any, v any) error {
	d.Helper()
	var values []any
	bound := func(v any) string {
		if sameValue(v, []byte{}) {
			return "x''" // the driver would bind NULL
		}
		values = append(values, v)
		return "?"
	}
	set, where := bound(v), make([]string, len(c.key))
	for i, k := range c.key {
		where[i] = k + " IS " + bound(at[i])
	}
	done, err := d.db.Exec(`UPDATE `+c.table+` SET "`+c.column+`" = `+set+` WHERE `+strings.Join(where, " AND "), values...)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n != 1 {
		d.Fatalf("%v: %d rows were changed, %v", c, n, err)
	}
	return nil
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
