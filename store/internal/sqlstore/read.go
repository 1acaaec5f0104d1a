package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"iter"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// Load implements store.Store. The content of drafts is read along, because it
// can still change; all other content is read when asked for. Cost: a directory and
// the rows since; where there is none, the rows of the context.
func (s *Store) Load(ctx context.Context, key store.Key) (state *store.State, err error) {
	err = s.againIfErased(ctx, key, func() error {
		state, err = s.load(ctx, key)
		return err
	})
	return state, err
}

// againIfErased calls f, and once more where something of the context was erased
// meanwhile: what it had read then belongs to no snapshot any more.
func (s *Store) againIfErased(ctx context.Context, key store.Key, f func() error) error {
	err := f()
	if errors.Is(err, fault.Conflict) {
		err = f()
	}
	return err
}

// load reads a context. It compares the trees with the digests in the log, and the
// last row of the log with the chain.
func (s *Store) load(ctx context.Context, key store.Key) (_ *store.State, err error) {
	defer tree.Recover(&err)
	c, err := s.scanner(ctx, key)
	if err != nil {
		return nil, err
	}
	var st state
	var last store.Entry
	var q *reading
	err = s.inReadTx(ctx, "reading a context", func(tx *sql.Tx) error {
		c.tx = tx
		if st, err = s.state(ctx, tx, key); err != nil {
			return err
		}
		err = s.eachLogRow(ctx, tx, c.line.own(), st.Revision, st.Revision,
			func(values []any) { last = entryOf(values) })
		if err != nil {
			return err
		}
		q, err = c.read(ctx, &st, st.Cycle, st.Cycle+1)
		return err
	})
	if err != nil {
		return nil, err
	}
	c.tx = nil
	r, err := c.replayed(ctx, &st, q, nil)
	if err != nil {
		return nil, err
	}
	state := &store.State{Info: st.Info, Head: r.tree, Idle: idleOf(q.published.idle)}
	if err := r.step(st.Stamps.Cycle, q.drafts); err != nil {
		return nil, err
	}
	state.Working = r.tree
	recorded, _ := hex.DecodeString(last.Digest)
	if last.Digest == "" {
		recorded = nil
	}
	if d := digestDamage(r.tree, recorded); d != nil {
		return nil, nameSuspects(d, r.tree, q.drafts)
	}
	return state, nil
}

// snapshot is History of one cycle. Cost: as that of Load, or none where the snapshot
// was asked for shortly before.
func (s *Store) snapshot(ctx context.Context, key store.Key, cycle int64) (t *tree.Tree, err error) {
	err = s.againIfErased(ctx, key, func() error {
		t, err = s.snapshotOnce(ctx, key, cycle)
		return err
	})
	return t, err
}

