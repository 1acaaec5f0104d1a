package sqlstore

import (
	"bytes"
	"context"
	"database/sql"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

// Apply implements store.Store: atomic, and durable before it returns (03 §7). It plans the
// rows before it takes the lock, and holds the lock for the inserts alone. It returns
// E_CONFLICT if the guard does not hold or an earlier call has used the request token, E_STORE
// if the medium fails. Cost: the rows that changed, one row of the log, and one synchronisation
// of the medium.
func (s *Store) Apply(ctx context.Context, key store.Key, g store.Guard, changes ...store.Change) error {
	known, err := s.writerState(ctx, key, g)
	if err != nil {
		return err
	}
	if known == nil {
		return s.refusal(ctx, key, g, changes)
	}
	if len(changes) == 0 {
		return nil
	}
	line, err := s.lineage(ctx, key)
	if err != nil {
		return err
	}
	if err := s.checkRequests(ctx, line, changes); err != nil {
		return err
	}
	p := &plan{writerState: *known, ctx: ctx, store: s, line: line}
	if err := p.changes(changes); err != nil {
		return s.conflictOr(ctx, key, g, err)
	}
	var doubt error // the error that left open whether the change was written
	for {
		err = s.transact(ctx, "writing a change", func(w *writer) error {
			w.key, p.chain = int64(key), known.chain
			return w.changes(g, changes, p)
		})
		// A request token tells the change of this call from those of other writers.
		if changes[0].Entry.Request == "" || s.dialect.InDoubt == nil || !s.dialect.InDoubt(err) || ctx.Err() != nil {
			break
		}
		doubt = err
	}
	if s.dialect.IsConstraint(err) {
		if doubt == nil || !s.wrote(ctx, key, g.Revision+int64(len(changes)), p.chain) {
			return s.refusal(ctx, key, g, changes)
		}
		err = nil
	}
	if err != nil && doubt != nil {
		return doubt
	}
	if err == nil {
		committed := slices.ContainsFunc(changes, func(c store.Change) bool { return c.Sealed != nil })
		s.writers.put(key, p.nextWriterState(changes[len(changes)-1].After, committed))
		s.recent.add(int64(key), p.steps)
		s.packLater(int64(key), g.Cycle, p.latest)
	}
	return err
}

// wrote reports whether a revision of a context is the one whose confirmation was lost: no
// other revision has its link.
func (s *Store) wrote(ctx context.Context, key store.Key, revision int64, chain []byte) bool {
	var found []byte
	err := s.chainAt(ctx, nil, int64(key), revision, &found)
	return err == nil && bytes.Equal(found, chain)
}

// changes writes the row of the log and the rows of nodes of each change in turn. The insert of
// the first log row tests the guard.
func (w *writer) changes(g store.Guard, changes []store.Change, p *plan) error {
	latest := g.Cycle
	steps := p.steps[len(p.steps)-len(changes):]
	for i, c := range changes {
		e, guard := c.Entry.Logged(store.Edit, c.After), store.Guard{Cycle: latest, Revision: g.Revision + int64(i)}
		if c.Sealed != nil {
			e, latest = c.Entry.Logged(store.Commit, c.Sealed), c.Sealed.Cycle()
		}
		var err error
		if p.chain, err = w.log(p.chain, guard.Revision+1, e, latest, c.Stamps, steps[i].next, &guard); err != nil {
			return err
		}
		if err := w.apply(&steps[i], guard.Revision+1); err != nil {
			return err
		}
	}
	return nil
}

// checkRequests returns E_CONFLICT if the log of an origin of a fork has a request token. For
// the fork's own log, a constraint keeps tokens unique.
func (s *Store) checkRequests(ctx context.Context, line lineage, changes []store.Change) error {
	for _, c := range changes {
		if c.Entry.Request == "" || len(line) == 1 {
			continue
		}
		e, err := s.request(ctx, line[:len(line)-1], c.Entry.Request)
		if err != nil {
			return err
		}
		if e != nil {
			return store.RequestSeen(c.Entry.Request)
		}
	}
	return nil
}

// refusal returns why the log refused a change: the guard does not hold, or an earlier call has
// used the request token.
func (s *Store) refusal(ctx context.Context, key store.Key, g store.Guard, changes []store.Change) error {
	st, err := s.state(ctx, nil, key)
	if err != nil {
		return err
	}
	if st.Cycle != g.Cycle || st.Revision != g.Revision {
		return store.Moved(g, st.Cycle, st.Revision)
	}
	seen := make(map[string]bool)
	for _, c := range changes {
		token := c.Entry.Request
		if token == "" {
			continue
		}
		e, err := s.Request(ctx, key, token)
		if err != nil {
			return err
		}
		if e != nil || seen[token] {
			return store.RequestSeen(token)
		}
		seen[token] = true
	}
	return fault.New(fault.Store, "the store refused a change although all its conditions hold",
		"check the store for damage")
}

// conflictOr returns E_CONFLICT if the guard no longer holds, because that may have caused the
// error of the plan; otherwise it returns err.
func (s *Store) conflictOr(ctx context.Context, key store.Key, g store.Guard, err error) error {
	st, failed := s.state(ctx, nil, key)
	if failed == nil && (st.Cycle != g.Cycle || st.Revision != g.Revision) {
		return store.Moved(g, st.Cycle, st.Revision)
	}
	return err
}

// transact runs f in a transaction for writing, and repeats it if the dialect says so; f
// must therefore not rely on state that an earlier run left. Cancelling ctx counts until the
// transaction begins; what follows is short and runs to its end.
func (s *Store) transact(ctx context.Context, doing string, f func(*writer) error) error {
	for failed := 0; ; failed++ {
		err := s.transactOnce(ctx, doing, f)
		if err == nil || s.dialect.Again == nil || !s.dialect.Again(ctx, err, failed) {
			return err
		}
	}
}

func (s *Store) transactOnce(ctx context.Context, doing string, f func(*writer) error) error {
	if err := s.prepareWrites(ctx); err != nil {
		return s.fail(ctx, err, doing)
	}
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return s.fail(ctx, err, doing)
	}
	defer conn.Close() // returns it to its pool
	w := &writer{store: s, ctx: context.WithoutCancel(ctx)}
	err = s.dialect.BeginWrite(ctx, func() error {
		w.tx, err = conn.BeginTx(w.ctx, nil)
		return err
	})
	if err != nil {
		return s.fail(ctx, err, doing)
	}
	if err = s.dialect.CheckFiles(); err == nil {
		err = f(w)
	}
	if err != nil {
		w.tx.Rollback() // its error would hide the first one
		return s.fail(w.ctx, err, doing)
	}
	if err := w.tx.Commit(); err != nil {
		return s.fail(w.ctx, err, doing)
	}
	return s.fail(w.ctx, s.dialect.AfterCommit(w.ctx, conn), doing)
}

