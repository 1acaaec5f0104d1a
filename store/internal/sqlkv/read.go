package sqlkv

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"

	"github.com/contexttree/pact/store"
)

const (
	getPair   = `SELECT value FROM pair WHERE space = $1 AND name = $2`
	rangeUp   = `SELECT name, value FROM pair WHERE space = $1 AND name >= $2 AND name < $3 ORDER BY name`
	rangeDown = rangeUp + ` DESC`
	logUp     = `SELECT id, value, rest` + fromLog
	logDown   = logUp + ` DESC`
	headsUp   = `SELECT id, value` + fromLog
	headsDown = headsUp + ` DESC`
	fromLog   = ` FROM log WHERE id BETWEEN $1 AND $2 ORDER BY id`
	allSpaces = `SELECT space FROM pair UNION SELECT id >> 36 FROM log` // by numberBits
	fewPairs  = ` LIMIT $4`
	fewLogged = ` LIMIT $3`
)

// fewRows is how many rows a view reads at first, or only one from the end, for which mostly the
// last one is looked for. A view reads on only when its caller asks for more, twice as many rows up
// to manyRows, because its connection answers one statement at a time and the caller may ask for
// something else in between.
const (
	fewRows  = 8
	manyRows = 128
)

// numberBits is how many bits of the number of a row of the log its number in the space takes.
const numberBits = 36

func rowOf(space store.Space, number int64) int64 { return int64(space)<<numberBits | number }

// owned is a value that the driver gave memory of its own: both drivers do, so database/sql need not copy
// it once more.
type owned []byte

// Scan implements sql.Scanner.
func (o *owned) Scan(value any) error {
	var ok bool
	if *o, ok = value.([]byte); !ok && value != nil {
		return fmt.Errorf("a value has the type %T", value)
	}
	return nil
}

// reader reads, in a transaction or without one.
type reader struct {
	store *Store
	tx    *sql.Tx // nil for none
}

func (r reader) stmt(ctx context.Context, text string) (*sql.Stmt, error) {
	st, err := r.store.prepared(ctx, r.store.read, text)
	if err == nil && r.tx != nil {
		st = r.tx.StmtContext(ctx, st)
	}
	return st, err
}

// Get implements store.Reader.
func (r reader) Get(ctx context.Context, k store.Key) ([]byte, error) {
	st, err := r.stmt(ctx, getPair)
	if err != nil {
		return nil, r.store.fail(ctx, err, "reading")
	}
	v, err := queryValue(ctx, st, int64(k.Space), []byte(k.Name))
	return v, r.store.fail(ctx, err, "reading")
}

// queryValue returns the value that a statement finds, nil for none.
func queryValue(ctx context.Context, st *sql.Stmt, args ...any) (v []byte, err error) {
	err = st.QueryRowContext(ctx, args...).Scan((*owned)(&v))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return present(v), err
}

// Range implements store.Reader.
func (r reader) Range(ctx context.Context, of store.Span, o store.Order) iter.Seq2[store.Pair, error] {
	if r.tx != nil {
		return paged(o, func(limit int) iter.Seq2[store.Pair, error] { return r.pairs(ctx, of, o, limit) }, func(last store.Pair) {
			if o == store.Ascending {
				of.From = last.Name + "\x00"
			} else {
				of.To = last.Name
			}
		})
	}
	return r.pairs(ctx, of, o, 0)
}

// pairs yields pairs of a span, at most so many unless limit is 0.
func (r reader) pairs(ctx context.Context, of store.Span, o store.Order, limit int) iter.Seq2[store.Pair, error] {
	text, args := rangeUp, []any{int64(of.Space), []byte(of.From), []byte(of.To)}
	if o == store.Descending {
		text = rangeDown
	}
	if limit > 0 {
		text, args = text+fewPairs, append(args, int64(limit))
	}
	return rows(ctx, r, text, func(found *sql.Rows) (store.Pair, error) {
		var name sql.RawBytes
		p := store.Pair{Key: store.Key{Space: of.Space}}
		err := found.Scan(&name, (*owned)(&p.Value))
		p.Name, p.Value = string(name), present(p.Value)
		return p, err
	}, args...)
}

// Log implements store.Reader.
func (r reader) Log(ctx context.Context, of store.Cut, o store.Order) iter.Seq2[store.Record, error] {
	if r.tx != nil {
		return paged(o, func(limit int) iter.Seq2[store.Record, error] { return r.records(ctx, of, o, limit) }, func(last store.Record) {
			if o == store.Ascending {
				of.First = last.Number + 1
			} else {
				of.Last = last.Number - 1
			}
		})
	}
	return r.records(ctx, of, o, 0)
}

