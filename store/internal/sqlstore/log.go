package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"math"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// logArgs are the values of a log row from kind on.
func logArgs(e store.Entry, latest int64, st tree.Stamps, next int64) []any {
	return []any{
		string(e.Kind), e.Cycle, e.TimeNS, orNull(e.Actor), orNull(e.Message), orNull(e.Request), orNull(string(e.Report)),
		latest, st.Cycle, st.LastNS, st.Next, st.Given, next,
	}
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
		if err := rows.Scan(&e.Revision, &e.Kind, &e.Cycle, &e.TimeNS, &actor, &message, &request, &report); err != nil {
			return nil, s.fail(ctx, err, doing)
		}
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
	rows, err := s.stmts.logRange.QueryContext(ctx, int64(key), from, to)
	list, err := s.entries(ctx, rows, err)
	if err == nil && len(list) == 0 {
		_, err = s.state(ctx, nil, key)
	}
	return list, err
}

// Request implements store.Store.
func (s *Store) Request(ctx context.Context, key store.Key, token string) (*store.Entry, error) {
	rows, err := s.stmts.logByRequest.QueryContext(ctx, int64(key), token)
	list, err := s.entries(ctx, rows, err)
	switch {
	case err != nil:
		return nil, err
	case len(list) > 0:
		return &list[0], nil
	}
	_, err = s.state(ctx, nil, key)
	return nil, err
}

// Has implements store.Store. Cost: two look-ups.
func (s *Store) Has(ctx context.Context, key store.Key, id string) (bool, error) {
	r, err := s.ref(ctx, key, id)
	if err != nil || r != (ref{}) {
		return err == nil, err
	}
	_, err = s.state(ctx, nil, key)
	return false, err
}

// ref finds the newest version of an id, the zero ref without one.
func (s *Store) ref(ctx context.Context, key store.Key, id string) (ref, error) {
	birth := tree.GeneratedCycle(id)
	if birth < 0 {
		birth = math.MinInt64 // no cycle; an import may have begun below 0
	}
	var r ref
	err := s.stmts.refOf.QueryRowContext(ctx, int64(key), id, int64(key), birth, id).Scan(&r.nid, &r.birth)
	if err == sql.ErrNoRows {
		err = nil
	}
	return r, s.fail(ctx, err, "looking up an id")
}
