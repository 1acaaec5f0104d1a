package sqlstore

import (
	"context"
	"database/sql"
	"math"
	"sync"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// Load implements store.Store. The content of drafts is read along, because it
// can still change; all other content is read when asked for. Cost: the rows
// of the context.
func (s *Store) Load(ctx context.Context, key store.Key) (*store.State, error) {
	const doing = "reading a context"
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: s.dialect.Snapshot})
	if err != nil {
		return nil, s.fail(ctx, err, doing)
	}
	defer tx.Rollback()
	st, err := s.state(ctx, tx, key)
	if err != nil {
		return nil, err
	}
	c, err := s.scanner(ctx, key)
	if err != nil {
		return nil, err
	}
	rows, err := c.rows(ctx, tx.StmtContext(ctx, s.stmts.rowsIn), st.Cycle, before, st.Cycle+1)
	if err != nil {
		return nil, s.fail(ctx, err, doing)
	}
	drafts := len(rows)
	for drafts > 0 && rows[drafts-1].birth > st.Cycle {
		drafts--
	}
	r, err := c.replay(st.Cycle, rows[:drafts])
	if err != nil {
		return nil, err
	}
	state := &store.State{Info: st.Info, Head: r.tree}
	if err := r.step(st.Stamps.Cycle, rows[drafts:]); err != nil {
		return nil, err
	}
	state.Working = r.tree
	return state, nil
}

// Snapshot implements store.Store (05 §2). Cost: the rows up to the cycle, or
// none where the snapshot was asked for shortly before.
func (s *Store) Snapshot(ctx context.Context, key store.Key, cycle int64) (*tree.Tree, error) {
	st, err := s.state(ctx, nil, key)
	if err != nil {
		return nil, err
	}
	if cycle < st.First || cycle > st.Cycle {
		return nil, store.NoSnapshot(cycle)
	}
	if t := s.cache.get(key, cycle, st.erasures); t != nil {
		return t, nil
	}
	c, err := s.scanner(ctx, key)
	if err != nil {
		return nil, err
	}
	r, err := c.at(ctx, cycle)
	if err != nil {
		return nil, err
	}
	s.cache.put(key, r.tree, st.erasures)
	return r.tree, nil
}

func (c *scanner) at(ctx context.Context, cycle int64) (*replay, error) {
	rows, err := c.rows(ctx, c.store.stmts.rowsIn, cycle, before, cycle)
	if err != nil {
		return nil, c.store.fail(ctx, err, "reading a snapshot")
	}
	return c.replay(cycle, rows)
}

// before is a cycle before all others.
const before = math.MinInt64

// History implements store.Store (05 §2). Cost: that of the oldest snapshot and of
// every change after it.
func (s *Store) History(ctx context.Context, key store.Key, from, to int64) ([]*tree.Tree, error) {
	st, err := s.state(ctx, nil, key)
	if err != nil {
		return nil, err
	}
	for _, cycle := range [...]int64{from, to} {
		if cycle < st.First || cycle > st.Cycle {
			return nil, store.NoSnapshot(cycle)
		}
	}
	if from > to {
		return nil, nil
	}
	c, err := s.scanner(ctx, key)
	if err != nil {
		return nil, err
	}
	r, err := c.at(ctx, from)
	if err != nil {
		return nil, err
	}
	rows, err := c.rows(ctx, s.stmts.rowsIn, to, from, to)
	if err != nil {
		return nil, s.fail(ctx, err, "reading a history")
	}
	list := make([]*tree.Tree, 1, to-from+1)
	list[0] = r.tree
	for cycle := from + 1; cycle <= to; cycle++ {
		n := 0
		for n < len(rows) && rows[n].birth == cycle {
			n++
		}
		if err := r.step(cycle, rows[:n]); err != nil {
			return nil, err
		}
		rows = rows[n:]
		list = append(list, r.tree)
	}
	return list, nil
}

// cached is how many snapshots are kept at hand.
const cached = 4

// treeCache keeps the snapshots that were read last. Nothing but an erasure,
// perhaps by another process, changes a snapshot, and the key of a context is
// never used again.
type treeCache struct {
	mu   sync.Mutex
	list []cachedTree // the one used last first
}

type cachedTree struct {
	key      store.Key
	tree     *tree.Tree
	erasures int64 // that there had been when it was read
}

func (c *treeCache) get(key store.Key, cycle, erasures int64) *tree.Tree {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, e := range c.list {
		if e.key == key && e.tree.Cycle() == cycle && e.erasures == erasures {
			copy(c.list[1:i+1], c.list[:i])
			c.list[0] = e
			return e.tree
		}
	}
	return nil
}

func (c *treeCache) put(key store.Key, t *tree.Tree, erasures int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append([]cachedTree{{key, t, erasures}}, c.list[:min(len(c.list), cached-1)]...)
}

func (c *treeCache) drop(key store.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var rest []cachedTree
	for _, e := range c.list {
		if e.key != key {
			rest = append(rest, e)
		}
	}
	c.list = rest
}