func (s *Store) snapshotOnce(ctx context.Context, key store.Key, cycle int64) (_ *tree.Tree, err error) {
	defer tree.Recover(&err)
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
	var q *reading
	err = s.inReadTx(ctx, "reading a snapshot", func(tx *sql.Tx) error {
		c.tx = tx
		if st, err = s.state(ctx, tx, key); err == nil {
			q, err = c.read(ctx, &st, cycle, cycle)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	c.tx = nil
	r, err := c.replayed(ctx, &st, q, nil)
	if err != nil {
		return nil, err
	}
	s.cache.put(key, r.tree, st.Erasures)
	return r.tree, nil
}

// reading is what was read of a snapshot in one transaction: what a tree is made of
// afterwards, when pages of a directory can be read on any connection.
type reading struct {
	cycle     int64
	root      *rootPage // nil without a directory
	rows      []row     // the last of each node since the directory or, without one, of those that are alive
	drafts    []row     // born after the cycle
	published logPosition
}

// read reads what the snapshot of a cycle is made of, and the rows born after that
// cycle, which come with their content.
func (c *scanner) read(ctx context.Context, st *state, cycle, upTo int64) (*reading, error) {
	q := &reading{cycle: cycle}
	var err error
	if q.published, err = c.store.publication(ctx, c.tx, c.line.at(cycle), cycle, st.Revision); err != nil {
		return nil, err
	}
	if q.root, err = c.rootPage(ctx, cycle); err != nil {
		return nil, err
	}
	if q.root == nil {
		q.rows, q.drafts, err = c.live(ctx, cycle, upTo)
		return q, err
	}
	rows, err := c.rows(ctx, cycle, q.root.cycle, upTo)
	n := sort.Search(len(rows), func(i int) bool { return rows[i].Birth > cycle })
	q.rows, q.drafts = lastOfEach(rows[:n]), rows[n:]
	return q, err
}

// lastOfEach returns the last row of each node, in the order of rows.
func lastOfEach(rows []row) (list []row) {
	var seen nidSet
	for _, r := range slices.Backward(rows) {
		if seen.add(r.NID) {
			list = append(list, r)
		}
	}
	slices.Reverse(list)
	return list
}

// replayed makes the tree of what was read, and compares it with the digest in the
// log. Where stored is not nil, it takes down where the nodes are that it brings in.
func (c *scanner) replayed(ctx context.Context, st *state, q *reading, at map[string]stored) (*replay, error) {
	r := &replay{scanner: c, ids: make(map[int64]string, len(q.rows)), stored: at}
	if q.root == nil {
		if err := r.build(q.cycle, q.rows, nil, nil); err != nil {
			return nil, err
		}
	} else {
		var err error
		if r, err = c.openAt(ctx, st, q.root, at); err != nil {
			return nil, err
		}
		if q.cycle > q.root.cycle {
			if err := r.step(q.cycle, q.rows); err != nil {
				return nil, err
			}
		}
	}
	if d := digestDamage(r.tree, q.published.digest); d != nil {
		return nil, d.Err()
	}
	return r, nil
}

// at builds the tree of a cycle from rows alone.
func (c *scanner) at(ctx context.Context, cycle int64) (*replay, error) {
	live, _, err := c.live(ctx, cycle, cycle)
	if err != nil {
		return nil, c.store.fail(ctx, err, "reading a snapshot")
	}
	r := &replay{scanner: c, ids: make(map[int64]string, len(live))}
	return r, r.build(cycle, live, nil, nil)
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
			list, err := h.more(ctx)
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
	began    *state  // the context when the reader began, nil before
}

// batch is what was read of a few snapshots in one transaction.
type batch struct {
	upTo     int64
	recorded map[int64][]byte // digests in the log, by cycle
	first    *reading         // of the first snapshot of all, else nil
	rows     []row
}

// more returns the next few snapshots.
func (h *history) more(ctx context.Context) (list []*tree.Tree, err error) {
	defer tree.Recover(&err)
	var b *batch
	var st state
	err = h.scanner.store.inReadTx(ctx, "reading a history", func(tx *sql.Tx) error {
		h.scanner.tx = tx
		b, st, err = h.read(ctx)
		return err
	})
	h.scanner.tx = nil
	if err != nil || b == nil {
		return nil, err
	}
	if h.began == nil {
		h.began = &st
	}
	return h.trees(ctx, b)
}

// read reads what the next few snapshots are made of, nil where there are none.
func (h *history) read(ctx context.Context) (*batch, state, error) {
	c := h.scanner
	st, err := c.store.state(ctx, c.tx, h.key)
	if err != nil {
		return nil, st, err
	}
	revision := st.Revision
	if h.began == nil {
		for _, cycle := range [...]int64{h.next, h.to} {
			if cycle < st.First || cycle > st.Cycle {
				return nil, st, store.NoSnapshot(cycle)
			}
		}
		if h.next > h.to {
			return nil, st, nil
		}
	} else if revision = h.began.Revision; st.Erasures != h.began.Erasures {
		return nil, st, erasedMeanwhile()
	}
	b := &batch{upTo: min(h.to, h.next+cyclesAtOnce-1)}
	if b.recorded, err = c.digests(ctx, h.next, b.upTo, revision); err != nil {
		return nil, st, err
	}
	after := h.next - 1
	if h.replay == nil {
		if b.first, err = c.read(ctx, &st, h.next, h.next); err != nil {
			return nil, st, err
		}
		after = h.next
	}
	b.rows, err = c.rows(ctx, h.to, after, b.upTo)
	return b, st, err
}

// trees makes the trees of a batch and compares each with the digest in the log.
func (h *history) trees(ctx context.Context, b *batch) ([]*tree.Tree, error) {
	list := make([]*tree.Tree, 0, b.upTo-h.next+1)
	if b.first != nil {
		r, err := h.scanner.replayed(ctx, h.began, b.first, nil)
		if err != nil {
			return nil, err
		}
		h.replay, list = r, append(list, r.tree)
		h.next++
	}
	rows := b.rows
	for ; h.next <= b.upTo; h.next++ {
		n := 0
		for n < len(rows) && rows[n].Birth == h.next {
			n++
		}
		if err := h.replay.step(h.next, rows[:n]); err != nil {
			return nil, err
		}
		t := h.replay.tree
		if d := digestDamage(t, b.recorded[h.next]); d != nil {
			return nil, nameSuspects(d, t, rows[:n])
		}
		list, rows = append(list, t), rows[n:]
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
