package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"strconv"

	"github.com/contexttree/pact/store"
)

// attemptKey is the primary key of the row of an attempt.
type attemptKey struct{ branch, cycle, number int64 }

// PutAttempt implements store.AttemptKeeper. Cost: one row, and one synchronisation of
// the medium.
func (s *Store) PutAttempt(ctx context.Context, key store.Key, a store.Attempt) (store.Attempt, error) {
	if err := a.Check(); err != nil {
		return store.Attempt{}, err
	}
	line, err := s.lineage(ctx, key)
	if err != nil {
		return store.Attempt{}, err
	}
	given := a
	err = s.transact(ctx, "recording an attempt", func(w *writer) error {
		a = given
		var fork int64
		next := attemptKey{branch: int64(key)}
		err := w.stmt(s.stmts.currentCycle).QueryRowContext(w.ctx, next.branch).Scan(&next.cycle, &fork, &next.number)
		switch {
		case err == sql.ErrNoRows:
			return noKey(key)
		case err != nil:
			return err
		case a.ID != "":
			a, err = w.endAttempt(line, a)
			return err
		case a.Cycle != next.cycle:
			return store.CycleOver(a.Cycle, next.cycle)
		}
		a.ID = store.AttemptID(next.cycle, next.number, fork)
		return w.startAttempt(next, a)
	})
	if err != nil {
		return store.Attempt{}, err
	}
	return a, nil
}

// startAttempt writes the row of a new attempt and counts it.
func (w *writer) startAttempt(at attemptKey, a store.Attempt) error {
	args, err := attemptArgs(at, a)
	if err != nil {
		return err
	}
	_, err = w.alterContext(at.branch, func(c *contextRow) error {
		c.attempts++
		return nil
	})
	if err != nil {
		return err
	}
	return w.exec(w.store.stmts.insertAttempt, append(args, attemptProof(args))...)
}

// attemptArgs returns the values of the row of an attempt without its proof.
func attemptArgs(at attemptKey, a store.Attempt) ([]any, error) {
	params, err := digestColumn(a.Params)
	if err != nil {
		return nil, err
	}
	thread, err := digestColumn(a.Thread)
	if err != nil {
		return nil, err
	}
	var ended any
	if a.Status != store.Running {
		ended = a.EndedNS
	}
	return []any{at.branch, at.cycle, at.number, string(a.Status), a.StartedNS, ended, a.Provider, a.Model, params,
		intOrNull(a.TokenIn), intOrNull(a.TokenOut), orNull(a.Error), thread, bytesOrNull(a.Request)}, nil
}

func bytesOrNull(s string) any {
	if s == "" {
		return nil
	}
	return []byte(s)
}

// attemptProof returns the proof of the row of an attempt. The last value is the request; a row
// without one has the same proof as before that column existed.
func attemptProof(values []any) int64 {
	if last := len(values) - 1; values[last] == nil {
		values = values[:last]
	}
	return rowProof(values)
}

func intOrNull(n *int64) any {
	if n == nil {
		return nil
	}
	return *n
}

// endAttempt writes how a running attempt ended into its row.
func (w *writer) endAttempt(line lineage, end store.Attempt) (store.Attempt, error) {
	cycle, number, _, ok := store.ParseAttemptID(end.ID)
	row := w.stmt(w.store.stmts.attemptAt).QueryRowContext(w.ctx, line.at(cycle).branch, cycle, number)
	a, at, proof, err := scanAttempt(row.Scan)
	switch {
	case !ok || err == sql.ErrNoRows || err == nil && a.ID != end.ID:
		return end, store.NoAttempt(end.ID)
	case err != nil:
		return end, err
	case a.Status != store.Running:
		return end, store.AttemptEnded(a)
	}
	if err := checkProof(a, at, proof); err != nil { // a new proof would hide the damage
		return end, err
	}
	a.End(end)
	args, err := attemptArgs(at, a)
	if err != nil {
		return end, err
	}
	return a, w.exec(w.store.stmts.updateAttempt, string(a.Status), a.EndedNS, intOrNull(a.TokenIn), intOrNull(a.TokenOut),
		orNull(a.Error), bytesOrNull(a.Request),
		attemptProof(args), at.branch, at.cycle, at.number)
}

