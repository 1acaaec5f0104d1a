package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// connector makes connections for database/sql. It never prepares or sets anything on one: a
// pooler in between may give each transaction to another server process.
type connector struct {
	config   *pgconn.Config
	patience time.Duration // how long to wait for a server that is restarting
	reach    time.Duration // the same, and for those before it in the address that say nothing
	opened   atomic.Bool   // a connection was opened before, so a server that does not answer is restarting
}

// Connect waits a while for a server that is restarting.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	patient, cancel := context.WithTimeout(ctx, c.reach)
	defer cancel()
	for {
		pg, err := pgconn.ConnectConfig(patient, c.config)
		if err == nil {
			return &conn{pg: pg, used: time.Now(), patience: c.patience}, nil
		}
		if !c.opened.Load() || !unavailable(err) {
			return nil, err
		}
		select {
		case <-patient.Done():
			return nil, err
		case <-time.After(pause):
		}
	}
}

// Driver implements driver.Connector.
func (c *connector) Driver() driver.Driver { return named{} }

// named is the driver that database/sql asks for by name; only a connector makes connections.
type named struct{}

func (named) Open(string) (driver.Conn, error) {
	return nil, errors.New("a connection is made by its connector")
}

// conn is a connection. In a transaction, statements without an answer wait until one asks for
// something, or until the end; then conn sends all of them at once. So a change that asks for
// nothing takes one round trip, and the error of a statement may come later than the statement.
type conn struct {
	pg       *pgconn.PgConn
	patience time.Duration // how long it waits for the server when it rolls back or closes
	used     time.Time
	ctx      context.Context // of the transaction, nil outside of one
	begun    bool            // the server knows of the transaction
	batch    pgconn.Batch    // the statements that wait
	count    int             // how many of them
	bytes    int
}

const (
	maxWaiting = 1 << 20         // bytes that wait at most, unless one statement has more
	idle       = 1 * time.Second // after which a connection is tested before use
)

func (c *conn) Prepare(query string) (driver.Stmt, error) { return &stmt{c, query}, nil }

// Begin is never called, because conn has BeginTx.
func (c *conn) Begin() (driver.Tx, error) { return c.BeginTx(context.Background(), driver.TxOptions{}) }

func (c *conn) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), c.patience)
	defer cancel()
	return c.pg.Close(ctx)
}

// IsValid implements driver.Validator.
func (c *conn) IsValid() bool { return !c.pg.IsClosed() }

// ResetSession implements driver.SessionResetter. It tests a connection that was idle, because
// the server may have ended it.
func (c *conn) ResetSession(ctx context.Context) error {
	if c.pg.IsClosed() || time.Since(c.used) > idle && c.pg.Ping(ctx) != nil {
		return driver.ErrBadConn
	}
	return nil
}

// BeginTx sends nothing yet.
func (c *conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	c.ctx, c.begun = ctx, false
	begin := beginWriting
	if opts.ReadOnly {
		begin = beginReading
	}
	return (*tx)(c), c.put(begin, nil)
}

const (
	beginWriting = "BEGIN ISOLATION LEVEL SERIALIZABLE"
	beginReading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	commit       = "COMMIT"
	rollback     = "ROLLBACK"
)

// put lets a statement wait.
func (c *conn) put(query string, args []driver.NamedValue) error {
	p, err := parametersOf(args)
	if err != nil {
		return err
	}
	c.batch.ExecParams(query, p.values, p.types, inBinary, inBinary)
	c.count++
	c.bytes += len(query) + p.bytes
	return nil
}

// send sends the statements that wait. Their results come in order.
func (c *conn) send(ctx context.Context) *pgconn.MultiResultReader {
	batch := c.batch
	c.begun = c.begun || c.ctx != nil
	c.forget()
	return c.pg.ExecBatch(ctx, &batch)
}

// forget drops the statements that wait.
func (c *conn) forget() { c.batch, c.count, c.bytes = pgconn.Batch{}, 0, 0 }

// flush sends the statements that wait and returns what the last one did.
func (c *conn) flush(ctx context.Context) (tag pgconn.CommandTag, err error) {
	results := c.send(ctx)
	for results.NextResult() {
		tag, _ = results.ResultReader().Close() // Close of all results has the error
	}
	err = results.Close()
	c.used = time.Now()
	c.discard(err)
	return tag, err
}

