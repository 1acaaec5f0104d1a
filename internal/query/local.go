package query

import (
	"context"
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// Local reports whether a node and its ancestors alone decide whether the plan
// selects the node: its siblings, depth and age and the rest of the result play
// no part. From one snapshot to another, only nodes that differ, and nodes below
// those, can enter or leave the result of a local plan.
func (p *Plan) Local() bool {
	// tool and failed: another node decides, the call of a result, the result of a call
	return p.OneByOne() && !p.depends() && !p.asks(fieldAge, fieldDepth, fieldTool, fieldFailed)
}

// OneByOne reports whether the plan selects each node by itself: it chooses none among
// siblings, by a key family or by a control.
func (p *Plan) OneByOne() bool {
	if p.keySet || p.depends() || slices.ContainsFunc(p.fragments, func(f *Plan) bool { return f.keySet }) {
		return false
	}
	for _, c := range p.source.Controls {
		if c.Kind >= selector.ControlUnique {
			return false
		}
	}
	return !slices.ContainsFunc(p.groups, func(g group) bool { return g.pickSteps != 0 })
}

// Steady reports whether the answer of the plan about a node stays the same while the node, its
// ancestors and its calls are there, although time passes and nodes are added.
func (p *Plan) Steady() bool {
	return p.OneByOne() && !p.asks(fieldAge, fieldDepth, fieldTTL, fieldFailed)
}

// asks reports whether a filter of the plan reads one of some fields.
func (p *Plan) asks(some ...field) bool {
	for i := range p.groups {
		for n := range p.groups[i].steps {
			if asks(p.groups[i].steps[n].predicates, some) {
				return true
			}
		}
	}
	return false
}

func asks(tests []predicate, some []field) bool {
	return slices.ContainsFunc(tests, func(t predicate) bool {
		f := t.field
		if t.op == opValue {
			f = t.value.field
		}
		return (t.op == opInterval || t.op == opValue) && slices.Contains(some, f) ||
			slices.ContainsFunc(t.alternatives, func(all []predicate) bool { return asks(all, some) })
	})
}

// RunBelow is [Plan.Run] over the nodes with the given ids and everything below
// them. The plan must be [Plan.Local]. RunBelow ignores ids that the tree does
// not have. Its errors are those of [Plan.Run]. Cost: the paths to the nodes, and
// the nodes below them.
func (p *Plan) RunBelow(ctx context.Context, t *tree.Tree, ids []string) (Result, error) {
	paths := make([][]*tree.Entry, 0, len(ids))
	whole := make(map[*tree.Entry]bool)
	for _, id := range ids {
		if path, err := t.Path(id); err != nil {
			return Result{}, err
		} else if path != nil {
			paths = append(paths, path)
			whole[path[len(path)-1]] = true
		}
	}
	only := make(map[*tree.Entry][]span)
	for _, path := range paths {
		for i, e := range path[:len(path)-1] {
			if whole[e] {
				break // the walk visits everything below it
			}
			rank, err := e.Children().Rank(path[i+1])
			if err != nil {
				return Result{}, err
			}
			only[e] = append(only[e], span{rank, rank + 1})
		}
	}
	if len(paths) == 0 {
		return Result{}, ctx.Err()
	}
	for e, spans := range only {
		only[e] = merged(spans)
	}
	r, err := p.run(ctx, t, only)
	r.Nodes = slices.DeleteFunc(r.Nodes, func(e *tree.Entry) bool { return only[e] != nil }) // ancestors of the nodes
	return r, err
}
