package sqlite

import (
	"context"
	"database/sql"

	"github.com/contexttree/pact/fault"
)

// Compact packs all rows that are not drafts, then rewrites the file without the pages of
// deleted, erased and packed rows, and empties the log beside it. Other connections may
// read meanwhile; writers wait and may get E_BUSY. If a reader still uses the old pages,
// remains says so: call Compact again later to shrink the file. If ctx is canceled or the
// process ends, the file stays as it was or packed. It returns E_STORE if the disk has no
// room for a second copy of the file, E_BUSY if a writer holds it. Cost: reading the whole
// file once and writing it twice.
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
