package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// bound is how many bytes of the log are left alone. SQLite moves what is in it
// to the file from 1,000 pages on, 4 MiB, and begins it anew when a writer comes
// at a moment at which nobody reads from it. So it stays below this where
// readers leave such moments.
const bound = 5 << 20

// courtesy is how long a writer waits for readers before it leaves the log as it
// is.
const courtesy = 100 * time.Millisecond

// settle follows a commit: it makes sure that the commit is where others look for
// it, and empties a log that readers, one after the other, kept from being begun
// anew. A reader that comes while it does reads from the file and is in nobody's
// way. After a try in vain, because one reader goes on reading, the log may grow
// by another bound; when that reader is done, SQLite begins the log anew and cuts
// it (journal_size_limit).
func (p *place) settle(ctx context.Context, conn *sql.Conn) error {
	log, err := p.look()
	if err != nil || log <= p.over.Load() {
		if err == nil && log <= bound {
			p.over.Store(bound)
		}
		return err
	}
	// The commit is on the disk, in the log or in the file: whatever comes of
	// this is no concern of the one who made it.
	p.over.Store(log + bound)
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", courtesy.Milliseconds())); err != nil {
		return nil
	}
	var inTheWay, frames, moved int64
	err = conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&inTheWay, &frames, &moved)
	if err == nil && inTheWay == 0 {
		p.over.Store(bound)
	}
	_, _ = conn.ExecContext(ctx, "PRAGMA busy_timeout = 0") // else SQLite waits in turn, too
	return nil
}
