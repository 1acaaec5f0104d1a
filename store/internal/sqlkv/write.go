package sqlkv

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/contexttree/pact/store"
)

const (
	putPair = `INSERT INTO pair (space, name, value) VALUES ($1, $2, $3)
		ON CONFLICT (space, name) DO UPDATE SET value = excluded.value`
	insertPair    = `INSERT INTO pair (space, name, value) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1`
	deletePairs   = `DELETE FROM pair WHERE space = $1 AND name >= $2 AND name < $3`
	cutRecords    = `DELETE FROM log WHERE id BETWEEN $1 AND $2`
	replaceRecord = `UPDATE log SET value = $2, rest = $3 WHERE id = $1 RETURNING 1`
	firstRecord   = `INSERT INTO log (id, value, rest) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1`
	appendRecord  = `INSERT INTO log (id, value, rest) SELECT $1, $2, $3 WHERE EXISTS (SELECT 1 FROM log WHERE id = $1 - 1)
		ON CONFLICT DO NOTHING RETURNING 1`
	appendAlone = `INSERT INTO log (id, value, rest) SELECT $1, $2, $3 WHERE EXISTS (SELECT 1 FROM log WHERE id = $1 - 1)
		AND EXISTS (SELECT 1 FROM pair WHERE space = $4 AND name = $5 AND value = $6) ON CONFLICT DO NOTHING`
)

// What fails where a batch is to be refused, so that nobody needs its answer before the next
// statement: it divides by 0, or inserts a row that is there.
const (
	thereIsRecord = `SELECT 1 / count(*) FROM log WHERE id = $1`
	thereIsPair   = `SELECT 1 / count(*) FROM pair WHERE space = $1 AND name = $2`
	thereIsEqual  = thereIsPair + ` AND value = $3`
	thereIsNone   = `SELECT 1 / (1 - count(*)) FROM pair WHERE space = $1 AND name = $2`
	newPair       = `INSERT INTO pair (space, name, value) VALUES ($1, $2, $3)`
	newRecord     = `INSERT INTO log (id, value, rest) VALUES ($1, $2, $3)`
	otherRecord   = `UPDATE log SET value = $2, rest = $3 WHERE id = $1`
)

// Write implements store.Store.
func (s *Store) Write(ctx context.Context, b *store.Batch) error {
	var doubt error // left open whether the batch was written
	for failed := 0; ; failed++ {
		err := s.writeOnce(ctx, b)
		switch {
		case errors.Is(err, store.ErrRefused) && doubt != nil && s.wrote(ctx, b):
			return nil
		case errors.Is(err, store.ErrRefused):
			return err
		case err != nil && len(b.Append) > 0 && s.dialect.InDoubt != nil && s.dialect.InDoubt(err) && ctx.Err() == nil:
			doubt = err
		case err != nil && s.dialect.Again != nil && s.dialect.Again(ctx, err, failed):
		case err != nil && doubt != nil:
			return s.fail(ctx, doubt, "writing")
		default:
			return s.fail(ctx, err, "writing")
		}
	}
}

// wrote reports whether the log has the first record of a batch whose confirmation was lost: no
// other writer has a record of the same bytes.
func (s *Store) wrote(ctx context.Context, b *store.Batch) bool {
	first := b.Append[0]
	for x, err := range s.Log(ctx, store.Cut{Space: first.Space, First: first.Number, Last: first.Number}, store.Ascending) {
		return err == nil && bytes.Equal(x.Value, first.Value) && bytes.Equal(x.Rest, first.Rest)
	}
	return false
}

