package query

import (
	"context"

	"github.com/contexttree/pact/internal/tree"
)

// divide compiles the groups of a list one by one, because edition 1.0 puts what a fragment finds
// behind what those before it found (1.0 04 §5.1).
func (p *Plan) divide() error {
	for i := range p.source.Groups {
		one := *p.source
		one.Groups = p.source.Groups[i : i+1]
		f, err := Compile(&one)
		if err != nil {
			return err
		}
		p.fragments = append(p.fragments, f)
	}
	return nil
}

// union runs the fragments from left to right and keeps the first place of each node. Cost: that
// of each fragment by itself.
//
// Specification: 1.0 04 §3.6, 1.0 04 §5.1.
func (p *Plan) union(ctx context.Context, t *tree.Tree, only map[*tree.Entry][]span) (Result, error) {
	var all Result
	seen := make(map[*tree.Entry]bool)
	counting := *p.source // the groups that count
	counting.Groups = nil
	found := 0 // by the positions before ??
	for i, f := range p.fragments {
		g := p.source.Groups[i]
		if !g.Else {
			found = 0
		} else if found > 0 {
			continue
		}
		g.Else = false
		counting.Groups = append(counting.Groups, g)
		one := *f
		one.counter, one.counted, one.order = p.counter, p.counted, ""
		r, err := one.run(ctx, t, only)
		if err != nil {
			return Result{}, err
		}
		found += len(r.Nodes)
		all.Visited += r.Visited
		all.elidedCores = append(all.elidedCores, r.elidedCores...)
		for _, e := range r.Nodes {
			if !seen[e] {
				seen[e] = true
				all.Nodes = append(all.Nodes, e)
			}
		}
	}
	if p.order != "" { // asks for another order than that of the list
		merged := &Plan{source: &counting, traits: p.traits, order: p.order, newestFirst: p.newestFirst, counter: p.counter,
			counted: p.counted}
		if err := merged.compileGroups(); err != nil {
			return Result{}, err
		}
		r, err := merged.run(ctx, t, only)
		r.Visited += all.Visited
		r.Skipped = max(0, t.Len()-r.Visited)
		return r, err
	}
	all.Skipped = max(0, t.Len()-all.Visited)
	return all, nil
}

// depends reports whether a group counts only if others find nothing.
func (p *Plan) depends() bool {
	for _, g := range p.source.Groups {
		if g.Else {
			return true
		}
	}
	return false
}