// records yields records of a cut, at most so many unless limit is 0.
func (r reader) records(ctx context.Context, of store.Cut, o store.Order, limit int) iter.Seq2[store.Record, error] {
	text, args := logUp, []any{rowOf(of.Space, max(of.First, 1)), rowOf(of.Space, min(of.Last, store.MaxNumber))}
	switch {
	case of.Heads && o == store.Descending:
		text = headsDown
	case of.Heads:
		text = headsUp
	case o == store.Descending:
		text = logDown
	}
	if limit > 0 {
		text, args = text+fewLogged, append(args, int64(limit))
	}
	return rows(ctx, r, text, func(found *sql.Rows) (store.Record, error) {
		x := store.Record{Space: of.Space}
		to := append(make([]any, 0, 3), &x.Number, (*owned)(&x.Value))
		if !of.Heads {
			to = append(to, (*owned)(&x.Rest))
		}
		err := found.Scan(to...)
		x.Number &= store.MaxNumber
		x.Value = present(x.Value)
		return x, err
	}, args...)
}

// paged yields what read finds in pages, each of which is read before it is yielded. follow
// moves read behind the last item.
func paged[T any](o store.Order, read func(limit int) iter.Seq2[T, error], follow func(last T)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		limit := fewRows
		if o == store.Descending {
			limit = 1
		}
		for ; ; limit = min(2*limit, manyRows) {
			var page []T
			var failed error
			for v, err := range read(limit) {
				if failed = err; err == nil {
					page = append(page, v)
				}
			}
			for _, v := range page {
				if !yield(v, nil) {
					return
				}
			}
			if failed != nil {
				var none T
				yield(none, failed)
				return
			}
			if len(page) < limit {
				return
			}
			follow(page[len(page)-1])
		}
	}
}

// rows yields what a statement finds.
func rows[T any](ctx context.Context, r reader, text string, scan func(*sql.Rows) (T, error), args ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		err := func() error {
			st, err := r.stmt(ctx, text)
			if err != nil {
				return err
			}
			found, err := st.QueryContext(ctx, args...)
			if err != nil {
				return err
			}
			defer found.Close()
			for found.Next() {
				v, err := scan(found)
				if err != nil {
					return err
				}
				if !yield(v, nil) {
					return nil
				}
			}
			return found.Err()
		}()
		if err != nil {
			yield(none, r.store.fail(ctx, err, "reading"))
		}
	}
}

// Get implements store.Reader.
func (s *Store) Get(ctx context.Context, k store.Key) ([]byte, error) {
	return reader{store: s}.Get(ctx, k)
}

// Range implements store.Reader.
func (s *Store) Range(ctx context.Context, of store.Span, o store.Order) iter.Seq2[store.Pair, error] {
	return reader{store: s}.Range(ctx, of, o)
}

// Log implements store.Reader.
func (s *Store) Log(ctx context.Context, of store.Cut, o store.Order) iter.Seq2[store.Record, error] {
	return reader{store: s}.Log(ctx, of, o)
}

// Spaces implements store.Spacer.
func (s *Store) Spaces(ctx context.Context) (list []store.Space, err error) {
	rows, err := s.read.QueryContext(ctx, allSpaces)
	if err != nil {
		return nil, s.fail(ctx, err, "reading")
	}
	defer rows.Close()
	for rows.Next() {
		var space store.Space
		if err := rows.Scan(&space); err != nil {
			return nil, s.fail(ctx, err, "reading")
		}
		list = append(list, space)
	}
	return list, s.fail(ctx, rows.Err(), "reading")
}

// View implements store.Store.
func (s *Store) View(ctx context.Context, f func(store.Reader) error) error {
	for failed := 0; ; failed++ {
		err := s.viewOnce(ctx, f)
		if err == nil || s.dialect.Again == nil || !s.dialect.Again(ctx, err, failed) {
			return err
		}
	}
}

func (s *Store) viewOnce(ctx context.Context, f func(store.Reader) error) error {
	// Many views may hold all connections, so that none is left for preparing a statement.
	for _, text := range [...]string{getPair, rangeUp + fewPairs, rangeDown + fewPairs, logUp + fewLogged, logDown + fewLogged,
		headsUp + fewLogged, headsDown + fewLogged, latestMany, latestOne} {
		if _, err := s.prepared(ctx, s.read, text); err != nil {
			return s.fail(ctx, err, "reading")
		}
	}
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: s.dialect.Snapshot})
	if err != nil {
		return s.fail(ctx, err, "reading")
	}
	defer tx.Rollback() // nothing was written
	return f(reader{s, tx})
}
