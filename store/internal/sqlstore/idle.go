package sqlstore

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"strings"

	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// idleText is what the column idle holds: of a row that published a snapshot a
// list, which may be empty, of any other nothing.
func idleText(e store.Entry) any {
	if e.Kind != store.Create && e.Kind != store.Commit {
		return nil
	}
	if len(e.Idle) == 0 {
		return "[]"
	}
	text, _ := json.Marshal(e.Idle) // a list of texts has a JSON form
	return string(text)
}

// idleOf reads the column idle.
func idleOf(v any) (ids []string) {
	if text, _ := v.(string); text != "" && json.Unmarshal([]byte(text), &ids) != nil || len(ids) == 0 {
		return nil
	}
	return ids
}

// idleBefore is what the column idle holds of a row of version 5 of the schema or
// before: what its report says, and nothing where that is nothing.
func idleBefore(report any) any {
	text, _ := report.(string)
	var of lifecycle.Report
	if !strings.Contains(text, string(lifecycle.Cascaded)) || json.Unmarshal([]byte(text), &of) != nil ||
		len(of.Idle()) == 0 {
		return nil
	}
	return idleText(store.Entry{Kind: store.Commit, Idle: of.Idle()})
}

// linked reports whether a row of the log has the link that it has to have. That
// of a row of version 5 of the schema or before does not cover what the migration
// read out of the report.
func linked(from []byte, values []any) bool {
	has := recordedLink(values)
	return bytes.Equal(has, expectedLink(from, values)) && (values[colIdle] != nil ||
		idleBefore(values[colReport]) == nil) ||
		bytes.Equal(has, chainLink(from, values[:colIdle]...)) && values[colIdle] == idleBefore(values[colReport])
}

// FillIdle reads out of the reports which groups commits left empty and kept. It
// is the part of the migration to version 6 that SQL cannot do.
func FillIdle(ctx context.Context, tx *sql.Tx, rebind func(string) string) error {
	s := &Store{dialect: Dialect{Rebind: rebind}}
	rows, err := tx.QueryContext(ctx, `SELECT branch, revision, report FROM log WHERE report IS NOT NULL`)
	if err != nil {
		return err
	}
	defer rows.Close()
	type found struct {
		branch, revision int64
		idle             any
	}
	var list []found
	for rows.Next() {
		var f found
		var report string
		if err := rows.Scan(&f.branch, &f.revision, &report); err != nil {
			return err
		}
		if f.idle = idleBefore(report); f.idle != nil {
			list = append(list, f)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, f := range list {
		if _, err := tx.ExecContext(ctx, s.bound(`UPDATE log SET idle = ? WHERE branch = ? AND revision = ?`), f.idle,
			f.branch, f.revision); err != nil {
			return err
		}
	}
	return nil
}