func scanAttempt(scan func(...any) error) (a store.Attempt, at attemptKey, proof int64, err error) {
	var fork int64
	var ended, in, out sql.NullInt64
	var said sql.NullString
	var params, thread, request []byte
	err = scan(&at.branch, &at.cycle, &at.number, &a.Status, &a.StartedNS, &ended, &a.Provider, &a.Model, &params,
		&in, &out, &said, &thread, &request, &proof, &fork)
	a.ID, a.Cycle, a.EndedNS, a.Error = store.AttemptID(at.cycle, at.number, fork), at.cycle, ended.Int64, said.String
	a.Params, a.Thread, a.Request = hex.EncodeToString(params), hex.EncodeToString(thread), string(request)
	if in.Valid {
		a.TokenIn = &in.Int64
	}
	if out.Valid {
		a.TokenOut = &out.Int64
	}
	return a, at, proof, err
}

// checkProof returns E_STORE if an attempt does not match the proof of its row.
func checkProof(a store.Attempt, at attemptKey, proof int64) error {
	args, err := attemptArgs(at, a)
	if err == nil && attemptProof(args) == proof {
		return nil
	}
	return (&store.Damage{Cycle: at.cycle, What: a.ID + " is not as it was recorded"}).Err()
}

// Attempts implements store.AttemptKeeper. Cost: the rows of those cycles, and a
// look-up for each origin.
func (s *Store) Attempts(ctx context.Context, key store.Key, from, to int64) ([]store.Attempt, error) {
	line, err := s.lineage(ctx, key)
	if err != nil {
		return nil, err
	}
	var list []store.Attempt
	for _, p := range line {
		if list, err = s.appendAttempts(ctx, list, p, from, to); err != nil {
			return nil, s.fail(ctx, err, "reading attempts")
		}
	}
	if len(list) == 0 {
		_, err = s.state(ctx, nil, key)
	}
	return list, err
}

func (s *Store) appendAttempts(ctx context.Context, list []store.Attempt, p segment, from, to int64) ([]store.Attempt,
	error) {
	rows, err := s.stmts.attemptRows.QueryContext(ctx, p.branch, from, min(to, p.upToCycle))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		a, at, proof, err := scanAttempt(rows.Scan)
		if err != nil {
			return nil, err
		}
		if err := checkProof(a, at, proof); err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, rows.Err()
}

// attempts checks the proof of every attempt of a segment, and that its branch has
// as many as were recorded.
func (c *checker) attempts(p segment) (*store.Damage, error) {
	var counted, there int64
	if err := c.store.stmts.attemptCount.QueryRowContext(c.ctx, p.branch).Scan(&counted, &there); err != nil {
		return nil, err
	}
	if counted != there {
		return &store.Damage{NoCycle: true, What: strconv.FormatInt(counted, 10) + " attempts were recorded, and there are " +
			strconv.FormatInt(there, 10)}, nil
	}
	rows, err := c.store.stmts.attemptRows.QueryContext(c.ctx, p.branch, beforeAll, p.upToCycle)
	return c.each(rows, err, func(values []any) *store.Damage {
		cycle, _ := values[1].(int64)
		number, _ := values[2].(int64)
		fork, _ := values[len(values)-1].(int64)
		proven := values[:len(values)-2]
		if proof, ok := values[len(values)-2].(int64); !ok || proof != attemptProof(proven) {
			return &store.Damage{Cycle: cycle, What: store.AttemptID(cycle, number, fork) + " is not as it was recorded"}
		}
		return nil
	})
}
