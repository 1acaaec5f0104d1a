package pact

import (
	"context"

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
	Found     int `json:"found"`     // before any control that leaves nodes out
}

// Explain evaluates a selector where it looks, as Select does, and says how.
func (c *Context) Explain(ctx context.Context, q *selector.Selector) (*Explanation, error) {
	trees, _, err := c.addressed(ctx, c.state.Load(), q)
	if err != nil {
		return nil, err
	}
	return explain(ctx, q, trees)
}

// Explain is Context.Explain for one snapshot.
func (s *Snapshot) Explain(ctx context.Context, q *selector.Selector) (*Explanation, error) {
	return explain(ctx, q, []*tree.Tree{s.tree})
}

func explain(ctx context.Context, q *selector.Selector, trees []*tree.Tree) (*Explanation, error) {
	plan, err := query.Compile(q)
	if err != nil {
		return nil, err
	}
	x := &Explanation{Explanation: plan.Explain(), Snapshots: len(trees)}
	for _, t := range trees {
		r, err := plan.Run(ctx, t)
		if err != nil {
			return nil, err
		}
		x.Nodes, x.Visited, x.Skipped, x.Found = x.Nodes+t.Len(), x.Visited+r.Visited, x.Skipped+r.Skipped, x.Found+len(r.Nodes)
	}
	return x, nil
}
