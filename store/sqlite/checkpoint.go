package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// walLimit is how many bytes of the log are left alone. SQLite moves what is in it
// to the file from 1,000 pages on, 4 MiB, and begins it anew when a writer comes
// at a moment at which nobody reads from it. So it stays below this where
// readers leave such moments.
const walLimit = 5 << 20

// checkpointWait is how long a writer waits for readers before it leaves the log as it
// is.
const checkpointWait = 100 * time.Millisecond

// afterCommit follows a commit: it makes sure that the commit is where others look for
// it, and empties a log that readers, one after the other, kept from being begun
// anew. A reader that comes while it does reads from the file and is in nobody's
// way. After a try in vain, because one reader goes on reading, the log may grow
// by another bound; when that reader is done, SQLite begins the log anew and cuts
// it (journal_size_limit).
func (p *files) afterCommit(ctx context.Context, conn *sql.Conn) error {
	log, err := p.walSize()
	if err != nil || log <= p.truncateAt.Load() {
		if err == nil && log <= walLimit {
			p.truncateAt.Store(walLimit)
		}
		return err
	}
	// The commit is on the disk, in the log or in the file: whatever comes of
	// this is no concern of the one who made it.
	p.truncateAt.Store(log + walLimit)
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", checkpointWait.Milliseconds())); err != nil {
		return nil
	}
	var inTheWay, frames, moved int64
	err = conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&inTheWay, &frames, &moved)
	if err == nil && inTheWay == 0 {
		p.truncateAt.Store(walLimit)
	}
	_, _ = conn.ExecContext(ctx, "PRAGMA busy_timeout = 0") // else SQLite waits in turn, too
	return nil
}
