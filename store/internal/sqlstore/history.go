package sqlstore

import (
	"context"
	"database/sql"
	"iter"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

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
		c, err := s.scanner(ctx, key) // opened outside the transactions, each of which holds a connection
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
				list[i] = nil // the reader owns it now
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
	began    *state  // the context when the reader began, nil before that
}

// batch is what one transaction read for a few snapshots.
type batch struct {
	upTo     int64
	recorded map[int64][]byte // digests in the log, by cycle
	first    *reading         // of the very first snapshot, nil in later batches
	rows     []row
}

// more returns the next few snapshots.
func (h *history) more(ctx context.Context) (list []*tree.Tree, err error) {
	if h.replay != nil {
		return h.batch(ctx)
	}
	next := h.next
	h.scanner.resumes = true
	if list, err = h.batch(ctx); damageOf(err) != nil { // the damage may be that of a directory
		h.next, h.replay, h.scanner.plain, h.scanner.resumes = next, nil, true, false
		list, err = h.batch(ctx)
	}
	return list, err
}

func (h *history) batch(ctx context.Context) (list []*tree.Tree, err error) {
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

// read reads the rows of the next few snapshots, nil if there are none left.
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
