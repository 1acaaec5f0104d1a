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
	next int64 // the next nid
}

func scanState(scan func(...any) error) (state, error) {
	var st state
	err := scan(&st.Key, &st.Name, &st.Edition, &st.First, &st.Cycle, &st.Revision,
		&st.Stamps.Cycle, &st.Stamps.LastNS, &st.Stamps.Next, &st.Stamps.Given, &st.next)
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
		return state{}, store.NoContext("with key " + strconv.FormatInt(int64(key), 10))
	}
	return st, s.fail(ctx, err, "reading a context")
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
		e := g.Entry
		e.Kind = store.Create
		args := append([]any{w.key}, logArgs(e, g.Tree.Cycle(), g.Stamps, p.steps[0].next)...)
		if err := w.exec(s.stmts.insertFirst, args...); err != nil {
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
		return store.NoContext("with key " + strconv.FormatInt(int64(key), 10))
	})
}

// Delete implements store.Store. Cost: the rows of the context.
func (s *Store) Delete(ctx context.Context, key store.Key) error {
	err := s.transact(ctx, "deleting a context", func(w *writer) error {
		for i, st := range s.stmts.empty {
			result, err := w.stmt(st).ExecContext(w.ctx, int64(key))
			if err != nil {
				return err
			}
			if i < len(s.stmts.empty)-1 {
				continue
			}
			if n, err := result.RowsAffected(); err != nil || n > 0 {
				return err
			}
		}
		return store.NoContext("with key " + strconv.FormatInt(int64(key), 10))
	})
	if err == nil {
		s.recents.drop(key)
		s.cache.drop(key)
	}
	return err
}
