package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"net/url"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store/internal/sqlstore"
)

// applicationID marks the files of this store: "PACT" in ASCII.
const applicationID = 0x50414354

// schema holds the migrations: 0001.sql makes version 1, 0002.sql turns it into version 2, and
// so on.
//
//go:embed schema
var schema embed.FS

// version is the newest version of the schema, kept in user_version.
const version = 10

// checkSchema returns the version of the schema of a file. It returns E_STORE for a
// file of another application, of an unknown version or with another schema. It
// changes nothing. query holds the parameters to open the file with.
func checkSchema(ctx context.Context, path string, query url.Values) (at int64, err error) {
	db, err := sql.Open("sqlite", dataSource(path, query))
	if err != nil {
		return 0, openError(err, path)
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil) // shows the migration of another process completely or not at all
	if err != nil {
		return 0, openError(err, path)
	}
	defer tx.Rollback()
	var id int64
	err = tx.QueryRowContext(ctx,
		"SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version)").Scan(&id,
		&at)
	if err != nil {
		return 0, openError(err, path)
	}
	if id != applicationID {
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
	if at > version || at < 1 {
		return fault.New(fault.Store, fmt.Sprintf("the file has version %d of the schema, this program knows %d", at,
			version),
			"use a newer version of the program")
	}
	return nil
}

// migrate brings the schema to the newest version in one transaction.
func migrate(ctx context.Context, db *sql.DB) error {
	if err := migrateIn(ctx, db); err != nil {
		if fault.CodeOf(err) == "" {
			code, why, remedy := explain(err)
			err = fault.Wrap(code, err, "the schema could not be brought up to date: "+why, remedy)
		}
		return err
	}
	return nil
}

func migrateIn(ctx context.Context, db *sql.DB) error {
	var at int64
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&at); err != nil || at == version {
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
	if at != 0 { // a file that is being made has version 0
		if err := supported(at); err != nil {
			return err
		}
	}
	from := at
	for ; at < version; at++ {
		if err := applyMigration(ctx, tx, at+1); err != nil {
			return err
		}
	}
	if err := sqlstore.Prove(ctx, tx, nil); err != nil {
		return err
	}
	if from < 6 {
		if err := sqlstore.FillIdle(ctx, tx, nil); err != nil {
			return err
		}
	}
	for _, pragma := range []string{
		"PRAGMA application_id = " + strconv.Itoa(applicationID),
		"PRAGMA user_version = " + strconv.Itoa(version),
	} {
		if _, err := tx.ExecContext(ctx, pragma); err != nil {
			return err
		}
	}
	return tx.Commit()
}
