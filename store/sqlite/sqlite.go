package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/contexttree/pact/fault"

	"github.com/contexttree/pact/store/internal/sqlkv"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// Store is the store in a file. It implements store.Store, store.Cleaner, store.Checker and
// store.Packer.
type Store struct {
	*keyValues
	files       *files
	write, read *sql.DB
	closing     sync.Once
}

// Close implements store.Store. The last process that closes a file moves its log into it, behind a mark, so that an
// older copy of that log is not taken for what goes on from the file.
func (s *Store) Close() (err error) {
	s.closing.Do(func() {
		if s.files.wrote.Load() || s.files.leftToMove() {
			_, _ = putMark(context.Background(), s.write) // busy: then this is not the last
		}
		err = s.keyValues.Close()
		s.files.letGo()
	})
	return err
}

type keyValues = sqlkv.Store

type setting struct{ key, set, pragma, want string }

// settings are the settings of every connection, and how SQLite reports them.
var settings = []setting{
	{"_busy_timeout", strconv.FormatInt(busyTimeout.Milliseconds(), 10), "busy_timeout",
		strconv.FormatInt(busyTimeout.Milliseconds(), 10)},
	{"_journal_mode", "WAL", "journal_mode", "wal"},
	{"_synchronous", "FULL", "synchronous", "2"},
	{"_pragma", "wal_autocheckpoint(0)", "wal_autocheckpoint", "0"}, // moveLog does that
}

// synchronous reports whether what is written waits for the disk, which tests may do without.
func synchronous() bool { return settings[2].want != "0" }

// Open opens the store in a file and makes the file, with mode 0600, if there is none. It
// returns E_STORE if the directory is missing, if the file is empty, is not a store or of a
// newer version, or if the file system cannot give the durability that a commit needs;
// E_BUSY if other processes hold the file for five seconds. It follows symbolic links to the file, also to one
// that it makes, and refuses a file with several names (hard links). If nothing can be written
// beside the file, because the disk is full or read-only, the store is opened read-only,
// and every change returns E_STORE.
func Open(ctx context.Context, path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fault.Wrap(fault.Store, err, "the path "+path+" cannot be used",
			"give the path from the root of the file system")
	}
	if path, err = resolved(path); err != nil {
		return nil, err
	}
	p, err := findFiles(path)
	if err == nil && p == nil {
		if err := create(ctx, path); err != nil {
			return nil, err
		}
		p, err = findFiles(path)
	}
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, fault.New(fault.Store, path+" was removed while it was being made", "try again")
	}
	return p.open(ctx)
}

// open opens an existing file.
func (p *files) open(ctx context.Context) (s *Store, err error) {
	first, err := p.useMain()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			p.letGo()
		}
	}()
	if first { // otherwise this process has found that the log belongs to the file
		err = p.checkWAL()
	}
	if err != nil {
		return nil, err
	}
	var write *sql.DB
	look, err := sql.Open("sqlite", dataSource(p.path, plainQuery("rw")))
	if err != nil {
		return nil, openError(err, p.path)
	}
	defer look.Close() // not before others are open: the last one moves the log, without a mark
	if _, err = checkSchema(ctx, p.path, look); err == nil {
		write, err = retryWhileBusy(ctx, func() (*sql.DB, error) { return openHandle(ctx, p.path, "0") })
		err = openError(err, p.path)
	}
	if unwritable(err) {
		return p.openToRead(ctx, err)
	}
	if log, none := os.Stat(p.path + suffixes[1]); primaryCode(err) == lib.SQLITE_CORRUPT && none == nil &&
		log.Size() > 0 {
		return nil, fault.Wrap(fault.Store, err, p.path+" is damaged, or the log beside it belongs to another store",
			"if the file is a backup, move the log away; otherwise restore it from a backup or an export")
	}
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	if err := p.checkEnd(ctx, write); err != nil {
		return nil, errors.Join(err, write.Close())
	}
	if err := migrate(ctx, write); err != nil {
		return nil, errors.Join(err, write.Close())
	}
	read, err := retryWhileBusy(ctx, func() (*sql.DB, error) { return openHandle(ctx, p.path, "1") })
	if err != nil {
		return nil, errors.Join(openError(err, p.path), write.Close())
	}
	read.SetMaxOpenConns(max(4, runtime.GOMAXPROCS(0)))
	read.SetMaxIdleConns(max(4, runtime.GOMAXPROCS(0)))
	// From here on beginWrite waits, not SQLite.
	_, err = write.ExecContext(ctx, "PRAGMA busy_timeout = 0")
	if err != nil {
		err = openError(err, p.path)
	} else {
		err = p.record()
	}
	if err != nil {
		return nil, errors.Join(err, read.Close(), write.Close())
	}
	return &Store{keyValues: sqlkv.New(write, read, p.dialect()), files: p, write: write, read: read}, nil
}

