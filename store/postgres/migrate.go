package postgres

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"strings"

	"github.com/contexttree/pact/fault"
)

// schema holds the migrations: 0001.sql makes version 1, 0002.sql turns it into version 2, and
// so on.
//
//go:embed schema
var schema embed.FS

// version is the newest version of the schema, kept in the table pact_schema.
const version = 5

// migrate brings the schema to the newest version in one transaction. If several processes try
// at once, one does the work and the others find it done.
func migrate(ctx context.Context, db *sql.DB, address string, make bool) error {
	for failed := 0; ; failed++ {
		at, err := versionOf(ctx, db)
		switch {
		case err != nil:
			return refuse(err, address)
		case at == version:
			return nil
		case at > version:
			return fault.New(fault.Store, fmt.Sprintf("the database has version %d of the schema, this program knows %d", at,
				version),
				"use a newer version of the program")
		case at == 0 && !make:
			return fault.At(fault.Store, fault.NoOffset, Shown(address), "there is no store in "+Shown(address),
				"Open makes one")
		}
		err = migrateFrom(ctx, db, at)
		if now, failed := versionOf(ctx, db); err != nil && failed == nil && now > at {
			continue // another process was faster
		}
		if code := codeOf(err); code == tableTaken {
			return fault.Wrap(fault.Store, err, Shown(address)+" has tables that this program did not make",
				"name a database of its own")
		}
		if err != nil && !again(ctx, err, failed) {
			return refuse(err, address)
		}
	}
}

// versionOf returns the version of the schema, 0 if there is none.
func versionOf(ctx context.Context, db *sql.DB) (at int64, err error) {
	err = db.QueryRowContext(ctx, "SELECT max(version) FROM pact_schema").Scan(&at)
	if codeOf(err) == noTable {
		return 0, nil
	}
	return at, err
}

func migrateFrom(ctx context.Context, db *sql.DB, at int64) error {
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
		run("CREATE TABLE pact_schema (version BIGINT PRIMARY KEY)")
	}
	for ; at < version; at++ {
		text, failed := schema.ReadFile(fmt.Sprintf("schema/%04d.sql", at+1))
		if failed != nil {
			return failed
		}
		for _, statement := range statementsOf(string(text)) {
			run(statement)
		}
		run("INSERT INTO pact_schema (version) VALUES ($1)", at+1)
	}
	if err != nil {
		return err
	}
	return tx.Commit()
}

// statementsOf splits a file of the schema, whose string literals contain no semicolon and no
// two dashes.
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
