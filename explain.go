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
// nodes that the selector of Where looks at are not counted. It fails as Select
// does, but for a range that gives changes: that one is evaluated in each of its
// snapshots, and has no windows.
func (c *Context) Explain(ctx context.Context, text string, o *SelectOptions) (*Explanation, error) {
	state := c.state.Load()
	s, err := newSelection(text, selector.Edition(state.Edition), orZero(o))
	if err != nil {
		return nil, err
	}
	trees, _, err := c.addressed(ctx, state, s.asked)
	if err != nil {
		return nil, err
	}
	return s.explain(ctx, trees)
}

// Explain is Context.Explain for one snapshot, and a selector without an address.
func (s *Snapshot) Explain(ctx context.Context, text string, o *SelectOptions) (*Explanation, error) {
	sel, err := s.selection(text, o)
	if err != nil {
		return nil, err
	}
	return sel.explain(ctx, []*tree.Tree{s.tree})
}

func (s *selection) explain(ctx context.Context, trees []*tree.Tree) (*Explanation, error) {
	x := &Explanation{Explanation: s.plan.Explain(), Snapshots: len(trees)}
	s.ran = func(t *tree.Tree, r query.Result) {
		x.Nodes, x.Visited, x.Skipped = x.Nodes+t.Len(), x.Visited+r.Visited, x.Skipped+r.Skipped
	}
	asked := [][]*tree.Tree{trees}
	if s.ranged() {
		var err error
		if s.mode, err = s.idsOfRange(); err != nil { // it gives changes
			if s.Where != "" || s.Skip != 0 || s.Limit > 0 {
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
