package pact

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/tree"
)

// PrunePlan is what a commit would prune, and what that would cost.
type PrunePlan struct {
	Cycle  int64         `json:"cycle"` // of the commit
	Report *Report       `json:"report"`
	Before Weight        `json:"before"` // as the snapshot would be without pruning
	After  Weight        `json:"after"`
	Cached *CachedPrefix `json:"cached,omitempty"` // none before the first snapshot
}

// Weight is how much a snapshot has of what can be limited.
type Weight struct {
	Nodes  int   `json:"nodes"` // blocks and containers
	Turns  int   `json:"turns"`
	Blocks int   `json:"blocks"`
	Bytes  int64 `json:"bytes"`            // of the canonical thread
	Tokens int64 `json:"tokens,omitempty"` // where the context has a counter
}

// CachedPrefix says how much of the thread that was committed last stands at the
// beginning of the next one, which is what a provider's prompt cache can use.
type CachedPrefix struct {
	Without int64                 `json:"without_bytes"` // pruning
	With    int64                 `json:"with_bytes"`
	Lost    int64                 `json:"lost_bytes"`
	First   *inspect.SharedPrefix `json:"prefix"` // of the last thread and the one after pruning
}

// Plan says what a commit with these options would prune, what that would free
// and how much of the cached prefix it would cost. Nothing is changed, and the
// clock is not read. It looks at the working state, whether a candidate is
// prepared or not. Cost: that of preparing the commit twice.
func (c *Context) Plan(ctx context.Context, opts ...CallOption) (*PrunePlan, error) {
	k, s := c.call(opts), c.state.Load()
	retained := c.retained()
	in, err := c.input(ctx, s, s.Working, s.Stamps, retained, k)
	if err != nil {
		return nil, err
	}
	in.Env.Clock = func() int64 { return math.MinInt64 } // every stamp is the last one plus 1
	after, _, report, err := lifecycle.Commit(ctx, in)
	if err != nil {
		return nil, err
	}
	report.Retained = slices.Sorted(maps.Keys(retained))
	in.Policy, in.Prune, in.Chosen = Policy{Orphans: KeepOrphans}, nil, nil
	before, _, _, err := lifecycle.Commit(ctx, in)
	if err != nil {
		return nil, err
	}
	plan := &PrunePlan{Cycle: s.Stamps.Cycle, Report: &report}
	if plan.Before, err = c.weight(ctx, before); err != nil {
		return nil, err
	}
	if plan.After, err = c.weight(ctx, after); err != nil || s.State.Cycle < s.First {
		return plan, err
	}
	plan.Cached, err = cachedPrefix(ctx, s.Head, before, after)
	return plan, err
}

func (c *Context) weight(ctx context.Context, t *tree.Tree) (w Weight, err error) {
	sum := t.Root().Summary()
	w = Weight{Nodes: sum.Blocks + sum.Containers, Turns: t.Region(tree.Seq).Children().Len()}
	w.Blocks, w.Bytes = t.ThreadSize()
	if c.counter != nil {
		w.Tokens, err = tree.Tokens(c.counter).Sum(ctx, t.Root())
	}
	return w, err
}

func cachedPrefix(ctx context.Context, last, without, with *tree.Tree) (*CachedPrefix, error) {
	before, err := provenance.SharedPrefix(ctx, last, without)
	if err != nil {
		return nil, err
	}
	after, err := provenance.SharedPrefix(ctx, last, with)
	if err != nil {
		return nil, err
	}
	lost := max(0, before.Bytes-after.Bytes) // where all that is new is pruned the last bracket is shared too
	return &CachedPrefix{before.Bytes, after.Bytes, lost, after}, nil
}
