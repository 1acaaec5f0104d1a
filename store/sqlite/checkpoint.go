package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// moveFrames is how many frames, of a page each, the WAL has when they are moved to the file. SQLite restarts the WAL
// when a writer comes while nobody reads from it. walLimit is the size in bytes up to which it may grow: it stays
// below the limit unless readers overlap without a break.
const (
	moveFrames = 1000
	walLimit   = 5 << 20
)

// checkpointWait is how long a writer waits for readers before it leaves the WAL as it is. A test of what it then does
// waits longer, so that its result does not depend on how busy the machine is.
var checkpointWait = 100 * time.Millisecond

// afterWrite runs after a commit. It checks that the commit went to the files that others
// open, moves a WAL that has grown, and has the file say that the WAL has more.
func (p *files) afterWrite(ctx context.Context, write *sql.DB) error {
	p.wrote.Store(true)
	size, err := p.walSize()
	if err != nil {
		return err
	}
	// The commit is on the disk, in the WAL or in the file: a failure below is no
	// failure of the commit.
	if !p.needsCheckpoint(size) || !p.moveLog(ctx, write, size) {
		p.tellMore(ctx, write)
	}
	return nil
}

// needsCheckpoint reports whether the WAL has so many frames that they are to be moved. Its size does not tell: a WAL
// that begins anew keeps its size, and the frames from before, which have other salts. Cost: reading 16 bytes of it.
func (p *files) needsCheckpoint(size int64) bool {
	if size < frameAt(1) {
		return false
	}
	if _, err := p.log.ReadAt(p.salts[0][:], 16); err != nil {
		return false
	}
	if p.salts[0] != p.moveOf {
		p.moveAt, p.moveOf = moveFrames, p.salts[0]
	}
	return size > frameAt(p.moveAt-1) && p.hasFrame(p.moveAt)
}

// hasFrame reports whether the WAL has an n-th frame, counted from 1, with the salts of its beginning.
func (p *files) hasFrame(n int64) bool {
	if _, err := p.log.ReadAt(p.salts[0][:], 16); err != nil {
		return false
	}
	_, err := p.log.ReadAt(p.salts[1][:], frameAt(n-1)+8)
	return err == nil && p.salts[1] == p.salts[0]
}

// moveLog moves the WAL to the file, and empties one that overlapping readers kept SQLite from restarting. A reader
// that comes meanwhile reads from the file and blocks nobody. If one reader goes on reading, moveLog gives up until the
// WAL has grown by another moveFrames; when that reader is done, SQLite restarts the WAL and truncates it
// (journal_size_limit). whole says that the file has all of the WAL, so that there is nothing to tell. Who commits
// after that tells it himself; a commit while the pages were moved has left a frame behind them.
func (p *files) moveLog(ctx context.Context, write *sql.DB, size int64) (whole bool) {
	conn, err := write.Conn(ctx)
	if err != nil {
		return false
	}
	defer conn.Close()
	_, _ = p.queuedMark(ctx, conn)
	_, frames, moved, err := checkpoint(ctx, conn, "PASSIVE")
	if err == nil && size > walLimit {
		if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", checkpointWait.Milliseconds())); err != nil {
			return false
		}
		_, frames, moved, err = checkpoint(ctx, conn, "TRUNCATE")
		_, _ = conn.ExecContext(ctx, "PRAGMA busy_timeout = 0") // otherwise SQLite would wait in begin, too
	}
	p.moveAt = max(frames, p.moveAt) + moveFrames // of this WAL, if it goes on
	m, ok := p.inFile()
	if !ok || err != nil || moved != frames || frames < 0 { // below 0 another process moves it
		return false
	}
	id := m.this
	p.seen.Store(&id)
	return !p.hasFrame(frames + 1)
}

// checkpoint moves the WAL to the file. busy says that another process kept some of it from being moved, or emptied;
// frames is how many frames the WAL has, and moved how many of them are in the file.
func checkpoint(ctx context.Context, conn *sql.Conn, mode string) (busy bool, frames, moved int64, err error) {
	err = conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &frames, &moved)
	return busy, frames, moved, err
}