// discard closes a connection to a server that takes no changes any more: a pooler keeps connections to it. A standby
// says so with another code, of a writing transaction that it did not begin; err has that of the others then.
func (c *conn) discard(err error) {
	var e *pgconn.PgError
	if errors.As(err, &e) && e.Code == notSupported && c.ctx != nil && c.pg.TxStatus() == 'I' {
		e.Code = takesNoChanges
	}
	if codeOf(err) == takesNoChanges {
		_ = c.Close() // another one is opened
	}
}

// ExecContext implements driver.ExecerContext.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	for try := 0; ; try++ {
		if err := c.put(query, args); err != nil {
			return nil, err
		}
		if c.ctx != nil && c.bytes < maxWaiting {
			return driver.ResultNoRows, nil
		}
		alone := c.ctx == nil
		tag, err := c.flush(ctx)
		if err == nil || !alone || !waitToRetry(ctx, err, try) {
			return driver.RowsAffected(tag.RowsAffected()), err
		}
	}
}

// QueryContext implements driver.QueryerContext. It waits for the first row, so that it can
// return most errors itself.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	for try := 0; ; try++ {
		if err := c.put(query, args); err != nil {
			return nil, err
		}
		alone, before := c.ctx == nil, c.count-1
		r := &rows{conn: c, results: c.send(ctx)}
		for range before {
			if r.results.NextResult() {
				_, _ = r.results.ResultReader().Close() // Close of all results has the error
			}
		}
		if r.results.NextResult() {
			r.reader = r.results.ResultReader()
			r.ahead = r.reader.NextRow()
		}
		if r.reader != nil && r.ahead {
			return r, nil
		}
		err := r.Close()
		switch {
		case err == nil:
			return r, nil
		case !alone:
			return nil, err
		case connectionLost(err): // nothing was read yet: database/sql asks again on another connection
			return nil, errors.Join(driver.ErrBadConn, err)
		case !waitToRetry(ctx, err, try):
			return nil, err
		}
	}
}

// stmt is a statement. The server learns of it only when it runs.
type stmt struct {
	conn  *conn
	query string
}

func (s *stmt) Close() error  { return nil }
func (s *stmt) NumInput() int { return -1 }

// Exec and Query are never called, because stmt has those with a context.
func (s *stmt) Exec([]driver.Value) (driver.Result, error) { return nil, driver.ErrSkip }

func (s *stmt) Query([]driver.Value) (driver.Rows, error) { return nil, driver.ErrSkip }

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.conn.ExecContext(ctx, s.query, args)
}

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.QueryContext(ctx, s.query, args)
}

// tx is the transaction of a connection.
type tx conn

// Commit sends the statements that still wait together with the end of the transaction.
func (t *tx) Commit() error {
	c, ctx := (*conn)(t), t.ctx
	defer func() { c.ctx = nil }()
	if !c.begun && c.count == 1 { // only BEGIN waits
		c.forget()
		return nil
	}
	if err := c.put(commit, nil); err != nil {
		return err
	}
	unsent := c.pg.IsClosed()
	tag, err := c.flush(ctx)
	switch {
	case tag.String() == commit: // the server carried it out, whatever happened afterwards
		return nil
	case err == nil:
		return errors.New("the transaction was rolled back")
	case connectionLost(err) && !unsent && codeOf(err) != takesNoChanges: // even an error that the driver met while it read an answer
		return errors.Join(errDoubt, err)
	}
	_ = t.end() // its error would hide the first one
	return err
}

// Rollback drops the statements that wait, and rolls back what the server knows of.
func (t *tx) Rollback() error {
	c := (*conn)(t)
	defer func() { c.ctx = nil }()
	c.forget()
	return t.end()
}

// end rolls back what the server knows of.
func (t *tx) end() error {
	c := (*conn)(t)
	if !c.begun || c.pg.IsClosed() || c.pg.TxStatus() == 'I' {
		return nil
	}
	if err := c.put(rollback, nil); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), c.patience)
	defer cancel()
	_, err := c.flush(ctx)
	return err
}

var _ interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
	driver.Validator
	driver.SessionResetter
} = (*conn)(nil)
