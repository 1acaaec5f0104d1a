package record

import (
	"context"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/tree"
)

// CompareAcross reports what the request of a call of one context repeats of that of a call of another, as [Prefixes]
// does for neighbours of one context: the first call of a sub-agent or a fork against one of its parent's. Where no
// attempt of the newer call was recorded it compares the threads. Shared is nil where they cannot be compared: one was
// erased, they went to two APIs, or only one was rebuilt from a log. E_SNAPSHOT_NOT_FOUND and the errors of reading.
// Cost: that of the two requests.
func CompareAcross(ctx context.Context, older *pact.Context, a int64, newer *pact.Context, b int64) (inspect.CallPrefix, error) {
	w := newFollower()
	w.begin(ctx, older)
	rebuilt := w.rebuilt
	if _, err := w.reportOne(a); err != nil {
		return inspect.CallPrefix{}, err
	}
	sent, grown := w.before, w.grown
	w = newFollower()
	if w.begin(ctx, newer); w.rebuilt == rebuilt {
		w.before, w.grown = sent, grown
	}
	p, err := w.reportOne(b)
	if err != nil || p.Attempt != "" {
		return p, err
	}
	was, err := older.At(ctx, pact.Cycle(a))
	if err != nil {
		return p, err
	}
	is, err := newer.At(ctx, pact.Cycle(b))
	if err != nil {
		return p, err
	}
	before, now := rebuiltCall{thread: tree.Of(was)}, rebuiltCall{thread: tree.Of(is)}
	common, err := tree.CommonBlocks(ctx, before.thread, now.thread)
	if err != nil {
		return p, err
	}
	return p, w.compareGrown(&p, &before, &now, common, false)
}

// reportOne reports on the call of a cycle.
func (w *follower) reportOne(cycle int64) (only inspect.CallPrefix, err error) {
	attempts, err := w.c.Attempts(w.ctx, cycle, cycle)
	if err != nil {
		return only, err
	}
	only.Cycle = cycle
	_, last := w.c.Cycles()
	err = w.walk(attempts, last, func(p inspect.CallPrefix) bool {
		only = p
		return false
	})
	return only, err
}
