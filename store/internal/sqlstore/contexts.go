package sqlstore

import (
	"context"
	"database/sql"
	"strconv"

	"github.com/contexttree/pact/store"
)

// state is what the last row of a context's log says.
type state struct {
	store.Info
	next     int64 // the next nid
	erasures int64 // how many there were
}

func scanState(scan func(...any) error) (state, error) {
	var st state
	var origin, cycle, revision sql.NullInt64
	err := scan(&st.Key, &st.Name, &st.Edition, &st.First, &st.Fork, &st.erasures, &origin, &cycle, &revision,
		&st.Cycle, &st.Revision, &st.Stamps.Cycle, &st.Stamps.LastNS, &st.Stamps.Next, &st.Stamps.Given, &st.next)
	st.Origin = store.Origin{Key: store.Key(origin.Int64), Cycle: cycle.Int64, Revision: revision.Int64}
	return st, err
}

// state reads where a context stands, through a transaction where one is given.
func (s *Store) state(ctx context.Context, tx *sql.Tx, key store.Key) (state, error) {
	stmt := s.stmts.infoByKey
	if tx != nil {
		stmt = tx.StmtContext(ctx, stmt)
	}
	st, err := scanState(stmt.QueryRowContext(ctx, int64(key)).Scan)
	if err == sql.ErrNoRows {
		return state{}, noKey(key)
	}
	return st, s.fail(ctx, err, "reading a context")
}

func noKey(key store.Key) error {
	return store.NoContext("with key " + strconv.FormatInt(int64(key), 10))
}

// Contexts implements store.Store. Cost: two look-ups a context.
func (s *Store) Contexts(ctx context.Context) ([]store.Info, error) {
	const doing = "listing the contexts"
	rows, err := s.stmts.infoAll.QueryContext(ctx)
	if err != nil {
		return nil, s.fail(ctx, err, doing)
	}
	defer rows.Close()
	list := []store.Info{}
	for rows.Next() {
		st, err := scanState(rows.Scan)
		if err != nil {
			return nil, s.fail(ctx, err, doing)
		}
		list = append(list, st.Info)
	}
	if err := rows.Err(); err != nil {
		return nil, s.fail(ctx, err, doing)
	}
	return list, nil
}

// Find implements store.Store.
func (s *Store) Find(ctx context.Context, name string) (store.Info, error) {
	st, err := scanState(s.stmts.infoByName.QueryRowContext(ctx, name).Scan)
	if err == sql.ErrNoRows {
		return store.Info{}, store.NoContext(name)
	}
	return st.Info, s.fail(ctx, err, "finding a context")
}

// Create implements store.Store. Cost: the nodes of the tree.
func (s *Store) Create(ctx context.Context, g store.Genesis) (store.Info, error) {
	if err := store.CheckName(g.Name); err != nil {
		return store.Info{}, err
	}
	p, err := s.genesis(ctx, g)
	if err != nil {
		return store.Info{}, err
	}
	info := store.Info{Name: g.Name, Edition: g.Edition, First: g.First(), Cycle: p.latest, Revision: p.revision, Stamps: g.Stamps}
	working := g.Tree
	if n := len(g.Changes); n > 0 {
		working, info.Stamps = g.Changes[n-1].After, g.Changes[n-1].Stamps
	}
	err = s.transact(ctx, "creating a context", func(w *writer) error {
		err := w.stmt(s.stmts.insertContext).QueryRowContext(w.ctx, g.Name, g.Edition, info.First).Scan(&info.Key)
		if err != nil && s.dialect.Violated(err) {
			return store.NameTaken(g.Name)
		}
		if err != nil {
			return err
		}
		w.key = int64(info.Key)
		e := g.Entry.Logged(store.Create, g.Tree)
		if p.chain, err = w.log(beginning(nil, info), 1, e, g.Tree.Cycle(), g.Stamps, p.steps[0].next, nil); err != nil {
			return err
		}
		if err := w.apply(&p.steps[0]); err != nil {
			return err
		}
		return w.changes(store.Guard{Cycle: g.Tree.Cycle(), Revision: 1}, g.Changes, p)
	})
	if err != nil {
		return store.Info{}, err
	}
	s.recents.put(info.Key, p.remember(working, true))
	return info, nil
}

// Rename implements store.Store.
func (s *Store) Rename(ctx context.Context, key store.Key, name string) error {
	if err := store.CheckName(name); err != nil {
		return err
	}
	return s.transact(ctx, "renaming a context", func(w *writer) error {
		result, err := w.stmt(s.stmts.renameContext).ExecContext(w.ctx, name, int64(key))
		if err != nil && s.dialect.Violated(err) {
			return store.NameTaken(name)
		}
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return noKey(key)
	})
}

// Delete implements store.Store. Cost: the rows of the context.
func (s *Store) Delete(ctx context.Context, key store.Key) error {
	err := s.transact(ctx, "deleting a context", func(w *writer) error {
		result, err := w.stmt(s.stmts.buryContext).ExecContext(w.ctx, "@"+strconv.FormatInt(int64(key), 10), int64(key))
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil {
			return err
		} else if n == 0 {
			return noKey(key)
		}
		return w.release(int64(key))
	})
	if err == nil {
		s.recents.drop(key)
		s.lineages.drop(key)
		s.cache.drop(key)
	}
	return err
}

// release deletes of a deleted branch what no fork shares, and then what is
// left over of its origins.
func (w *writer) release(branch int64) error {
	st := &w.store.stmts
	for branch != 0 {
		var deleted, origin int64
		var cycle, revision sql.NullInt64
		if err := w.stmt(st.shared).QueryRowContext(w.ctx, branch).Scan(&deleted, &origin, &cycle, &revision); err != nil || deleted == 0 {
			return err
		}
		bounds := [len(trim)]int64{before, before, before, before}
		if cycle.Valid {
			bounds = [len(trim)]int64{cycle.Int64, cycle.Int64, cycle.Int64, revision.Int64}
			if err := w.exec(st.uncountAttempt, cycle.Int64, branch); err != nil {
				return err
			}
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
		branch = origin
	}
	return nil
}
