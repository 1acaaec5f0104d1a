package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// Lines implements store.Copier. Cost: two look-ups a line.
func (s *Store) Lines(ctx context.Context) ([]store.Line, error) {
	const doing = "listing the lines of history"
	rows, err := s.stmts.infoAll.QueryContext(ctx)
	if err != nil {
		return nil, s.fail(ctx, err, doing)
	}
	defer rows.Close()
	var list []store.Line
	for rows.Next() {
		st, err := scanLine(rows.Scan)
		if err != nil {
			return nil, s.fail(ctx, err, doing)
		}
		l := store.Line{Info: st.Info, Forks: st.forks, Shared: st.deleted == sharedRest, Unfinished: st.deleted == copying}
		if l.Unfinished {
			l.Name = store.CopiedName(l.Name)
		}
		list = append(list, l)
	}
	slices.SortFunc(list, func(a, b store.Line) int { return cmp.Compare(a.Key, b.Key) })
	return list, s.fail(ctx, rows.Err(), doing)
}

// Revisions implements store.Copier. It checks each row against the chain.
func (s *Store) Revisions(ctx context.Context, key store.Key, from, to int64) ([]store.Revision, error) {
	var list []store.Revision
	begin := func() { list = nil }
	err := s.logOf(ctx, key, from, to, begin, func(values []any) {
		number := func(i int) int64 { n, _ := values[i].(int64); return n }
		list = append(list, store.Revision{Entry: entryOf(values), Latest: number(colLatest), Stamps: tree.Stamps{
			Cycle: number(colWorkCycle), LastNS: number(colLastNS), Next: number(colNextIndex), Given: number(colGiven)}})
	})
	return list, err
}

// Base implements store.Copier.
func (s *Store) Base(ctx context.Context, key store.Key) (*tree.Tree, error) {
	c, err := s.scanner(ctx, key)
	if err != nil {
		return nil, err
	}
	first, err := s.Revisions(ctx, key, 1, 1)
	if err != nil {
		return nil, err
	}
	var t *tree.Tree
	err = s.inReadTx(ctx, "reading how a context began", func(tx *sql.Tx) error {
		c.tx = tx
		st, err := s.state(ctx, tx, key)
		if err != nil {
			return err
		}
		r, err := c.at(ctx, first[0].Latest)
		if err != nil {
			return err
		}
		t = r.tree
		_, err = c.checkSnapshot(ctx, t, st.Revision)
		return err
	})
	return t, err
}
