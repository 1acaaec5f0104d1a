package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/zstd"
	"github.com/contexttree/pact/store"
)

// Clean implements store.Cleaner. It rewrites the file without the pages of what was deleted and
// erased, and empties the log beside it. Other connections may read meanwhile; writers wait and
// may get E_BUSY. If a reader still uses the old pages, remains says so. If ctx is canceled or the
// process ends, the file stays as it was. It returns E_STORE if the disk has no room for a second
// copy of the file, E_BUSY if a writer holds it. Cost: reading the file once and writing it twice.
func (s *Store) Clean(ctx context.Context) (remains string, err error) {
	remains, err = s.files.clean(ctx, s.write)
	return remains, failed(ctx, err, "the store was not compacted")
}

// Packing implements store.Packer.
func (s *Store) Packing() store.Packing { return zstd.Packing }

// clean calls vacuum with a busy timeout, because the connection has none.
func (p *files) clean(ctx context.Context, db *sql.DB) (remains string, err error) {
	if p.readOnly {
		return "the file is open read-only", nil
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", busyTimeout.Milliseconds())); err != nil {
		return "", err
	}
	if err = p.check(); err == nil {
		remains, err = vacuum(ctx, conn)
		p.wrote.Store(true)
		p.tellMore(ctx, conn)
	}
	_, after := conn.ExecContext(ctx, "PRAGMA busy_timeout = 0")
	return remains, errors.Join(err, after)
}

// vacuum rewrites the file without its free pages and the free parts of others, and
// empties the WAL. Both wait for other processes as long as any statement does.
func vacuum(ctx context.Context, db *sql.Conn) (remains string, err error) {
	if _, err := db.ExecContext(ctx, "VACUUM"); err != nil {
		return "", err
	}
	if _, err := putMark(ctx, db); err != nil {
		return "", err
	}
	busy, _, _, err := checkpoint(ctx, db, "TRUNCATE")
	if err != nil {
		return "", err
	}
	if busy {
		return "another process is reading the file, so that old pages are still in it or in the log beside it", nil
	}
	return "", nil
}

// Check implements store.Checker. It lets SQLite check tables and indexes.
func (s *Store) Check(ctx context.Context) (damage string, err error) {
	var verdict string
	if err := s.read.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict); err != nil {
		return "", failed(ctx, err, "checking the file failed")
	}
	if verdict != "ok" {
		damage = "the file is damaged: " + strings.Join(strings.Fields(verdict), " ")
	}
	return damage, nil
}

// failed gives an error a code of package fault and says what did not happen. An error with a code
// stays as it is.
func failed(ctx context.Context, err error, message string) error {
	switch {
	case err == nil || fault.CodeOf(err) != "":
		return err
	case ctx.Err() != nil:
		return fault.Wrap(fault.Store, ctx.Err(), message+": the call was interrupted",
			"call it again, with a context that has not ended")
	}
	code, why, remedy := explain(err)
	if why != "" {
		message += ": " + why
	}
	return fault.Wrap(code, err, message, remedy)
}
