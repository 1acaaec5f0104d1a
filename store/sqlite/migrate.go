package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"

	"github.com/contexttree/pact/internal/fault"
	"github.com/contexttree/pact/store/internal/sqlstore"
)

// applicationID marks the files of this store: "PACT" in ASCII.
const applicationID = 0x50414354

// schema holds the migrations: 0001.sql makes version 1, 0002.sql version 2
// out of it, and so on.
//
//go:embed schema
var schema embed.FS

// version is the newest version of the schema, kept in user_version.
const version = 5

// recognise refuses a file that is not ours before anything is changed in it.
// A file that is missing or an empty database is ours to fill.
func recognise(ctx context.Context, path string) error {
	if empty, err := blank(path); err != nil || empty {
		return err
	}
	db, err := sql.Open("sqlite", address(path, url.Values{"mode": {"rw"}, "_busy_timeout": {strconv.Itoa(patience)}}))
	if err != nil {
		return refuse(err, path)
	}
	defer db.Close()
	// One statement, so that the migration of another process is seen whole or not at all.
	var id, at, tables int64
	err = db.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)").Scan(&id, &at, &tables)
	if err != nil {
		return refuse(err, path)
	}
	switch {
	case id == 0 && at == 0 && tables == 0:
		return nil
	case id != applicationID:
		return fault.New(fault.Store, path+" is the database of another application", "name another file")
	}
	return supported(at)
}

// blank reports whether a file is missing or empty. It refuses one that does not
// begin as a database, which SQLite takes for an empty one if it is short.
func blank(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, fault.Wrap(fault.Store, err, "cannot open "+path, "check the permissions of the file")
	}
	defer f.Close()
	head := make([]byte, len(magic))
	n, err := io.ReadFull(f, head)
	switch {
	case n == 0 && err == io.EOF:
		return true, nil
	case err != nil || string(head) != magic:
		return false, fault.New(fault.Store, path+" is no SQLite database", "name another file")
	}
	return false, nil
}

// magic is how every SQLite database begins.
const magic = "SQLite format 3\x00"

func supported(at int64) error {
	if at > version {
		return fault.New(fault.Store, fmt.Sprintf("the file has version %d of the schema, this program knows %d", at, version),
			"use a newer version of the program")
	}
	return nil
}

// migrate brings the schema to the newest version in one transaction.
func migrate(ctx context.Context, db *sql.DB) error {
	if err := migrateIn(ctx, db); err != nil {
		if fault.CodeOf(err) == "" {
			why, remedy := explain(err)
			err = fault.Wrap(fault.Store, err, "the schema could not be brought up to date: "+why, remedy)
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
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&at); err != nil { // another process may have been faster
		return err
	}
	if err := supported(at); err != nil {
		return err
	}
	for ; at < version; at++ {
		text, err := schema.ReadFile(fmt.Sprintf("schema/%04d.sql", at+1))
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(text)); err != nil {
			return err
		}
	}
	if err := sqlstore.Prove(ctx, tx, nil); err != nil {
		return err
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
