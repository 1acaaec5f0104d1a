package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/contexttree/pact/fault"
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
	err = s.inReadTx(ctx, "reading a context", func(tx *sql.Tx) error {
		c.tx = tx
		state, err = c.load(ctx, key)
		return err
	})
	return state, err
}

// load reads a context. It compares the trees with the digests in the log, and the
// last row of the log with the chain.
func (c *scanner) load(ctx context.Context, key store.Key) (*store.State, error) {
	st, err := c.store.state(ctx, c.tx, key)
	if err != nil {
		return nil, err
	}
	var last store.Entry
	err = c.store.eachLogRow(ctx, c.tx, c.line.own(), st.Revision, st.Revision,
		func(values []any) { last = entryOf(values) })
	if err != nil {
		return nil, err
	}
	live, drafts, err := c.live(ctx, st.Cycle, st.Cycle+1)
	if err != nil {
		return nil, err
	}
	r, err := c.replay(st.Cycle, live)
	if err != nil {
		return nil, err
	}
	state := &store.State{Info: st.Info, Head: r.tree}
	at, err := c.checkSnapshot(ctx, r.tree, st.Revision)
	if err != nil {
		return nil, err
	}
	state.Idle = idleOf(at.idle)
	if err := r.step(st.Stamps.Cycle, drafts); err != nil {
		return nil, err
	}
	state.Working = r.tree
	recorded, _ := hex.DecodeString(last.Digest)
	if last.Digest == "" {
		recorded = nil
	}
	if d := digestDamage(r.tree, recorded); d != nil {
		return nil, nameSuspects(d, r.tree, drafts)
	}
	return state, nil
}

// snapshot is History of one cycle. Cost: the rows up to the cycle, or none where
// the snapshot was asked for shortly before.
func (s *Store) snapshot(ctx context.Context, key store.Key, cycle int64) (*tree.Tree, error) {
	st, err := s.state(ctx, nil, key)
	if err != nil {
		return nil, err
	}
	if cycle < st.First || cycle > st.Cycle {
		return nil, store.NoSnapshot(cycle)
	}
	if t := s.cache.get(key, cycle, st.Erasures); t != nil {
		return t, nil
	}
	c, err := s.scanner(ctx, key)
	if err != nil {
		return nil, err
	}
	var t *tree.Tree
	err = s.inReadTx(ctx, "reading a snapshot", func(tx *sql.Tx) error {
		c.tx = tx
		r, err := c.at(ctx, cycle)
		if err != nil {
			return err
		}
		t = r.tree
		_, err = c.checkSnapshot(ctx, t, st.Revision)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.cache.put(key, t, st.Erasures)
	return t, nil
}

func (c *scanner) at(ctx context.Context, cycle int64) (*replay, error) {
	live, _, err := c.live(ctx, cycle, cycle)
	if err != nil {
		return nil, c.store.fail(ctx, err, "reading a snapshot")
	}
	return c.replay(cycle, live)
}

// beforeAll is a cycle before every cycle of a context.
const beforeAll = math.MinInt64

// cyclesAtOnce is how many snapshots of a history are read in one transaction and
// kept in memory for the reader.
const cyclesAtOnce = 64

// History implements store.Store (05 §2). Cost: that of the oldest snapshot and of
// every change after it. Memory: one tree, and what a few cycles change.
func (s *Store) History(ctx context.Context, key store.Key, from, to int64) iter.Seq2[*tree.Tree, error] {
	return func(yield func(*tree.Tree, error) bool) {
		if from == to {
			yield(s.snapshot(ctx, key, from))
			return
		}
		c, err := s.scanner(ctx, key) // outside of the transactions, which have one connection each
		if err != nil {
			yield(nil, err)
			return
		}
		h := &history{scanner: c, key: key, next: from, to: to}
		for first := true; first || h.next <= to; first = false {
			var list []*tree.Tree
			next := h.next
			err := s.inReadTx(ctx, "reading a history", func(tx *sql.Tx) (err error) {
				if h.next != next { // it failed on the way: back to the beginning
					h.next, h.replay = next, nil
				}
				list, err = h.read(ctx, s, tx)
				return err
			})
			if err != nil {
				yield(nil, err)
				return
			}
			for i, t := range list {
				list[i] = nil // the reader has it now
				if !yield(t, nil) {
					return
				}
			}
		}
	}
}

// history is a cursor over the snapshots of a context.
type history struct {
	scanner  *scanner
	key      store.Key
	next, to int64
	replay   *replay // at the cycle before next, nil at the beginning
	erasures int64   // the number of erasures when the reader began
	revision int64
	begun    bool
}

// read reads the next few snapshots.
func (h *history) read(ctx context.Context, s *Store, tx *sql.Tx) ([]*tree.Tree, error) {
	st, err := s.state(ctx, tx, h.key)
	if err != nil {
		return nil, err
	}
	if !h.begun {
		for _, cycle := range [...]int64{h.next, h.to} {
			if cycle < st.First || cycle > st.Cycle {
				return nil, store.NoSnapshot(cycle)
			}
		}
		if h.next > h.to {
			return nil, nil
		}
		h.erasures, h.revision, h.begun = st.Erasures, st.Revision, true
	}
	if st.Erasures != h.erasures {
		return nil, fault.New(fault.Conflict, "an erasure changed the history while it was read", "read it again")
	}
	h.scanner.tx = tx
	return h.scanner.history(ctx, h)
}

// history reads snapshots and compares each with the digest in the log.
func (c *scanner) history(ctx context.Context, h *history) ([]*tree.Tree, error) {
	upTo := min(h.to, h.next+cyclesAtOnce-1)
	recorded, err := c.digests(ctx, h.next, upTo, h.revision)
	if err != nil {
		return nil, err
	}
	list := make([]*tree.Tree, 0, upTo-h.next+1)
	take := func(rows []row) error {
		t := h.replay.tree
		if d := digestDamage(t, recorded[h.next]); d != nil {
			return nameSuspects(d, t, rows)
		}
		list = append(list, t)
		h.next++
		return nil
	}
	if h.replay == nil {
		if h.replay, err = c.at(ctx, h.next); err != nil {
			return nil, err
		}
		if err := take(nil); err != nil {
			return nil, err
		}
	}
	rows, err := c.rows(ctx, h.to, h.next-1, upTo)
	if err != nil {
		return nil, err
	}
	for h.next <= upTo {
		n := 0
		for n < len(rows) && rows[n].Birth == h.next {
			n++
		}
		if err := h.replay.step(h.next, rows[:n]); err != nil {
			return nil, err
		}
		if err := take(rows[:n]); err != nil {
			return nil, err
		}
		rows = rows[n:]
	}
	return list, nil
}

// maxCachedTrees is how many snapshots a treeCache keeps.
const maxCachedTrees = 4

// treeCache keeps the snapshots that were read last. Only an erasure changes a
// snapshot, perhaps in another process: an entry serves a reader that sees the
// same number of erasures, and goes where one sees another. The key of a context is never used again.
type treeCache struct {
	mu   sync.Mutex
	list []cachedTree // most recently used first
}

type cachedTree struct {
	key      store.Key
	tree     *tree.Tree
	erasures int64 // the number of erasures when it was read
}

func (c *treeCache) get(key store.Key, cycle, erasures int64) *tree.Tree {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = slices.DeleteFunc(c.list, func(e cachedTree) bool { return e.key == key && e.erasures != erasures })
	for i, e := range c.list {
		if e.key == key && e.tree.Cycle() == cycle {
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
	c.list = append([]cachedTree{{key, t, erasures}}, c.list[:min(len(c.list), maxCachedTrees-1)]...)
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
