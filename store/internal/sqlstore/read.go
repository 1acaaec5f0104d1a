package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"math"
	"sync"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// Load implements store.Store. The content of drafts is read along, because it
// can still change; all other content is read when asked for. Cost: the rows
// of the context.
func (s *Store) Load(ctx context.Context, key store.Key) (*store.State, error) {
	c, err := s.scanner(ctx, key)
	if err != nil {
		return nil, err
	}
	var state *store.State
	err = s.reading(ctx, "reading a context", func(tx *sql.Tx) error {
		c.tx = tx
		state, err = c.load(ctx, key)
		return err
	})
	return state, err
}

// load reads a context and holds what it reads against the last row of the log,
// and that against the chain.
func (c *scanner) load(ctx context.Context, key store.Key) (*store.State, error) {
	st, err := c.store.state(ctx, c.tx, key)
	if err != nil {
		return nil, err
	}
	var last store.Entry
	err = c.store.logged(ctx, c.tx, c.line.own(), st.Revision, st.Revision, func(values []any) { last = entryOf(values) })
	if err != nil {
		return nil, err
	}
	rows, err := c.rows(ctx, c.store.stmts.rowsIn, st.Cycle, before, st.Cycle+1)
	if err != nil {
		return nil, err
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
	if err := c.snapshot(ctx, r.tree, st.Revision); err != nil {
		return nil, err
	}
	if err := r.step(st.Stamps.Cycle, rows[drafts:]); err != nil {
		return nil, err
	}
	state.Working = r.tree
	recorded, _ := hex.DecodeString(last.Digest)
	if last.Digest == "" {
		recorded = nil
	}
	if d := held(r.tree, recorded); d != nil {
		return nil, among(d, r.tree, rows[drafts:])
	}
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
	var t *tree.Tree
	err = s.reading(ctx, "reading a snapshot", func(tx *sql.Tx) error {
		c.tx = tx
		r, err := c.at(ctx, cycle)
		if err != nil {
			return err
		}
		t = r.tree
		return c.snapshot(ctx, t, st.Revision)
	})
	if err != nil {
		return nil, err
	}
	s.cache.put(key, t, st.erasures)
	return t, nil
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
	var list []*tree.Tree
	err = s.reading(ctx, "reading a history", func(tx *sql.Tx) error {
		c.tx = tx
		list, err = c.history(ctx, from, to, st.Revision)
		return err
	})
	return list, err
}

// history reads snapshots and holds each against what the log recorded of it.
func (c *scanner) history(ctx context.Context, from, to, revision int64) ([]*tree.Tree, error) {
	recorded, err := c.digests(ctx, from, to, revision)
	if err != nil {
		return nil, err
	}
	r, err := c.at(ctx, from)
	if err != nil {
		return nil, err
	}
	rows, err := c.rows(ctx, c.store.stmts.rowsIn, to, from, to)
	if err != nil {
		return nil, err
	}
	list := make([]*tree.Tree, 0, to-from+1)
	var n int // rows that the cycle brings
	for cycle := from; ; cycle++ {
		if d := held(r.tree, recorded[cycle]); d != nil {
			return nil, among(d, r.tree, rows[:n])
		}
		rows = rows[n:]
		list = append(list, r.tree)
		if cycle == to {
			return list, nil
		}
		n = 0
		for n < len(rows) && rows[n].birth == cycle+1 {
			n++
		}
		if err := r.step(cycle+1, rows[:n]); err != nil {
			return nil, err
		}
	}
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