// writeOnce writes a batch. Once it has begun, it does not end with ctx.
func (s *Store) writeOnce(ctx context.Context, b *store.Batch) error {
	if s.dialect.OneWriter {
		select {
		case s.writing <- struct{}{}:
			defer func() { <-s.writing }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	lasting := context.WithoutCancel(ctx)
	write := func() error { return s.writeTogether(ctx, lasting, b) }
	if s.dialect.OneWriter && isSingleAppend(b) {
		write = func() error { return s.begin(ctx, func() error { return s.appendAlone(lasting, b) }) }
	}
	if err := write(); err != nil || s.dialect.AfterWrite == nil {
		return err
	}
	return s.dialect.AfterWrite(lasting, s.write)
}

// begin calls f when it is this writer's turn.
func (s *Store) begin(ctx context.Context, f func() error) error {
	if s.dialect.BeginWrite != nil {
		return s.dialect.BeginWrite(ctx, f)
	}
	return f()
}

// isSingleAppend reports whether a batch does nothing but append a record behind another one if a key has
// a value, which is what nearly all batches do.
func isSingleAppend(b *store.Batch) bool {
	return len(b.Append) == 1 && b.Append[0].Number > 1 && len(b.Expect) == 1 && b.Expect[0].State == store.Equal &&
		len(b.Put)+len(b.Replace)+len(b.Delete)+len(b.Cut) == 0
}

// appendAlone writes such a batch in one statement.
func (s *Store) appendAlone(ctx context.Context, b *store.Batch) error {
	if s.dialect.BeforeWrite != nil {
		if err := s.dialect.BeforeWrite(); err != nil {
			return err
		}
	}
	st, err := s.prepared(ctx, s.write, appendAlone)
	if err != nil {
		return err
	}
	r, e := &b.Append[0], &b.Expect[0]
	done, err := st.ExecContext(ctx, rowOf(r.Space, r.Number), present(r.Value), present(r.Rest), int64(e.Space),
		[]byte(e.Name), present(e.Value))
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return store.ErrRefused
}

// writeTogether writes a batch in a transaction. ctx is for the time before it, lasting for the
// transaction.
func (s *Store) writeTogether(ctx, lasting context.Context, b *store.Batch) error {
	if err := s.prepareWrites(ctx); err != nil { // a transaction may hold the only connection
		return err
	}
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() // returns it to its pool
	w := writer{store: s, ctx: lasting}
	err = s.begin(ctx, func() (err error) {
		w.tx, err = conn.BeginTx(lasting, nil)
		return err
	})
	if err != nil {
		return err
	}
	if s.dialect.BeforeWrite != nil {
		err = s.dialect.BeforeWrite()
	}
	if err == nil {
		err = w.batch(b)
	}
	if err != nil {
		w.tx.Rollback() // its error would hide the first one
	} else {
		err = w.tx.Commit()
	}
	if s.dialect.Refused != nil && s.dialect.Refused(err) {
		return store.ErrRefused
	}
	return err
}

func (s *Store) prepareWrites(ctx context.Context) error {
	list := []string{putPair, insertPair, deletePairs, cutRecords, replaceRecord, firstRecord, appendRecord, getPair}
	if s.dialect.Refused != nil {
		list = []string{putPair, deletePairs, cutRecords, thereIsRecord, thereIsPair, thereIsEqual, thereIsNone, newPair,
			newRecord, otherRecord}
	}
	for _, text := range list {
		if _, err := s.prepared(ctx, s.write, text); err != nil {
			return err
		}
	}
	return nil
}

// writer is a transaction for writing.
type writer struct {
	store *Store
	ctx   context.Context
	tx    *sql.Tx
}

func (w *writer) stmt(text string) (*sql.Stmt, error) {
	st, err := w.store.prepared(w.ctx, w.store.write, text)
	if err != nil {
		return nil, err
	}
	return w.tx.StmtContext(w.ctx, st), nil
}

// exec executes a statement, whose result a driver may wait for later.
func (w *writer) exec(text string, args ...any) error {
	st, err := w.stmt(text)
	if err == nil {
		_, err = st.ExecContext(w.ctx, args...)
	}
	return err
}

// must executes a statement that returns a row for the one that it changes, and refuses the
// batch if there is none; or one that fails then.
func (w *writer) must(text, failing string, args ...any) error {
	if w.store.dialect.Refused != nil {
		return w.exec(failing, args...)
	}
	st, err := w.stmt(text)
	if err != nil {
		return err
	}
	var changed int64
	if err = st.QueryRowContext(w.ctx, args...).Scan(&changed); errors.Is(err, sql.ErrNoRows) {
		err = store.ErrRefused
	}
	return err
}

func (w *writer) batch(b *store.Batch) error {
	for _, e := range b.Expect {
		if err := w.expect(e); err != nil {
			return err
		}
	}
	// Appends come first: of several writers of a context all but one wait here or are refused.
	for _, r := range b.Append {
		if err := w.append(r, r.Number == 1 || b.Cuts(r.Space, r.Number-1)); err != nil {
			return err
		}
	}
	for _, d := range b.Delete {
		if err := w.exec(deletePairs, int64(d.Space), []byte(d.From), []byte(d.To)); err != nil {
			return err
		}
	}
	for _, c := range b.Cut {
		if err := w.exec(cutRecords, rowOf(c.Space, max(c.First, 1)), rowOf(c.Space, min(c.Last, store.MaxNumber))); err != nil {
			return err
		}
	}
	for _, p := range b.Put {
		var err error
		if absent(b, p.Key) {
			err = w.must(insertPair, newPair, int64(p.Space), []byte(p.Name), present(p.Value))
		} else {
			err = w.exec(putPair, int64(p.Space), []byte(p.Name), present(p.Value))
		}
		if err != nil {
			return err
		}
	}
	for _, r := range b.Replace {
		if err := w.replace(r); err != nil {
			return err
		}
	}
	return nil
}

// append adds a record behind another one, which need not be there if first is set.
func (w *writer) append(r store.Record, first bool) error {
	text := appendRecord
	if first {
		text = firstRecord
	} else if w.store.dialect.Refused != nil {
		if err := w.exec(thereIsRecord, rowOf(r.Space, r.Number-1)); err != nil {
			return err
		}
	}
	return w.must(text, newRecord, rowOf(r.Space, r.Number), present(r.Value), present(r.Rest))
}

// replace writes a record that is there anew.
func (w *writer) replace(r store.Record) error {
	if w.store.dialect.Refused != nil {
		if err := w.exec(thereIsRecord, rowOf(r.Space, r.Number)); err != nil {
			return err
		}
	}
	return w.must(replaceRecord, otherRecord, rowOf(r.Space, r.Number), present(r.Value), present(r.Rest))
}

// absent reports whether a batch expects that a key has no value.
func absent(b *store.Batch, k store.Key) bool {
	return slices.ContainsFunc(b.Expect, func(e store.Expectation) bool { return e.Key == k && e.State == store.Absent })
}

// expect refuses a batch if an expectation does not hold. The isolation of the transaction keeps
// others from changing the key until it ends.
func (w *writer) expect(e store.Expectation) error {
	if w.store.dialect.Refused != nil {
		switch e.State {
		case store.Absent:
			return w.exec(thereIsNone, int64(e.Space), []byte(e.Name))
		case store.Present:
			return w.exec(thereIsPair, int64(e.Space), []byte(e.Name))
		}
		return w.exec(thereIsEqual, int64(e.Space), []byte(e.Name), present(e.Value))
	}
	st, err := w.stmt(getPair)
	if err != nil {
		return err
	}
	v, err := queryValue(w.ctx, st, int64(e.Space), []byte(e.Name))
	if err == nil && ((v == nil) != (e.State == store.Absent) || e.State == store.Equal && !bytes.Equal(v, e.Value)) {
		err = store.ErrRefused
	}
	return err
}

func present(value []byte) []byte {
	if value == nil {
		return []byte{}
	}
	return value
}
