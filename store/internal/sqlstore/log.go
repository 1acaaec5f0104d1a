package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// The indexes of the columns of logRows that the code reads or writes.
const (
	colRevision = 1
	colKind     = 2
	colCycle    = 3
	colTime     = 4
	colActor    = 5
	colMessage  = 6
	colRequest  = 7
	colReport   = 8
	colLatest   = 9

	colWorkCycle = 10
	colLastNS    = 11
	colNextIndex = 12
	colGiven     = 13
	colDigest    = 15
	colThread    = 16
	colSent      = 17
	colIdle      = 18
	colChain     = 19
)

// logArgs returns the values of a log row without its link of the chain.
func logArgs(branch, revision int64, e store.Entry, latest int64, st tree.Stamps, next int64) ([]any, error) {
	args := append(make([]any, 0, colChain+3), // with room for the arguments that only the insert needs
		branch, revision, string(e.Kind), e.Cycle, e.TimeNS, orNull(e.Actor), orNull(e.Message), orNull(e.Request),
		orNull(string(e.Report)),
		latest, st.Cycle, st.LastNS, st.Next, st.Given, next,
	)
	for _, digest := range [...]string{e.Digest, e.Thread, e.Sent} {
		b, err := digestColumn(digest)
		if err != nil {
			return nil, err
		}
		args = append(args, b)
	}
	return append(args, idleText(e)), nil
}

// log writes a row of the log and returns its link of the chain. With a guard, the insert
// violates a constraint if the guard does not hold.
func (w *writer) log(previous []byte, revision int64, e store.Entry, latest int64, st tree.Stamps, next int64,
	g *store.Guard) ([]byte, error) {
	args, err := logArgs(w.key, revision, e, latest, st, next)
	if err != nil {
		return nil, err
	}
	chain := expectedLink(previous, args)
	args = append(args, chain)
	if g == nil {
		return chain, w.exec(w.store.stmts.insertFirst, args...)
	}
	args[1] = args[0] // the statement finds the revision through the guard
	return chain, w.exec(w.store.stmts.insertLog, slices.Insert(args, 2, any(g.Revision), any(g.Cycle))...)
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// Log implements store.Store. It checks each row against the chain.
func (s *Store) Log(ctx context.Context, key store.Key, from, to int64) ([]store.Entry, error) {
	var list []store.Entry
	err := s.logOf(ctx, key, from, to, func() { list = nil },
		func(values []any) { list = append(list, entryOf(values)) })
	return list, err
}

// logOf calls each with the rows of the log of a context from one revision to another, after it
// checked them against the chain. It calls begin before the first row, and again before each
// repetition.
func (s *Store) logOf(ctx context.Context, key store.Key, from, to int64, begin func(), each func(values []any)) error {
	line, err := s.lineage(ctx, key)
	if err != nil {
		return err
	}
	return s.inReadTx(ctx, "reading the log", func(tx *sql.Tx) error {
		begin()
		st, err := s.state(ctx, tx, key)
		if err != nil {
			return err
		}
		for _, p := range line {
			lo, hi := max(from, p.afterRevision+1), min(to, p.endRevision, st.Revision)
			if lo > hi {
				continue
			}
			if err := s.eachLogRow(ctx, tx, p, lo, hi, each); err != nil {
				return err
			}
		}
		return nil
	})
}

// Request implements store.Store. Cost: a look-up for each origin.
func (s *Store) Request(ctx context.Context, key store.Key, token string) (*store.Entry, error) {
	line, err := s.lineage(ctx, key)
	if err != nil {
		return nil, err
	}
	e, err := s.request(ctx, line, token)
	if e == nil && err == nil {
		_, err = s.state(ctx, nil, key)
	}
	return e, err
}

// request returns the entry with a request token in a lineage, nil if there is none.
func (s *Store) request(ctx context.Context, line lineage, token string) (found *store.Entry, err error) {
	const doing = "looking up a request"
	for _, p := range line {
		var revision int64
		err := s.stmts.requestAt.QueryRowContext(ctx, p.branch, token, p.endRevision).Scan(&revision)
		if err == sql.ErrNoRows {
			continue
		}
		if err != nil {
			return nil, s.fail(ctx, err, doing)
		}
		err = s.inReadTx(ctx, doing, func(tx *sql.Tx) error { // both the row and the link before it
			return s.eachLogRow(ctx, tx, p, revision, revision, func(values []any) {
				e := entryOf(values)
				found = &e
			})
		})
		return found, err
	}
	return nil, nil
}

// entryOf returns the entry that a row of the log holds.
func entryOf(values []any) store.Entry {
	text := func(i int) string { s, _ := values[i].(string); return s }
	digest := func(i int) string { b, _ := values[i].([]byte); return hex.EncodeToString(b) }
	e := store.Entry{Kind: store.Kind(text(colKind)), Actor: text(colActor), Message: text(colMessage),
		Request: text(colRequest),
		Digest:  digest(colDigest), Thread: digest(colThread), Sent: digest(colSent), Idle: idleOf(values[colIdle])}
	if report := text(colReport); report != "" {
		e.Report = json.RawMessage(report)
	}
	e.Revision, _ = values[colRevision].(int64)
	e.Cycle, _ = values[colCycle].(int64)
	e.TimeNS, _ = values[colTime].(int64)
	return e
}

// Has implements store.Store. Cost: three look-ups, and three for each origin; for an id that
// looks generated, also a page.
func (s *Store) Has(ctx context.Context, key store.Key, id string) (bool, error) {
	line, err := s.lineage(ctx, key)
	if err != nil {
		return false, err
	}
	r, err := s.ref(ctx, line, id)
	if err != nil || r != (ref{}) {
		return err == nil, err
	}
	_, err = s.state(ctx, nil, key)
	return false, err
}

// ref returns where the newest version of an id is stored, or the zero ref.
func (s *Store) ref(ctx context.Context, line lineage, id string) (ref, error) {
	birth := tree.GeneratedCycle(id)
	if birth < 0 {
		birth = math.MinInt64 // no cycle; an import may have begun below 0
	}
	for _, p := range slices.Backward(line) {
		var r ref
		err := s.stmts.refOf.QueryRowContext(ctx, p.branch, id, p.branch, id, p.branch, birth, id, p.upToCycle).Scan(&r.nid,
			&r.birth)
		if err == sql.ErrNoRows {
			err = nil
			if birth != math.MinInt64 && birth <= p.upToCycle {
				r, err = s.packedRef(ctx, p.branch, birth, id)
			}
		}
		if err != nil || r != (ref{}) {
			return r, s.fail(ctx, err, "looking up an id")
		}
	}
	return ref{}, nil
}
