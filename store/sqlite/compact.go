package sqlite

import (
	"context"
	"database/sql"

	"github.com/contexttree/pact/fault"
)

// Compact packs all rows that are no drafts, and writes the file anew without what
// deleted, erased and packed rows left. It empties the log beside the file. Others may read meanwhile; writers wait, as they
// do for each other, and may get E_BUSY. Where a reader keeps what was there before
// in use, remains says so: the file shrinks when Compact is called again after it.
// Whoever cancels ctx or ends the process leaves the file as it was. E_STORE where
// the disk has no room for the file once more, E_BUSY where a writer holds it.
// Cost: the whole file, read once and written twice.
func (s *Store) Compact(ctx context.Context) (remains string, err error) {
	if err := s.PackAll(ctx); err != nil {
		return "", err
	}
	db, err := sql.Open("sqlite", dataSource(s.files.path, plainQuery("rw")))
	if err == nil {
		defer db.Close()
		db.SetMaxOpenConns(1)
		remains, err = s.files.clean(ctx, db)
	}
	switch {
	case err == nil || fault.CodeOf(err) != "":
		return remains, err
	case ctx.Err() != nil:
		return "", fault.Wrap(fault.Store, ctx.Err(), "the store was not compacted: the call was interrupted", "")
	}
	code, why, remedy := explain(err)
	message := "the store was not compacted"
	if why != "" {
		message += ": " + why
	}
	return "", fault.Wrap(code, err, message, remedy)
}
