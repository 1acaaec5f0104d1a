package sqlite_test

import (
	"path/filepath"
	"testing"
)

// TestForeignSchema puts things into the schema of a store that could change
// what is written, or read, and takes some away. The file is refused and stays as
// it is.
func TestForeignSchema(t *testing.T) {
	for name, c := range map[string]struct{ statement, says string }{
		"trigger": {"CREATE TRIGGER quiet AFTER INSERT ON log BEGIN UPDATE log SET value = x'00'; END",
			`has the trigger "quiet"`},
		"trigger instead": {"CREATE TRIGGER \"log \" BEFORE DELETE ON pair BEGIN SELECT RAISE(IGNORE); END",
			`has the trigger "log "`},
		"view":          {"CREATE VIEW theirs AS SELECT * FROM log", `has the view "theirs"`},
		"table":         {"CREATE TABLE theirs (x)", `has the table "theirs"`},
		"virtual table": {"CREATE VIRTUAL TABLE theirs USING fts5(x)", `has the table "theirs`},
		"index":         {"CREATE INDEX theirs ON log (length(value))", `has the index "theirs"`},
		"unique index":  {"CREATE UNIQUE INDEX theirs ON pair (name, space)", `has the index "theirs"`},
		"column":        {"ALTER TABLE log ADD COLUMN theirs TEXT", `has the table "log"`},
		"hidden": {"PRAGMA writable_schema = ON; " +
			"INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_stat1', 'log', 0, " +
			"'CREATE TRIGGER sqlite_stat1 AFTER INSERT ON log BEGIN SELECT 1; END')", ""},
		"missing table": {"DROP TABLE pair", `lacks the table "pair"`},
		"no version":    {"PRAGMA user_version = 0", "version 0"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pact.db")
			newStoreFile(t, path)
			raw(t, path, c.statement).Close()
			refused(t, path, c.says)
		})
	}
	path := filepath.Join(t.TempDir(), "pact.db")
	newStoreFile(t, path)
	raw(t, path, "ANALYZE").Close() // which is a person's right
	must(t, open(t, path).Close())
}
