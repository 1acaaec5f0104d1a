package postgres

import (
	"context"
	"database/sql"
	_ "embed" // for the schema
	"fmt"
	"strings"

	"github.com/contexttree/pact/fault"
)

//go:embed schema/0001.sql
var first string

// schema is the steps that made the schema: the first makes version 1, the second would turn it
// into version 2, and so on. The table pact_store has the numbers of those that a database went
// through.
var schema = []string{first}

// migrate brings a database to the newest version in one transaction. If several processes try at
// once, one does the work and the others find it done.
func migrate(ctx context.Context, db *sql.DB, address string, make bool, schema []string) error {
	for failed := 0; ; failed++ {
		at, err := versionOf(ctx, db)
		switch {
		case err != nil:
			return refuse(err, address)
		case at == len(schema):
			return hasRest(ctx, db, address)
		case at > len(schema):
			return fault.New(fault.Store, fmt.Sprintf("the database has version %d of the schema, this program knows %d", at,
				len(schema)), "use a newer version of the program")
		case at == 0:
			if err := begins(ctx, db, address, make); err != nil {
				return err
			}
		}
		if err = migrateFrom(ctx, db, at, schema); err == nil && at == 0 {
			sampleNothing(ctx, db)
		}
		if now, failed := versionOf(ctx, db); err != nil && failed == nil && now > at {
			continue // another process was faster
		}
		if code := codeOf(err); code == tableTaken {
			return fault.Wrap(fault.Store, err, Shown(address)+" has tables that this program did not make",
				"name a database of its own")
		}
		if err != nil && !waitToRetry(ctx, err, failed) {
			return refuse(err, address)
		}
	}
}

// sampleNothing keeps the server from keeping samples of columns for its planner, where an erasure does not
// reach them. An engine that has no such samples refuses it and goes on.
func sampleNothing(ctx context.Context, db *sql.DB) {
	for _, column := range [...]string{"pair ALTER COLUMN name", "pair ALTER COLUMN value", "log ALTER COLUMN value",
		"log ALTER COLUMN rest"} {
		_, _ = db.ExecContext(ctx, "ALTER TABLE "+column+" SET STATISTICS 0")
	}
}

// begins returns an error if no store may be made in a database that has none.
func begins(ctx context.Context, db *sql.DB, address string, make bool) error {
	old, err := hasTable(ctx, db, "pact_schema")
	switch {
	case err != nil:
		return refuse(err, address)
	case old:
		return beforeRelease(address)
	case !make:
		return fault.At(fault.NotFound, fault.NoOffset, Shown(address), "there is no store in "+Shown(address), "Open makes one")
	}
	return nil
}

// hasRest returns an error if the log is one from before the first release, in which a record has one
// column.
func hasRest(ctx context.Context, db *sql.DB, address string) error {
	_, err := db.ExecContext(ctx, "SELECT rest FROM log LIMIT 0")
	switch {
	case err == nil:
		return nil
	case codeOf(err) == noColumn:
		return beforeRelease(address)
	}
	return refuse(err, address)
}

func beforeRelease(address string) error {
	return fault.New(fault.Store, Shown(address)+" has the tables of a version of pact before its first release",
		"export its contexts with that version and import them into a new database with this one")
}

// versionOf returns the version of the schema, 0 if there is none.
func versionOf(ctx context.Context, db *sql.DB) (at int, err error) {
	var version sql.Null[int]
	err = db.QueryRowContext(ctx, "SELECT max(version) FROM pact_store").Scan(&version)
	switch {
	case codeOf(err) == noTable:
		return 0, nil
	case err == nil && !version.Valid:
		return 0, fault.New(fault.Store, "the table pact_store is empty, so that nothing says what the others hold",
			"restore the database from a backup, or drop the table if no other of pact is there")
	}
	return version.V, err
}

// hasTable reports whether a database has a table.
func hasTable(ctx context.Context, db *sql.DB, name string) (bool, error) {
	var n int64
	err := db.QueryRowContext(ctx, "SELECT count(*) FROM "+name).Scan(&n)
	if codeOf(err) == noTable {
		return false, nil
	}
	return err == nil, err
}

func migrateFrom(ctx context.Context, db *sql.DB, at int, schema []string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	run := func(query string, args ...any) {
		if err == nil {
			_, err = tx.ExecContext(ctx, query, args...)
		}
	}
	if at == 0 {
		run("CREATE TABLE pact_store (version BIGINT PRIMARY KEY)")
	}
	for i, step := range schema[at:] {
		for _, statement := range statementsOf(step) {
			run(statement)
		}
		run("INSERT INTO pact_store (version) VALUES ($1)", at+i+1)
	}
	if err != nil {
		return err
	}
	return tx.Commit()
}

// statementsOf splits a step of the schema, whose string literals contain no semicolon and no two
// dashes.
func statementsOf(text string) []string {
	var plain strings.Builder
	for line := range strings.Lines(text) {
		code, _, _ := strings.Cut(line, "--")
		plain.WriteString(strings.TrimRight(code, "\n") + "\n")
	}
	var list []string
	for statement := range strings.SplitSeq(plain.String(), ";") {
		if statement = strings.TrimSpace(statement); statement != "" {
			list = append(list, statement)
		}
	}
	return list
}

// refuse is the error for a database that cannot be opened.
func refuse(err error, address string) error {
	code, why, remedy := explain(err)
	message := "cannot open " + Shown(address)
	if why != "" {
		message += ": " + why
	}
	return fault.Wrap(code, err, message, remedy)
}
