package pact

import (
	"context"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/query"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// Explanation says how a selector is evaluated and what that cost.
type Explanation struct {
	query.Explanation
	Snapshots int `json:"snapshots"` // that were asked
	Nodes     int `json:"nodes"`     // in all of them
	Visited   int `json:"visited"`   // looked at
	Skipped   int `json:"skipped"`   // ruled out by ids, ranks and summaries without a look
	Returned  int `json:"returned"`  // what is left after controls and windows; of a range that gives changes, in all its snapshots
}

// Explain evaluates a selector where it looks, as Select does, and says how. The
// nodes that the selector of Where looks at are not counted.
func (c *Context) Explain(ctx context.Context, q *selector.Selector, opts ...SelectOption) (*Explanation, error) {
	trees, _, err := c.addressed(ctx, c.state.Load(), q)
	if err != nil {
		return nil, err
	}
	return explain(ctx, q, trees, opts)
}

// Explain is Context.Explain for one snapshot.
func (s *Snapshot) Explain(ctx context.Context, q *selector.Selector, opts ...SelectOption) (*Explanation, error) {
	return explain(ctx, q, []*tree.Tree{s.tree}, opts)
}

func explain(ctx context.Context, q *selector.Selector, trees []*tree.Tree, opts []SelectOption) (*Explanation, error) {
	s, err := newSelection(q, opts)
	if err != nil {
		return nil, err
	}
	x := &Explanation{Explanation: s.plan.Explain(), Snapshots: len(trees)}
	s.ran = func(t *tree.Tree, r query.Result) {
		x.Nodes, x.Visited, x.Skipped = x.Nodes+t.Len(), x.Visited+r.Visited, x.Skipped+r.Skipped
	}
	asked := [][]*tree.Tree{trees}
	if q.Time != nil && q.Time.Kind == selector.Range {
		if s.mode, err = s.idsOfRange(q); err != nil { // it gives changes
			if s.where != nil || s.skip != 0 || s.limit >= 0 {
				return nil, fault.New(fault.SelectorInvalid, "a range of snapshots that gives changes has no windows", "leave them out, or write @mode=union or @mode=latest behind the selector")
			}
			asked = slices.Collect(slices.Chunk(trees, 1))
		}
	}
	for _, some := range asked {
		list, err := s.windowed(ctx, some)
		if err != nil {
			return nil, err
		}
		x.Returned += len(list)
	}
	return x, nil
}
