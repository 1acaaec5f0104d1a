package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"sort"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// Load implements store.Store. It reads the contents of drafts at once, because they can still
// change; a tree loads other contents when asked for them. Cost: a directory and the rows
// since; without a directory, the rows of the context. While somebody in this process holds an
// earlier snapshot that was read from the same directory: the rows since that.
func (s *Store) Load(ctx context.Context, key store.Key) (state *store.State, err error) {
	err = again(func(plain bool) error {
		state, err = s.load(ctx, key, plain)
		return err
	})
	return state, err
}

// again calls f, and once more if an erasure changed the context meanwhile, because what f had
// read then belongs to no snapshot. If f met damage, again calls it with plain set, so that it
// reads rows alone: these do without a damaged directory, and show their own damage themselves.
func again(f func(plain bool) error) error {
	err := f(false)
	if errors.Is(err, fault.Conflict) {
		err = f(false)
	}
	if damageOf(err) != nil {
		err = f(true)
	}
	return err
}

// load reads a context. It compares the trees with the digests in the log, and the
// last row of the log with the chain.
func (s *Store) load(ctx context.Context, key store.Key, plain bool) (_ *store.State, err error) {
	defer tree.Recover(&err)
	c, err := s.scanner(ctx, key)
	if err != nil {
		return nil, err
	}
	c.plain, c.resumes = plain, !plain
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
	s.replays.put(&st, st.Cycle, r)
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

// snapshot is History for one cycle. Cost: that of Load, or none if the snapshot was read
// shortly before.
func (s *Store) snapshot(ctx context.Context, key store.Key, cycle int64) (t *tree.Tree, err error) {
	err = again(func(plain bool) error {
		t, err = s.snapshotOnce(ctx, key, cycle, plain)
		return err
	})
	return t, err
}

func (s *Store) snapshotOnce(ctx context.Context, key store.Key, cycle int64, plain bool) (_ *tree.Tree, err error) {
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
	c.plain, c.resumes = plain, !plain
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
	s.replays.put(&st, cycle, r)
	return r.tree, nil
}

// reading is what one transaction read for a snapshot. The tree is made afterwards, when it can
// read pages of a directory on any connection.
type reading struct {
	cycle     int64
	known     *replay   // of an earlier snapshot that this process has in memory; nil without one
	since     int64     // the cycle of known
	root      *rootPage // nil without a directory
	rows      []row     // the last of each node since known, or the directory; without both, of each live node
	drafts    []row     // born after the cycle
	published logPosition
}

// read reads what the snapshot of a cycle is made of, and the rows born after that cycle, with
// their contents.
func (c *scanner) read(ctx context.Context, st *state, cycle, upTo int64) (*reading, error) {
	q := &reading{cycle: cycle}
	var err error
	if q.published, err = c.store.publication(ctx, c.tx, c.line.at(cycle), cycle, st.Revision); err != nil {
		return nil, err
	}
	if q.root, err = c.rootPage(ctx, cycle); err != nil {
		return nil, err
	}
	if c.resumes {
		q.known, q.since = c.store.replays.upTo(st, cycle, q.root)
	}
	switch {
	case q.known != nil:
	case q.root != nil:
		q.since = q.root.cycle
	default:
		q.rows, q.drafts, err = c.live(ctx, cycle, upTo)
		return q, err
	}
	rows, err := c.rows(ctx, cycle, q.since, upTo)
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

// replayed makes the tree of what was read, and compares it with the digest in the log. If at
// is not nil, it records there where the nodes that it adds are stored; the scanner then must
// not resume.
func (c *scanner) replayed(ctx context.Context, st *state, q *reading, at map[string]stored) (*replay, error) {
	r := &replay{scanner: c, ids: make(map[int64]string, len(q.rows)), stored: at}
	switch {
	case q.known != nil:
		r = q.known
		r.scanner = c
	case q.root != nil:
		var err error
		if r, err = c.openAt(ctx, st, q.root, at); err != nil {
			return nil, err
		}
	default:
		if err := r.build(q.cycle, q.rows, nil, nil); err != nil {
			return nil, err
		}
		q.since = q.cycle
	}
	if q.cycle > q.since {
		if err := r.step(q.cycle, q.rows); err != nil {
			return nil, err
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
