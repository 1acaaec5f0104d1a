package sqlstore

import (
	"context"
	"database/sql"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// BeginCopy implements store.Copier. Cost: the nodes of the tree.
func (s *Store) BeginCopy(ctx context.Context, l store.Line, first store.Revision, base *tree.Tree) (store.Key, error) {
	row := contextRow{Info: l.Info, deleted: copying}
	row.Name = store.UnfinishedName(l.Name)
	begun := &writerState{latest: l.Origin.Cycle, refs: make(map[string]ref)}
	var p *plan
	if o := l.Origin; o.Key != 0 {
		row.origin = [3]sql.NullInt64{{Int64: int64(o.Key), Valid: true}, {Int64: o.Cycle, Valid: true},
			{Int64: o.Revision, Valid: true}}
	} else {
		var err error
		if p, err = s.planCreation(ctx, store.Creation{Tree: base}); err != nil {
			return 0, err
		}
		begun = p.nextWriterState(base, true)
	}
	revision := l.Origin.Revision + 1
	err := s.transact(ctx, "beginning a copy", func(w *writer) error {
		var previous []byte
		if p == nil {
			err := w.stmt(s.stmts.forkState).QueryRowContext(w.ctx, int64(l.Origin.Key), l.Origin.Revision,
				l.Origin.Cycle).Scan(&begun.next, &previous)
			if err == sql.ErrNoRows {
				return store.NoSnapshot(l.Origin.Cycle)
			}
			if err != nil {
				return err
			}
		}
		if err := w.insert(&row); err != nil {
			return err
		}
		var err error
		begun.chain, err = w.log(chainStart(previous, row.Info), revision, first.Entry, first.Latest, first.Stamps,
			begun.next, nil)
		if err != nil || p == nil {
			return err
		}
		return w.apply(&p.steps[0], revision)
	})
	if fault.CodeOf(err) == fault.Conflict {
		return 0, store.CopyUnderWay(l.Name)
	}
	if err != nil {
		return 0, err
	}
	begun.revision = revision
	s.writers.put(row.Key, begun)
	return row.Key, nil
}

// ExtendCopy implements store.Copier. Cost: the rows that changed, one for each
// revision, and one synchronisation of the medium.
func (s *Store) ExtendCopy(ctx context.Context, key store.Key, g store.Guard, pieces ...store.Piece) error {
	known, err := s.writerState(ctx, key, g)
	if err != nil {
		return err
	}
	if known == nil {
		return s.refusal(ctx, key, g, nil)
	}
	line, err := s.lineage(ctx, key)
	if err != nil {
		return err
	}
	p := &plan{writerState: *known, ctx: ctx, store: s, line: line}
	for _, piece := range pieces {
		if err := p.change(piece.Change); err != nil {
			return err
		}
	}
	err = s.transact(ctx, "writing a copy", func(w *writer) error {
		w.key, p.chain, p.revision = int64(key), known.chain, g.Revision
		if err := w.needCopying(key); err != nil {
			return err
		}
		for i, piece := range pieces {
			if err := w.piece(p, i, piece, known.next); err != nil {
				return err
			}
		}
		return nil
	})
	if s.dialect.IsConstraint(err) {
		return s.refusal(ctx, key, g, nil)
	}
	if err == nil && len(pieces) > 0 {
		s.writers.put(key, p.nextWriterState(pieces[len(pieces)-1].After, true))
	}
	return err
}

// piece writes the revisions of a piece and the rows of its step. next is the next free nid
// before the first step of the plan.
func (w *writer) piece(p *plan, step int, piece store.Piece, next int64) (err error) {
	if step > 0 {
		next = p.steps[step-1].next
	}
	for i, r := range piece.Revisions {
		if i == len(piece.Revisions)-1 {
			next = p.steps[step].next
		}
		p.revision++
		if p.chain, err = w.log(p.chain, p.revision, r.Entry, r.Latest, r.Stamps, next, nil); err != nil {
			return err
		}
	}
	return w.apply(&p.steps[step], p.revision)
}

// needCopying returns E_CONTEXT_NOT_FOUND if a key is not that of an unfinished
// copy.
func (w *writer) needCopying(key store.Key) error {
	var c contextRow
	err := w.stmt(w.store.stmts.contextRowNow).QueryRowContext(w.ctx, int64(key)).Scan(c.into()...)
	if err == sql.ErrNoRows || err == nil && c.deleted != copying {
		return store.NoCopy()
	}
	if err != nil {
		return err
	}
	return c.check()
}

// CopyAttempts implements store.Copier. Cost: a row each.
func (s *Store) CopyAttempts(ctx context.Context, key store.Key, list []store.Attempt) error {
	return s.transact(ctx, "writing attempts", func(w *writer) error {
		if err := w.needCopying(key); err != nil {
			return err
		}
		for _, a := range list {
			cycle, number, _, ok := store.ParseAttemptID(a.ID)
			if !ok {
				return store.NoAttempt(a.ID)
			}
			args, err := attemptArgs(attemptKey{int64(key), cycle, number}, a)
			if err != nil {
				return err
			}
			if err := w.exec(s.stmts.deleteAttempt, int64(key), cycle, number); err != nil {
				return err
			}
			if err := w.exec(s.stmts.insertAttempt, append(args, attemptProof(args))...); err != nil {
				return err
			}
		}
		_, err := w.alterContext(int64(key), func(c *contextRow) error {
			return w.stmt(s.stmts.attemptsAfter).QueryRowContext(w.ctx, int64(key), int64(beforeAll)).Scan(&c.attempts)
		})
		return err
	})
}

// FinishCopies implements store.Copier. Cost: a row each.
func (s *Store) FinishCopies(ctx context.Context, lines []store.Line) error {
	for _, l := range lines {
		if err := store.CheckName(l.Name); err != nil && !l.Shared {
			return err
		}
	}
	err := s.transact(ctx, "finishing a copy", func(w *writer) error {
		for _, l := range lines {
			if err := w.needCopying(l.Key); err != nil {
				return err
			}
			_, err := w.alterContext(int64(l.Key), func(c *contextRow) error {
				c.Name, c.forks, c.Erasures, c.deleted = l.Name, l.Forks, l.Erasures, live
				if l.Shared {
					c.Name, c.deleted = restName(int64(l.Key)), sharedRest
				}
				return nil
			})
			if err != nil && s.dialect.IsConstraint(err) {
				return store.NameTaken(l.Name)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if !s.dialect.IsConstraint(err) {
		return err
	}
	return s.takenName(ctx, lines, err)
}

// takenName finds out which name is taken, for a database that reports only at the end of the
// transaction that one is.
func (s *Store) takenName(ctx context.Context, lines []store.Line, err error) error {
	for _, l := range lines {
		if _, missing := s.Find(ctx, l.Name); missing == nil && !l.Shared {
			return store.NameTaken(l.Name)
		}
	}
	return s.fail(ctx, err, "finishing a copy")
}

// restName is the name of what a deleted context left to its forks. No other context can have
// it.
func restName(key int64) string { return "@" + strconv.FormatInt(key, 10) }
