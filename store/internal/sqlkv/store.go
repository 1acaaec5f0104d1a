package sqlkv

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/contexttree/pact/fault"
)

// Dialect holds the ways of one database. A nil function does nothing. Transactions that
// write are serializable, whatever it says.
type Dialect struct {
	// Question says that placeholders are ?1 rather than $1.
	Question bool
	// Snapshot is the isolation level in which a transaction for reading sees one moment.
	Snapshot sql.IsolationLevel
	// BeginWrite waits for the turn of this writer and calls begin, which begins to write.
	BeginWrite func(ctx context.Context, begin func() error) error
	// BeforeWrite returns an error if no other process would see a write.
	BeforeWrite func() error
	// AfterWrite runs between a commit and its acknowledgement. Its error becomes that of the call.
	AfterWrite func(ctx context.Context, write *sql.DB) error
	// OneWriter says that the database has one writer at a time, so that a statement is
	// serializable without a transaction around it.
	OneWriter bool
	// Refused reports whether an error is that of a statement which divides by 0, or inserts a row
	// that is there. A database that has it takes all statements of a batch before it answers one.
	Refused func(err error) bool
	// Again waits and reports whether to repeat a transaction that the database did not carry
	// out. failed counts the failures before this one.
	Again func(ctx context.Context, err error, failed int) bool
	// InDoubt reports whether an error leaves open if the database carried out a transaction.
	InDoubt func(err error) bool
	// Explain gives an error of the database its code, and says what it means and what to do, ""
	// if it has nothing to add.
	Explain func(err error) (code fault.Code, message, remedy string)
}

// Store is a medium in a database. It implements store.Store.
type Store struct {
	write, read *sql.DB
	dialect     Dialect
	closed      atomic.Bool
	writing     chan struct{} // full while a caller writes to a database of one writer
	mu          sync.Mutex
	statements  map[statement]*sql.Stmt
}

// statement is a text that was prepared on a handle.
type statement struct {
	db   *sql.DB
	text string
}

// New returns a medium over two handles of a database that has the tables. write begins its
// transactions with the lock for writing, if the database has one; read only reads. They may be
// the same. Close closes both.
func New(write, read *sql.DB, d Dialect) *Store {
	return &Store{write: write, read: read, dialect: d, writing: make(chan struct{}, 1),
		statements: make(map[statement]*sql.Stmt)}
}

// prepared returns a statement, which it prepares when it is needed for the first time.
func (s *Store) prepared(ctx context.Context, db *sql.DB, text string) (*sql.Stmt, error) {
	k := statement{db, text}
	s.mu.Lock()
	st := s.statements[k]
	s.mu.Unlock()
	if st != nil {
		return st, nil
	}
	if s.dialect.Question {
		text = strings.ReplaceAll(text, "$", "?")
	}
	st, err := db.PrepareContext(ctx, text) // may wait for a connection of those who look up another one
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if faster := s.statements[k]; faster != nil {
		return faster, st.Close()
	}
	s.statements[k] = st
	return st, nil
}

// Close implements store.Store.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	err := s.read.Close()
	if s.write != s.read {
		err = errors.Join(err, s.write.Close())
	}
	if err != nil {
		return s.explain(err, "closing the store failed")
	}
	return nil
}

// fail gives an error of the database a code of package fault. doing names the action that
// failed, as in "reading".
func (s *Store) fail(ctx context.Context, err error, doing string) error {
	switch {
	case err == nil:
		return nil
	case s.closed.Load():
		return fault.New(fault.Store, "the store is closed", "open it again")
	case fault.CodeOf(err) != "":
		return err
	case ctx.Err() != nil:
		return fault.Wrap(fault.Store, ctx.Err(), doing+" was interrupted",
			"call it again, with a context that has not ended")
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
