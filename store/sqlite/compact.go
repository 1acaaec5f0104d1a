package sqlite

import (
	"context"
	"database/sql"
)

// Compact joins all cycles of each context but the last, then rewrites the file without the pages
// of what was deleted, erased and joined, and empties the log beside it. Other connections may
// read meanwhile; writers wait and may get E_BUSY. If a reader still uses the old pages,
// remains says so: call Compact again later to shrink the file. If ctx is canceled or the
// process ends, the file stays as it was or joined. It returns E_STORE if the disk has no
// room for a second copy of the file, E_BUSY if a writer holds it. Cost: reading the whole
// file once and writing it twice.
func (s *Store) Compact(ctx context.Context) (remains string, err error) {
	if err := s.SettleAll(ctx); err != nil {
		return "", err
	}
	db, err := sql.Open("sqlite", dataSource(s.files.path, plainQuery("rw")))
	if err == nil {
		defer db.Close()
		db.SetMaxOpenConns(1)
		remains, err = s.files.clean(ctx, db)
	}
	return remains, failed(ctx, err, "the store was not compacted")
}
