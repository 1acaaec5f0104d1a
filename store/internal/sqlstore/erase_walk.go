package sqlstore

import (
	"github.com/contexttree/pact/tree"
)

// walk calls f with the trees of all branches that need it, from the first tree of each to its
// working state. It leaves out the trees of the first branch before the cycle from; every fork
// that needs the walk begins later. It walks a fork when its origin is at the cycle at which
// the fork begins. Cost: the rows of the family, each once.
func (x *erasure) walk(from int64, f func(b *branch, t *tree.Tree, working bool) error) error {
	first := x.family[0]
	if !first.needsWalk {
		return nil
	}
	var at int64
	err := x.store.read.QueryRowContext(x.ctx, x.store.bound(`SELECT latest FROM log WHERE branch = ? AND revision = 1`),
		int64(first.Key)).Scan(&at)
	if err != nil {
		return x.store.fail(x.ctx, err, "reading the log")
	}
	if from > at {
		x.progress(int(from - at))
		at = from
	}
	c := &scanner{store: x.store, line: first.ownSegment(), known: make(map[string][]tree.Header)}
	r, err := c.at(x.ctx, at)
	if err != nil {
		return err
	}
	r.journaling = true
	return x.walkBranch(r, first, at, f)
}

// ownSegment returns the segment that a branch writes to, as a lineage.
func (b *branch) ownSegment() lineage {
	after := int64(beforeAll)
	if b.Origin.Key != 0 {
		after = b.Origin.Cycle
	}
	return lineage{{int64(b.Key), after, afterAll, b.Origin.Revision, afterAll}}
}

// cyclesPerRead is how many cycles of rows a walk reads at once.
const cyclesPerRead = 256

// walkBranch walks a branch on from the cycle at, which the replay has reached.
func (x *erasure) walkBranch(r *replay, b *branch, at int64, f func(b *branch, t *tree.Tree,
	working bool) error) error {
	forks := b.forks
	visit := func() error {
		if err := f(b, r.tree, false); err != nil {
			return err
		}
		for ; len(forks) > 0 && forks[0].Origin.Cycle <= at; forks = forks[1:] {
			if !forks[0].needsWalk {
				continue
			}
			here := r.checkpoint()
			if err := x.walkBranch(r, forks[0], at, f); err != nil {
				return err
			}
			r.rollBack(here)
		}
		return nil
	}
	if err := visit(); err != nil {
		return err
	}
	read := func(held, after, upTo int64) ([]row, error) {
		r.scanner.line = b.ownSegment() // a fork changed it
		rows, err := r.rows(x.ctx, held, after, upTo)
		return rows, x.store.fail(x.ctx, err, "reading a history")
	}
	for at < b.Cycle {
		to := min(b.Cycle, at+cyclesPerRead)
		rows, err := read(to, at, to)
		if err != nil {
			return err
		}
		for at < to {
			at++
			n := 0
			for n < len(rows) && rows[n].Birth == at {
				n++
			}
			if err := r.step(at, rows[:n]); err != nil {
				return err
			}
			rows = rows[n:]
			if err := visit(); err != nil {
				return err
			}
		}
	}
	if b.deleted {
		return nil
	}
	rows, err := read(b.Cycle, b.Cycle, b.Cycle+1)
	if err != nil {
		return err
	}
	if err := r.step(b.Stamps.Cycle, rows); err != nil {
		return err
	}
	return f(b, r.tree, true)
}
