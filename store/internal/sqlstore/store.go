package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

// Dialect is what one database does in its own way.
type Dialect struct {
	// Rebind rewrites the placeholders of a statement, which are question marks. nil leaves
	// them.
	Rebind func(query string) string
	// OwnContents says that a context and a number within it identify a content. Otherwise the
	// database numbers all contents together.
	OwnContents bool
	// Again waits and reports whether to repeat a transaction that the database did not carry
	// out. failed counts the failures before this one. nil never repeats.
	Again func(ctx context.Context, err error, failed int) bool
	// InDoubt reports whether an error leaves open if the database carried out a transaction.
	// nil says that none does.
	InDoubt func(err error) bool
	// IsConstraint reports whether an error says that a constraint refused a row: unique,
	// primary key or not null.
	IsConstraint func(err error) bool
	// Snapshot is the isolation level in which a transaction for reading sees one state
	// throughout.
	Snapshot sql.IsolationLevel
	// Explain gives an error of the database its code, and says what it means and what to do
	// about it, "" if it has nothing to add.
	Explain func(err error) (code fault.Code, message, remedy string)
	// BeginWrite waits for the turn of this writer and calls begin, which takes the lock for
	// writing. If it cannot get the lock in reasonable time, it returns the error of begin,
	// which Explain calls E_BUSY. It never waits after ctx ends.
	BeginWrite func(ctx context.Context, begin func() error) error
	// CheckFiles returns an error if writes would not reach the files that other processes
	// open.
	CheckFiles func() error
	// AfterCommit runs on conn between a commit and its acknowledgement. Its error becomes the
	// error of the call.
	AfterCommit func(ctx context.Context, conn *sql.Conn) error
	// Check lets the database check its own structures. It says in words what is damaged, "" if
	// nothing is.
	Check func(ctx context.Context, db *sql.DB) (damage string, err error)
	// Packing says which rows the store packs into pages.
	Packing Packing
	// Clean overwrites the free space that holds erased text, with every copy that the database
	// keeps, and empties the table unclean. It says in words what it could not clean, "" if
	// nothing remains.
	Clean func(ctx context.Context, db *sql.DB) (remains string, err error)
}

// Store implements store.Store over a database. It is safe for concurrent use.
type Store struct {
	write, read *sql.DB
	dialect     Dialect
	stmts       statements
	writable    sync.Mutex // guards prepared
	prepared    bool       // the statements that write are prepared
	closed      atomic.Bool
	writers     writerCache
	lineages    lineageCache
	cache       treeCache
	opened      openedCache
	replays     replayCache
	recent      recentRows
	pages       pageCache
	headers     headerTexts
	packing     Packing
	background  background
}

// New returns a store over two handles of a database whose schema is in place. write begins its
// transactions with the lock for writing, if the database has one; read only reads. They may be
// the same. Close closes both, and so does New when it fails.
func New(ctx context.Context, write, read *sql.DB, d Dialect) (*Store, error) {
	s := &Store{write: write, read: read, dialect: d, packing: d.Packing.orDefault()}
	if err := s.stmts.prepareReads(ctx, read, &s.dialect); err != nil {
		err = s.fail(ctx, err, "preparing the statements")
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// prepareWrites prepares the statements that write, once.
func (s *Store) prepareWrites(ctx context.Context) error {
	s.writable.Lock()
	defer s.writable.Unlock()
	if s.prepared {
		return nil
	}
	err := s.dialect.BeginWrite(ctx, func() error { return s.stmts.prepareWrites(ctx, s.write, &s.dialect) })
	s.prepared = err == nil
	return err
}

// Close implements store.Store. If the store is packing rows, it waits for the current
// transaction.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.background.stop()
	err := s.read.Close()
	if s.write != s.read {
		err = errors.Join(err, s.write.Close())
	}
	if err != nil {
		return s.explain(err, "the store could not be closed")
	}
	return nil
}

// fail gives an error of the database a code of package fault. doing names the action that
// failed, as in "reading a context".
func (s *Store) fail(ctx context.Context, err error, doing string) error {
	switch {
	case err == nil:
		return nil
	case fault.CodeOf(err) != "":
		return err
	case s.closed.Load():
		return store.Closed()
	case ctx.Err() != nil:
		return fault.Wrap(fault.Store, ctx.Err(), doing+" was interrupted", "")
	}
	return s.explain(err, doing+" failed")
}

func (s *Store) explain(err error, message string) error {
	code, why, remedy := s.dialect.Explain(err)
	if why != "" {
		message += ": " + why
	}
	return fault.Wrap(code, err, message, remedy)
}