// plainQuery returns the parameters that open a file in a mode of SQLite without changing its
// settings. Statements wait busyTimeout for other processes.
func plainQuery(mode string) url.Values {
	return url.Values{"mode": {mode}, "_busy_timeout": {strconv.FormatInt(busyTimeout.Milliseconds(), 10)}}
}

// dataSource returns the name by which the driver opens a file.
func dataSource(path string, query url.Values) string {
	u := url.URL{Path: filepath.ToSlash(path)}
	return "file:" + u.EscapedPath() + "?" + query.Encode()
}

// retryWhileBusy repeats open while another process holds the file, for up to busyTimeout.
// Unlike other statements, the change to WAL does not wait by itself.
func retryWhileBusy(ctx context.Context, open func() (*sql.DB, error)) (*sql.DB, error) {
	ctx, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	for {
		db, err := open()
		if !busy(err) {
			return db, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(20 * retryInterval):
		}
	}
}

// openHandle opens the file with the settings and checks that they took effect. The caller adds
// the name of the file to its error.
func openHandle(ctx context.Context, path, queryOnly string) (*sql.DB, error) {
	query := url.Values{"_txlock": {"immediate"}, "_query_only": {queryOnly},
		"_pragma": {fmt.Sprintf("journal_size_limit(%d)", walLimit)}}
	for _, c := range settings {
		query.Add(c.key, c.set)
	}
	db, err := sql.Open("sqlite", dataSource(path, query))
	if err != nil {
		return nil, err
	}
	for _, c := range settings {
		var got string
		if err := db.QueryRowContext(ctx, "PRAGMA "+c.pragma).Scan(&got); err != nil {
			return nil, errors.Join(err, db.Close())
		}
		if got != c.want {
			err := fault.New(fault.Store, "the file system gives "+c.pragma+"="+got+" where a durable commit needs "+c.want,
				"keep the file on a local file system")
			return nil, errors.Join(err, db.Close())
		}
	}
	return db, nil
}

func (p *files) dialect() sqlkv.Dialect {
	return sqlkv.Dialect{Question: true, BeginWrite: p.beginWrite, BeforeWrite: p.beforeWrite, AfterWrite: p.afterWrite, OneWriter: true,
		Explain: explain}
}

// primaryCode returns the primary result code of SQLite, 0 if the error has none.
func primaryCode(err error) int {
	if err == nil {
		return 0
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff
}

// explain describes result codes in words, with a remedy.
func explain(err error) (code fault.Code, message, remedy string) {
	if busy(err) {
		message, remedy = busyText()
		return fault.Busy, message, remedy
	}
	message, remedy = failureText(err)
	return fault.Store, message, remedy
}

// busyText returns the message and the remedy of E_BUSY.
func busyText() (message, remedy string) {
	return "another process holds the file", "try again: nothing was changed"
}

func failureText(err error) (message, remedy string) {
	switch primaryCode(err) {
	case lib.SQLITE_FULL:
		return "the disk is full", "make room and repeat the call: nothing was changed"
	case lib.SQLITE_READONLY, lib.SQLITE_PERM, lib.SQLITE_CANTOPEN, lib.SQLITE_AUTH:
		return "the file cannot be written", "check the permissions of the file and of its directory"
	case lib.SQLITE_CORRUPT:
		return "the file is damaged", "restore it from a backup or an export"
	case lib.SQLITE_NOTADB:
		return "the file is not a SQLite database", "name another file"
	case lib.SQLITE_IOERR:
		return "the disk failed", "check the disk, then open the file again"
	}
	return "", ""
}

// openError returns the error for a file that cannot be opened, nil for none. An error with a
// code stays as it is.
func openError(err error, path string) error {
	return failed(context.Background(), err, "cannot open "+path)
}
