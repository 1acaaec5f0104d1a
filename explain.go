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
	Returned  int `json:"returned"`  // what is left after the controls; of a range that gives changes, in all its snapshots
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
	s := &selection{plan: plan, all: q.Time != nil && q.Time.Kind == selector.All}
	changes := q.Time != nil && q.Time.Kind == selector.Range
	if c, ok := q.Control(selector.ControlMode); ok && c.Word != "reduce" {
		s.mode, changes = c.Word, false
	}
	s.ran = func(t *tree.Tree, r query.Result) {
		x.Nodes, x.Visited, x.Skipped = x.Nodes+t.Len(), x.Visited+r.Visited, x.Skipped+r.Skipped
	}
	if !changes {
		list, err := s.find(ctx, trees)
		x.Returned = len(list)
		return x, err
	}
	for _, t := range trees {
		list, err := s.find(ctx, []*tree.Tree{t})
		if err != nil {
			return nil, err
		}
		x.Returned += len(list)
	}
	return x, nil
}
