package sqlite

import (
	"context"
	"database/sql"
	_ "embed" // for the schema
	"fmt"
	"strconv"

	"github.com/contexttree/pact/fault"
)

// applicationID marks the files of this store: "PaCT" in ASCII. Files from before the first
// release are marked with unreleasedID, "PACT", or have version 1.
const (
	applicationID = 0x50614354
	unreleasedID  = 0x50414354
)

//go:embed schema.sql
var firstSchema string

//go:embed mark.sql
var markSchema string

// firstVersion is the user_version of a file that has had the first of steps.
const firstVersion = 2

// steps make the first version of the schema, turn that into the next, and so on. A variable so
// that a test can add one.
var steps = []string{firstSchema + markSchema}

// version is the newest version of the schema.
func version() int64 { return firstVersion + int64(len(steps)) - 1 }

// checkSchema returns the version of the schema of a file. It returns E_STORE for a
// file of another application, of an unknown version or with another schema. It
// changes nothing.
func checkSchema(ctx context.Context, path string, db *sql.DB) (at int64, err error) {
	tx, err := db.BeginTx(ctx, nil) // shows the migration of another process completely or not at all
	if err != nil {
		return 0, openError(err, path)
	}
	defer tx.Rollback()
	var id int64
	err = tx.QueryRowContext(ctx, "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version").
		Scan(&id, &at)
	switch {
	case err != nil:
		return 0, openError(err, path)
	case id == unreleasedID, id == applicationID && at == firstVersion-1:
		return 0, fault.New(fault.Store, path+" was made before the first release of pact, in another format",
			"export its contexts, all snapshots of each, with the program that made it, and import them with this one")
	case id != applicationID:
		return 0, fault.New(fault.Store, path+" is the database of another application", "name another file")
	}
	if err := supported(at); err != nil {
		return 0, err
	}
	want, err := schemaOf(ctx, at)
	if err != nil {
		return 0, openError(err, path)
	}
	have, err := objects(ctx, tx)
	if err != nil {
		return 0, openError(err, path)
	}
	return at, compareSchema(path, have, want)
}

func supported(at int64) error {
	if at > version() || at < firstVersion {
		return fault.New(fault.Store, fmt.Sprintf("the file has version %d of the format, this program knows %d", at,
			version()),
			"use a newer version of the program")
	}
	return nil
}

// migrate brings the schema to the newest version in one transaction.
func migrate(ctx context.Context, db *sql.DB) error {
	return failed(ctx, migrateIn(ctx, db), "the format could not be brought up to date")
}

func migrateIn(ctx context.Context, db *sql.DB) error {
	var at int64
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&at); err != nil || at == version() {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	// another process may have been faster
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&at); err != nil {
		return err
	}
	missing := steps
	if at != 0 { // a file that is being made has version 0
		if err := supported(at); err != nil {
			return err
		}
		missing = steps[at-firstVersion+1:]
	}
	for _, step := range missing {
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return err
		}
	}
	for _, pragma := range []string{
		"PRAGMA application_id = " + strconv.Itoa(applicationID),
		"PRAGMA user_version = " + strconv.FormatInt(version(), 10),
	} {
		if _, err := tx.ExecContext(ctx, pragma); err != nil {
			return err
		}
	}
	return tx.Commit()
}
