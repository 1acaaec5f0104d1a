package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// walLimit is the size in bytes up to which the WAL may grow. From 1,000 pages (4 MiB) on,
// SQLite moves its pages to the file, and restarts the WAL when a writer comes while nobody
// reads from it. So the WAL stays below the limit unless readers overlap without a break.
const walLimit = 5 << 20

// checkpointWait is how long a writer waits for readers before it leaves the WAL as it is.
const checkpointWait = 100 * time.Millisecond

// afterWrite runs after a commit. It checks that the commit went to the files that others
// open, and empties a WAL that overlapping readers kept SQLite from restarting. A reader that
// comes meanwhile reads from the file and blocks nobody. If one reader goes on reading,
// afterWrite gives up until the WAL has grown by another walLimit; when that reader is done,
// SQLite restarts the WAL and truncates it (journal_size_limit).
func (p *files) afterWrite(ctx context.Context, write *sql.DB) error {
	log, err := p.walSize()
	if err != nil || log <= p.truncateAt.Load() {
		if err == nil && log <= walLimit {
			p.truncateAt.Store(walLimit)
		}
		return err
	}
	// The commit is on the disk, in the WAL or in the file: a failure below is no
	// failure of the commit.
	p.truncateAt.Store(log + walLimit)
	conn, err := write.Conn(ctx)
	if err != nil {
		return nil
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d",
		checkpointWait.Milliseconds())); err != nil {
		return nil
	}
	var inTheWay, frames, moved int64
	err = conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&inTheWay, &frames, &moved)
	if err == nil && inTheWay == 0 {
		p.truncateAt.Store(walLimit)
	}
	_, _ = conn.ExecContext(ctx, "PRAGMA busy_timeout = 0") // otherwise SQLite would wait in begin, too
	return nil
}
