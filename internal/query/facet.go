package query

import (
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
)

// callFacet derives a facet of a call or a size from a node (docs/language/reference.md).
func (r *run) callFacet(f field, e *tree.Entry) value {
	n := e.Node()
	switch f {
	case fieldTool:
		name, err := toolcall.Name(r.ctx, r.tree, n)
		r.fail(err)
		if name != "" {
			return value{kind: word, s: name}
		}
	case fieldFailed:
		failed, err := toolcall.Failed(r.tree, n)
		r.fail(err)
		if failed {
			return jsonValue(canon.True)
		}
	case fieldBytes:
		if size := n.Content.Size(); size > 0 {
			return value{kind: integer, n: int64(size)}
		}
	case fieldTokens:
		if n.Content.Size() > 0 {
			count, err := tree.Tokens(r.plan.counter).Own(r.ctx, e)
			r.fail(err)
			return value{kind: integer, n: count}
		}
	}
	return value{}
}

// Counting returns the plan with a counter for the facet tokens.
func (p *Plan) Counting(c tree.Counter) *Plan {
	counting := *p
	counting.counter = c
	return &counting
}

// checkCounter refuses to run a plan that counts tokens without a counter.
func (p *Plan) checkCounter() error {
	if p.counter != nil || !p.uses(fieldTokens) {
		return nil
	}
	return fault.At(fault.SelectorInvalid, fault.NoOffset, "tokens",
		"nothing counts the tokens that the selector asks for", "open the context with a Counter, or give one in the options")
}

// uses reports whether a filter of the plan reads a field that has any shape.
func (p *Plan) uses(f field) bool {
	for i := range p.groups {
		for n := range p.groups[i].steps {
			if usesField(p.groups[i].steps[n].predicates, f) {
				return true
			}
		}
	}
	return usesField(p.keySetFilter.predicates, f)
}

func usesField(tests []predicate, f field) bool {
	return slices.ContainsFunc(tests, func(t predicate) bool {
		return t.op == opValue && t.value.field == f ||
			slices.ContainsFunc(t.alternatives, func(all []predicate) bool { return usesField(all, f) })
	})
}
