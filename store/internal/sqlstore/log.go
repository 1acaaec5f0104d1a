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

// logArgs are the values of a log row, but for its link of the chain.
func logArgs(branch, revision int64, e store.Entry, latest int64, st tree.Stamps, next int64) ([]any, error) {
	args := []any{
		branch, revision, string(e.Kind), e.Cycle, e.TimeNS, orNull(e.Actor), orNull(e.Message), orNull(e.Request), orNull(string(e.Report)),
		latest, st.Cycle, st.LastNS, st.Next, st.Given, next,
	}
	for _, digest := range [...]string{e.Digest, e.Thread, e.Sent} {
		b, err := blob(digest)
		if err != nil {
			return nil, err
		}
		args = append(args, b)
	}
	return args, nil
}

// log writes a row and returns its link of the chain. With a guard it goes in
// only where the guard holds.
func (w *writer) log(previous []byte, revision int64, e store.Entry, latest int64, st tree.Stamps, next int64, g *store.Guard) ([]byte, error) {
	args, err := logArgs(w.key, revision, e, latest, st, next)
	if err != nil {
		return nil, err
	}
	chain := link(previous, args...)
	args = append(args, chain)
	if g == nil {
		return chain, w.exec(w.store.stmts.insertFirst, args...)
	}
	return chain, w.exec(w.store.stmts.insertLog, append([]any{w.key, w.key, g.Revision, g.Cycle}, args[2:]...)...)
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// entries reads log rows. It closes the rows.
func (s *Store) entries(ctx context.Context, rows *sql.Rows, err error) ([]store.Entry, error) {
	const doing = "reading the log"
	if err != nil {
		return nil, s.fail(ctx, err, doing)
	}
	defer rows.Close()
	var list []store.Entry
	for rows.Next() {
		var e store.Entry
		var actor, message, request, report sql.NullString
		var digest, thread, sent []byte
		if err := rows.Scan(&e.Revision, &e.Kind, &e.Cycle, &e.TimeNS, &actor, &message, &request, &report, &digest, &thread, &sent); err != nil {
			return nil, s.fail(ctx, err, doing)
		}
		e.Digest, e.Thread, e.Sent = hex.EncodeToString(digest), hex.EncodeToString(thread), hex.EncodeToString(sent)
		e.Actor, e.Message, e.Request = actor.String, message.String, request.String
		if report.Valid {
			e.Report = json.RawMessage(report.String)
		}
		list = append(list, e)
	}
	return list, s.fail(ctx, rows.Err(), doing)
}

// Log implements store.Store.
func (s *Store) Log(ctx context.Context, key store.Key, from, to int64) ([]store.Entry, error) {
	line, err := s.lineage(ctx, key)
	if err != nil {
		return nil, err
	}
	var list []store.Entry
	for _, p := range line {
		lo, hi := max(from, p.afterRevision+1), min(to, p.endRevision)
		if lo > hi {
			continue
		}
		rows, err := s.stmts.logRange.QueryContext(ctx, p.branch, lo, hi)
		part, err := s.entries(ctx, rows, err)
		if err != nil {
			return nil, err
		}
		list = append(list, part...)
	}
	if len(list) == 0 {
		_, err = s.state(ctx, nil, key)
	}
	return list, err
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

// request finds the entry of a token in a lineage, nil without one.
func (s *Store) request(ctx context.Context, line lineage, token string) (*store.Entry, error) {
	for _, p := range line {
		rows, err := s.stmts.logByRequest.QueryContext(ctx, p.branch, token, p.endRevision)
		list, err := s.entries(ctx, rows, err)
		if err != nil {
			return nil, err
		}
		if len(list) > 0 {
			return &list[0], nil
		}
	}
	return nil, nil
}

// Has implements store.Store. Cost: two look-ups, and two for each origin.
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

// ref finds the newest version of an id, the zero ref without one.
func (s *Store) ref(ctx context.Context, line lineage, id string) (ref, error) {
	birth := tree.GeneratedCycle(id)
	if birth < 0 {
		birth = math.MinInt64 // no cycle; an import may have begun below 0
	}
	for _, p := range slices.Backward(line) {
		var r ref
		err := s.stmts.refOf.QueryRowContext(ctx, p.branch, id, p.branch, birth, id, p.upToCycle).Scan(&r.nid, &r.birth)
		if err == nil {
			return r, nil
		}
		if err != sql.ErrNoRows {
			return ref{}, s.fail(ctx, err, "looking up an id")
		}
	}
	return ref{}, nil
}
