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

// idleText is what the column idle holds: a list, which may be empty, for a row that published
// a snapshot, and NULL for any other.
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

// idleBefore is the value that the column idle has for a row of version 5 of the schema or
// earlier: the groups in its report, NULL if there are none.
func idleBefore(report any) any {
	text, _ := report.(string)
	var of lifecycle.Report
	if !strings.Contains(text, string(lifecycle.Cascaded)) || json.Unmarshal([]byte(text), &of) != nil ||
		len(of.Idle()) == 0 {
		return nil
	}
	return idleText(store.Entry{Kind: store.Commit, Idle: of.Idle()})
}

// linked reports whether a row of the log has the right link. The link of a row of version 5 of
// the schema or earlier does not cover what the migration read from the report.
func linked(from []byte, values []any) bool {
	has := recordedLink(values)
	return bytes.Equal(has, expectedLink(from, values)) && (values[colIdle] != nil ||
		idleBefore(values[colReport]) == nil) ||
		bytes.Equal(has, chainLink(from, values[:colIdle]...)) && values[colIdle] == idleBefore(values[colReport])
}

// FillIdle reads from the reports which groups commits kept although they were empty: SQL
// cannot do this part of the migration to version 6.
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
