package sqlstore

import (
	"context"
	"database/sql"
	"strconv"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// state is the row of a context with the last row of its log.
type state struct {
	contextRow
	next int64 // the next free nid
}

// scanState is scanLine for a context that a name finds. For a deleted context or an unfinished
// copy it returns sql.ErrNoRows.
func scanState(scan func(...any) error) (state, error) {
	st, err := scanLine(scan)
	if err == nil && st.deleted != live {
		err = sql.ErrNoRows
	}
	return st, err
}

// scanLine reads a row of infoColumns and checks it.
func scanLine(scan func(...any) error) (state, error) {
	var st state
	var latest, revision, work, last, index, given, next, birth sql.NullInt64
	if err := scan(st.into(&latest, &revision, &work, &last, &index, &given, &next, &birth)...); err != nil {
		return st, err
	}
	if err := st.check(); err != nil {
		return st, err
	}
	if !revision.Valid {
		return st, damageError("the context " + strconv.Quote(st.Name) + " has no log")
	}
	if birth.Int64-1 > latest.Int64 {
		return st, damageError("the log of the context " + strconv.Quote(st.Name) + " ends before its nodes")
	}
	st.Cycle, st.Revision, st.next = latest.Int64, revision.Int64, next.Int64
	st.Stamps = tree.Stamps{Cycle: work.Int64, LastNS: last.Int64, Next: index.Int64, Given: given.Int64}
	return st, nil
}

// state reads the state of a context, within tx unless that is nil.
func (s *Store) state(ctx context.Context, tx *sql.Tx, key store.Key) (state, error) {
	st, err := scanLine(within(ctx, tx, s.stmts.infoByKey).QueryRowContext(ctx, int64(key)).Scan)
	if err == nil && st.deleted == sharedRest {
		err = sql.ErrNoRows
	}
	switch {
	case err == sql.ErrNoRows && tx != nil:
		return state{}, noKey(key)
	case err == sql.ErrNoRows:
		return state{}, s.notFoundUnlessDamaged(ctx, noKey(key))
	}
	return st, s.fail(ctx, err, "reading a context")
}

func noKey(key store.Key) error {
	return store.NoKey(key)
}

// notFoundUnlessDamaged returns missing, or E_STORE if the rows of contexts are damaged: the
// missing context may have been one of them.
func (s *Store) notFoundUnlessDamaged(ctx context.Context, missing error) error {
	if _, err := s.Contexts(ctx); err != nil {
		return err
	}
	return missing
}

// orphanLogText says that the log has rows of a branch that no context has.
func orphanLogText(branch int64) string {
	return "the context with key " + strconv.FormatInt(branch, 10) + " is gone, and its log is there"
}

// Contexts implements store.Store. Cost: two look-ups a context.
func (s *Store) Contexts(ctx context.Context) ([]store.Info, error) {
	const doing = "listing the contexts"
	var orphan sql.NullInt64
	if err := s.stmts.orphanLogs.QueryRowContext(ctx).Scan(&orphan); err != nil {
		return nil, s.fail(ctx, err, doing)
	}
	rows, err := s.stmts.infoAll.QueryContext(ctx)
	if err != nil {
		return nil, s.fail(ctx, err, doing)
	}
	defer rows.Close()
	list := []store.Info{}
	for rows.Next() {
		st, err := scanState(rows.Scan)
		if err == sql.ErrNoRows {
			continue
		}
		if err != nil {
			return nil, s.fail(ctx, err, doing)
		}
		list = append(list, st.Info)
	}
	if err := rows.Err(); err != nil {
		return nil, s.fail(ctx, err, doing)
	}
	if orphan.Valid {
		return nil, damageError(orphanLogText(orphan.Int64))
	}
	return list, nil
}

// Find implements store.Store.
func (s *Store) Find(ctx context.Context, name string) (store.Info, error) {
	st, err := scanState(s.stmts.infoByName.QueryRowContext(ctx, name).Scan)
	if err == sql.ErrNoRows {
		return store.Info{}, s.notFoundUnlessDamaged(ctx, store.NoContext(name))
	}
	return st.Info, s.fail(ctx, err, "finding a context")
}

// Info implements store.Store.
func (s *Store) Info(ctx context.Context, key store.Key) (store.Info, error) {
	st, err := s.state(ctx, nil, key)
	return st.Info, err
}

// Create implements store.Store. Cost: the nodes of the tree.
func (s *Store) Create(ctx context.Context, g store.Creation) (store.Info, error) {
	if err := store.CheckName(g.Name); err != nil {
		return store.Info{}, err
	}
	p, err := s.planCreation(ctx, g)
	if err != nil {
		return store.Info{}, err
	}
	info := store.Info{Name: g.Name, Edition: g.Edition, First: g.First(), Cycle: p.latest, Revision: p.revision,
		Stamps: g.Stamps}
	working := g.Tree
	if n := len(g.Changes); n > 0 {
		working, info.Stamps = g.Changes[n-1].After, g.Changes[n-1].Stamps
	}
	err = s.transact(ctx, "creating a context", func(w *writer) error {
		row := contextRow{Info: info}
		err := w.insert(&row)
		if err != nil {
			return err
		}
		info.Key = row.Key
		e := g.Entry.Logged(store.Create, g.Tree)
		if p.chain, err = w.log(chainStart(nil, info), 1, e, g.Tree.Cycle(), g.Stamps, p.steps[0].next, nil); err != nil {
			return err
		}
		if err := w.apply(&p.steps[0], 1); err != nil {
			return err
		}
		if p.settling != nil {
			if err := w.writeSettled(p.settling.pages); err != nil {
				return err
			}
		}
		return w.changes(store.Guard{Cycle: g.Tree.Cycle(), Revision: 1}, g.Changes, p)
	})
	if err != nil {
		return store.Info{}, err
	}
	s.writers.put(info.Key, p.nextWriterState(working, true))
	s.recent.add(int64(info.Key), p.steps)
	if p.settling == nil {
		s.packLater(int64(info.Key), g.Tree.Cycle(), p.latest)
		return info, nil
	}
	// The process may end before a background task runs, so the directory is written now.
	// Without a directory, readers read more rows, so an error does not matter.
	_ = s.writeDirectory(context.WithoutCancel(ctx), info.Key)
	return info, nil
}

// Rename implements store.Renamer.
func (s *Store) Rename(ctx context.Context, key store.Key, name string) error {
	if err := store.CheckName(name); err != nil {
		return err
	}
	return s.transact(ctx, "renaming a context", func(w *writer) error {
		return w.rename(key, name)
	})
}

func (w *writer) rename(key store.Key, name string) error {
	_, err := w.alterContext(int64(key), func(c *contextRow) error {
		c.Name = name
		return c.checkLive()
	})
	if err != nil && w.store.dialect.IsConstraint(err) {
		return store.NameTaken(name)
	}
	return err
}

// Delete implements store.Deleter. Cost: the rows of the context.
func (s *Store) Delete(ctx context.Context, key store.Key) error {
	err := s.transact(ctx, "deleting a context", func(w *writer) error {
		// A deleted context leaves to its forks what they share, under a name that no context
		// can have.
		_, err := w.alterContext(int64(key), func(c *contextRow) error {
			err := c.checkLive()
			c.Name, c.deleted = restName(int64(key)), sharedRest
			return err
		})
		if err != nil {
			return err
		}
		return w.deleteUnshared(int64(key))
	})
	if err == nil {
		s.writers.drop(key)
		s.lineages.drop(key)
		s.cache.drop(key)
		s.recent.drop(int64(key))
	}
	return err
}

// deleteUnshared deletes the rows of a deleted branch that no fork shares, and then those of
// its deleted origins.
func (w *writer) deleteUnshared(branch int64) error {
	st := &w.store.stmts
	for branch != 0 {
		var cycle, revision sql.NullInt64
		if err := w.stmt(st.sharedWithForks).QueryRowContext(w.ctx, branch).Scan(&cycle, &revision); err != nil {
			return err
		}
		c, err := w.alterContext(branch, func(c *contextRow) error {
			if c.deleted != sharedRest || !cycle.Valid {
				return nil
			}
			var gone int64
			err := w.stmt(st.attemptsAfter).QueryRowContext(w.ctx, branch, cycle.Int64).Scan(&gone)
			c.attempts -= gone
			return err
		})
		if err != nil || c.deleted != sharedRest {
			return err
		}
		bounds := [len(trim)]int64{beforeAll, beforeAll, beforeAll, beforeAll}
		if cycle.Valid {
			bounds = [len(trim)]int64{cycle.Int64, cycle.Int64, cycle.Int64, revision.Int64}
		}
		if err := w.trimPages(branch, bounds[0]); err != nil {
			return err
		}
		if err := w.dropDirectories(branch, bounds[0]); err != nil {
			return err
		}
		for i, bound := range bounds {
			if err := w.exec(st.trim[i], branch, bound); err != nil {
				return err
			}
		}
		if cycle.Valid {
			return nil
		}
		if err := w.exec(st.deleteContext, branch); err != nil {
			return err
		}
		branch = int64(c.Origin.Key)
	}
	return nil
}
