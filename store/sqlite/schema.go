package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"

	"github.com/contexttree/pact/fault"
)

// object is a row of the schema: a table, an index, a trigger or a view.
type object struct{ kind, name, table, text string }

// objects lists the objects of a schema without those that SQLite adds by itself.
func objects(ctx context.Context, db interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}) (map[object]bool, error) {
	rows, err := db.QueryContext(ctx, `SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema
		WHERE NOT (type = 'table' AND name GLOB 'sqlite_stat[1-4]' OR type = 'index' AND sql IS NULL)`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := make(map[object]bool)
	for rows.Next() {
		var o object
		if err := rows.Scan(&o.kind, &o.name, &o.table, &o.text); err != nil {
			return nil, err
		}
		list[o] = true
	}
	return list, rows.Err()
}

// schemaCache caches the objects of schemaOf, by their statements.
var schemaCache sync.Map

// schemaOf builds the schema of a version in memory and lists its objects.
func schemaOf(ctx context.Context, at int64) (map[object]bool, error) {
	text := strings.Join(steps[:at-firstVersion+1], ";\n")
	if list, ok := schemaCache.Load(text); ok {
		return list.(map[object]bool), nil
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection would have its own database in memory
	if _, err := db.ExecContext(ctx, text); err != nil {
		return nil, err
	}
	list, err := objects(ctx, db)
	if err == nil {
		schemaCache.Store(text, list)
	}
	return list, err
}

// compareSchema returns E_STORE if a schema differs from that of its version: a trigger or a
// view that somebody added would change what is written or read.
func compareSchema(path string, have, want map[object]bool) error {
	for o := range have {
		if !want[o] {
			return fault.New(fault.Store, fmt.Sprintf("%s has the %s %q, which this program did not make", path, o.kind, o.name),
				"do not trust the file; restore it from a backup, or name another")
		}
	}
	for o := range want {
		if !have[o] {
			return fault.New(fault.Store, fmt.Sprintf("%s lacks the %s %q", path, o.kind, o.name), "restore it from a backup")
		}
	}
	return nil
}
