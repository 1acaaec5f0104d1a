package record

import (
	"context"
	"iter"

	pact "github.com/contexttree/pact"
)

// snapshotReader reads the snapshots that a walk through calls comes to. Where each follows the one
// read before, a history of the context costs less than reading them one by one.
type snapshotReader struct {
	last    *pact.Snapshot // the one read before; the next call begins with it
	steps   int            // how many were read in a row, each the next cycle
	forward func() (*pact.Snapshot, error, bool)
	stop    func() // ends forward; nil if it has not begun
}

// stepsToHistory is how many snapshots in a row are read one by one: a history reads dozens
// at once, too many for the two that an isolated call needs.
const stepsToHistory = 2

func (r *snapshotReader) read(ctx context.Context, c *pact.Context, cycle int64) (*pact.Snapshot, error) {
	if r.last != nil && r.last.Cycle() == cycle {
		return r.last, nil
	}
	if r.last == nil || r.last.Cycle()+1 != cycle {
		r.end()
	}
	var s *pact.Snapshot
	var err error
	read := false
	if r.steps++; r.steps > stepsToHistory {
		if r.stop == nil {
			r.forward, r.stop = iter.Pull2(c.History(ctx, pact.Cycle(cycle), "latest"))
		}
		s, err, read = r.forward()
	}
	if !read {
		s, err = c.At(ctx, pact.Cycle(cycle))
	}
	r.last = s
	return s, err
}

// end lets go of the history. The snapshot that was read last stays.
func (r *snapshotReader) end() {
	if r.stop != nil {
		r.stop()
	}
	r.steps, r.forward, r.stop = 0, nil, nil
}
