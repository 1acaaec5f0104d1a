package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store/internal/sqlkv"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// unwritable reports whether opening failed because nothing can be written beside the file:
// even a reader must make the WAL and its index there.
func unwritable(err error) bool {
	switch primaryCode(err) {
	case lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN, lib.SQLITE_PERM, lib.SQLITE_FULL, lib.SQLITE_IOERR:
		return true
	}
	return false
}

// openToRead opens a file read-only after cause kept it from being opened for writing: the disk
// is full, or the file, its directory or its file system is read-only. It needs no other file
// and takes no lock. So it refuses a file whose WAL holds commits.
func (p *files) openToRead(ctx context.Context, cause error) (*Store, error) {
	if log, err := os.Stat(p.path + "-wal"); err == nil && log.Size() > 0 {
		return nil, fault.Wrap(fault.Store, cause, "there are commits in "+p.path+
			"-wal, which cannot be read where nothing can be written",
			"copy both files to a place that can be written, while no process uses them, or make room")
	}
	p.readOnly = true
	query := aloneQuery()
	query.Set("_query_only", "1")
	db, err := sql.Open("sqlite", dataSource(p.path, query))
	if err != nil {
		return nil, cause
	}
	db.SetMaxOpenConns(max(4, runtime.GOMAXPROCS(0)))
	at, err := checkSchema(ctx, p.path, db)
	if err != nil {
		db.Close()
		return nil, cause
	}
	if at != version() {
		db.Close()
		return nil, fault.Wrap(fault.Store, cause,
			fmt.Sprintf("the file has version %d of the format, this program needs %d and cannot write it", at, version()),
			"copy it to a place that can be written")
	}
	if err := p.checkEnd(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	d := p.dialect()
	d.BeginWrite = func(context.Context, func() error) error { return p.readOnlyError(cause) }
	return &Store{keyValues: sqlkv.New(db, db, d), files: p, write: db, read: db}, nil
}

// aloneQuery returns the parameters that open the file without a WAL, an index or a lock.
func aloneQuery() url.Values {
	return url.Values{"mode": {"ro"}, "immutable": {"1"}}
}

// readOnlyError is the error for a change to a store that is open read-only. cause is the
// failure to open it for writing; what it says about opening does not concern the caller.
func (p *files) readOnlyError(cause error) error {
	var e *sqlite.Error
	if errors.As(cause, &e) {
		cause = e
	}
	return fault.Wrap(fault.Store, cause, p.path+" is open read-only, because nothing can be written beside it",
		"check the disk, and the permissions of the file and its directory, then open it again")
}