// writer is a transaction for writing. Its statements write to the context with the key branch.
type writer struct {
	store *Store
	tx    *sql.Tx
	ctx   context.Context // does not end when the context of the caller does
	key   int64
	args  []any

	revision int64 // the one that is being written
	given    int64 // how many contents it has numbered

	cycle, parent boxed // of the previous row
}

// boxed is a number as an argument of a statement. Successive rows mostly have the same number
// and share one allocation.
type boxed struct{ arg any }

func (b *boxed) of(v int64) any {
	if last, known := b.arg.(int64); !known || last != v {
		b.arg = v
	}
	return b.arg
}

func (w *writer) stmt(st *sql.Stmt) *sql.Stmt { return w.tx.StmtContext(w.ctx, st) }

func (w *writer) exec(st *sql.Stmt, args ...any) error {
	_, err := w.stmt(st).ExecContext(w.ctx, args...)
	return err
}

// apply deletes and writes the rows of a step with few statements. Deaths come first: their
// nids are lower, so that the rows go in in the order of the key.
func (w *writer) apply(s *step, revision int64) error {
	w.revision, w.given = revision, 0
	st := &w.store.stmts
	for _, r := range s.drops {
		if err := w.exec(st.deleteContent, w.key, r.birth, r.nid); err != nil {
			return err
		}
		if err := w.exec(st.deleteVersion, w.key, r.birth, r.nid); err != nil {
			return err
		}
	}
	at, n := 0, len(s.deaths)+len(s.births)
	w.args = slices.Grow(w.args[:0], min(n, insertSizes[0])*rowParams)
	if err := w.writeContents(s.births); err != nil {
		return err
	}
	for i, size := range insertSizes {
		for ; n-at >= size; at += size {
			w.args = w.args[:0]
			for k := at; k < at+size; k++ {
				if k < len(s.deaths) {
					w.appendDeath(&s.deaths[k])
				} else {
					w.appendBirth(&s.births[k-len(s.deaths)])
				}
			}
			if err := w.exec(st.insertRows[i], w.args...); err != nil {
				return err
			}
		}
	}
	return nil
}

const (
	maxTogether = 1 << 18 // bytes of contents in one statement, which copies them
	maxContents = 1 << 24 // more than the nodes of any tree
	maxCounted  = 1 << 62 // the highest number to count to: after its own highest, SQLite would try random ones
)
