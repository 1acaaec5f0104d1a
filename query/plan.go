// Package query gives a selector its meaning over one tree: it compiles the
// selector into a plan and runs it through the tree's summaries, ranks and id
// index (chapter 04). It knows nothing of history; the root package resolves
// addresses such as @t-1 and runs the plan on each snapshot.
package query

import (
	"math"
	"slices"

	"github.com/contexttree/pact/internal/fault"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// Plan is a compiled selector. It is immutable and safe for concurrent use.
type Plan struct {
	traits selector.Traits
	groups []group
	family []test // of a same-key set: what chooses from the whole of it; see family.go
	keySet bool
}

// group is one chain of steps. A node is selected when it matches the last
// step and its ancestors match the others.
type group struct {
	steps   []step
	regions uint64 // steps that only a region can match
	cores   uint64 // steps that name the class of containers
	parts   uint64 // steps that stand for a part of a turn
	picks   uint64 // steps that choose among siblings
}

// step is one compound selector.
type step struct {
	child bool       // joined by ">"
	tests []test     // in written order
	picks bool       // whether :first, :last or :nth is among them
	zone  zone       // of a step that is :pre, :core or :post alone
	from  tree.Marks // what must occur at and below the node that matches this step
	// The nearest id at this step or after it, which every match has to pass
	// through, and the depths that all of them share.
	pin    string
	depths []selector.DepthSet
}

// zone is an interval of offsets.
type zone struct{ lo, hi int64 }

var zones = map[selector.Zone]zone{
	selector.Pre:  {math.MinInt64, -1},
	selector.Core: {0, 0},
	selector.Post: {1, math.MaxInt64},
}

// Compile prepares a selector. Whatever address it carries is the caller's to
// resolve. It refuses constructs that this release parses and does not yet
// evaluate.
func Compile(s *selector.Selector) (*Plan, error) {
	p := &Plan{traits: s.Edition.Traits()}
	if len(s.Controls) > 0 {
		return nil, unsupported("controls")
	}
	for _, g := range s.Groups {
		g, err := p.familyOf(s, g)
		if err != nil {
			return nil, err
		}
		compiled, err := p.group(g)
		if err != nil {
			return nil, err
		}
		p.groups = append(p.groups, compiled)
	}
	return p, nil
}

func unsupported(what string) error {
	return fault.New(fault.SelectorInvalid, what+" are parsed but not evaluated by this release", "write the query as a chain of steps")
}

func (p *Plan) group(g selector.Group) (group, error) {
	var out group
	for i, s := range g.Steps {
		c := step{child: s.Comb == selector.Child}
		bit := uint64(1) << i
		if o, alone := s.Parts[0].(selector.Offset); alone && len(s.Parts) == 1 {
			c.zone = zones[o.Zone]
			out.parts |= bit
			out.steps = append(out.steps, c)
			continue
		}
		byDepth := slices.ContainsFunc(s.Parts, func(part selector.Part) bool {
			_, is := part.(selector.DepthIs)
			return is
		})
		for _, part := range s.Parts {
			t, err := p.test(part, byDepth)
			if err != nil {
				return group{}, err
			}
			c.tests = append(c.tests, t)
			if t.pick != nil {
				c.picks = true
				out.picks |= bit
			}
			if t.region {
				out.regions |= bit
			}
			if t.core {
				out.cores |= bit
			}
			if t.id != "" {
				c.pin = t.id
			}
			if t.depths != nil {
				c.depths = append(c.depths, *t.depths)
			}
			c.from = union(c.from, t.marks)
		}
		if out.cores&bit != 0 {
			c.from.Types = 0 // an elided core leaves no mark
		}
		out.steps = append(out.steps, c)
	}
	if out.parts>>(len(out.steps)-1) != 0 { // a part at the end means everything in it
		out.steps = append(out.steps, step{tests: []test{{}}})
	}
	if len(out.steps) > selector.MaxSteps {
		return group{}, fault.New(fault.Limit, "a part of a turn cannot be the last of so many steps", "leave out a step")
	}
	for i := len(out.steps) - 2; i >= 0; i-- {
		s, after := &out.steps[i], &out.steps[i+1]
		s.from = union(s.from, after.from)
		s.depths = append(slices.Clip(s.depths), after.depths...)
		if s.pin == "" {
			s.pin = after.pin
		}
	}
	return out, nil
}

func union(a, b tree.Marks) tree.Marks {
	return tree.Marks{Roles: a.Roles | b.Roles, Kinds: a.Kinds | b.Kinds, Types: a.Types | b.Types, Keys: a.Keys | b.Keys}
}
