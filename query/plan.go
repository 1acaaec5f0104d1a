// Package query gives a selector its meaning over one tree: it compiles the
// selector into a plan and runs it through the tree's summaries, ranks and id
// index (chapter 04). It knows nothing of history; the root package resolves
// addresses such as @t-1 and runs the plan on each snapshot.
package query

import (
	"fmt"
	"math"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// Plan is a compiled selector. It is immutable and safe for concurrent use.
type Plan struct {
	source *selector.Selector
	traits selector.Traits
	groups []group
	pins   []string        // the ids that steps lead to
	keySet bool            // the selector asks for a same-key set; see family.go
	family choosing        // what chooses from the whole of it
	choice []selector.Part // what that was compiled from
	order  string          // of @order, "" without
	newest bool            // turns come newest first
}

// group is one chain of steps. A node is selected when it matches the last
// step and its ancestors match the others. Sets of steps are bits of a word.
type group struct {
	source  int // the group of the selector that it comes from
	steps   []step
	last    uint64 // the last step alone
	joined  uint64 // steps joined by ">"
	regions uint64 // steps that only a region can match
	cores   uint64 // steps that an elided core may match
	parts   uint64 // steps that stand for a part of a turn
	picks   uint64 // steps that choose among siblings
}

// step is one compound selector.
type step struct {
	from       tree.Marks // what must occur at and below the node that matches this step
	any        bool       // from is empty: the summaries rule nothing out
	prefilters bool       // from may spare a look at a node that has the right class
	classes    uint8      // the classes that pass
	choosing
	part selector.Zone // of a step that is :pre, :core or :post alone
	// What every match has to pass through: the nearest id at this step or
	// after it, as an index into pins, or -1; the depths of all of them.
	pin    int
	depths [][]interval
	only   bool // the id is this step's own and stands before any choice
	named  bool // the step names the class of containers
	own    bool // only what stands at its depth itself passes
	needs  []need
	parts  []selector.Part // what it was compiled from
}

// Compile prepares a selector. Whatever address it carries is the caller's to
// resolve. Errors are E_SELECTOR_INVALID and, for more than [selector.MaxGroups]
// groups or a group of more than [selector.MaxSteps] steps once positions and
// searches are spelled out, E_LIMIT.
func Compile(s *selector.Selector) (*Plan, error) {
	if err := whole(s); err != nil {
		return nil, err
	}
	p := &Plan{source: s, traits: s.Edition.Traits()}
	p.newest = p.traits.NewestFirst
	if c, ok := s.Control(selector.ControlOrder); ok {
		p.order = c.Word
		switch c.Word {
		case "turn:asc,pre":
			p.newest = false
		case "turn:desc,pre":
			p.newest = true
		}
	}
	p.groups = make([]group, 0, len(s.Groups))
	for i, g := range s.Groups {
		chains := expand(g)
		if len(s.Groups) == 1 {
			if err := p.asFamily(chains); err != nil {
				return nil, err
			}
		}
		if n := len(p.groups) + len(chains); n > selector.MaxGroups {
			return nil, fault.New(fault.Limit,
				fmt.Sprintf("the selector has %d groups with the hops of within counted, which is more than %d", n, selector.MaxGroups), "ask in several steps")
		}
		for _, steps := range chains {
			p.groups = append(p.groups, group{source: i})
			if err := p.group(&p.groups[len(p.groups)-1], steps); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// group compiles a chain of plain steps.
func (p *Plan) group(g *group, steps []selector.Step) error {
	if o := steps[len(steps)-1].Parts; isPart(o) { // a part at the end means everything in it
		steps = append(slices.Clip(steps), selector.Step{Comb: selector.Descendant, Parts: []selector.Part{selector.Universal{}}})
	}
	if len(steps) > selector.MaxSteps {
		return fault.New(fault.Limit,
			fmt.Sprintf("a group has %d steps with its hops counted, which is more than %d", len(steps), selector.MaxSteps), "ask in several steps")
	}
	g.steps = make([]step, len(steps))
	g.last = 1 << (len(steps) - 1)
	for i, s := range steps {
		if s.Comb == selector.Child {
			g.joined |= 1 << i
		}
		if err := p.step(g, i, s.Parts); err != nil {
			return err
		}
	}
	for i := len(steps) - 1; i >= 0; i-- {
		g.steps[i].reach(g.steps[i+1:])
	}
	return nil
}

// reach takes over what the steps after this one need.
func (s *step) reach(rest []step) {
	if len(rest) > 0 {
		after := &rest[0]
		s.from = union(s.from, after.from)
		s.needs = append(s.needs, after.needs...)
		s.depths = append(slices.Clip(s.depths), after.depths...)
		if s.pin < 0 {
			s.pin = after.pin
		}
	}
	s.any = s.from == tree.Marks{}
	s.prefilters = s.from.Roles|s.from.Kinds|s.from.Keys != 0
}

// step compiles the parts of step i of a group.
func (p *Plan) step(g *group, i int, parts []selector.Part) error {
	s, bit := &g.steps[i], uint64(1)<<i
	s.parts, s.pin, s.classes = parts, -1, everyClass
	if isPart(parts) {
		s.part = parts[0].(selector.Offset).Zone
		g.parts |= bit
		return nil
	}
	deep := hasDepth(parts)
	for _, part := range parts {
		tests, hint, err := p.test(part, deep)
		if err != nil {
			return err
		}
		if hint.id != "" {
			s.only = s.only || s.pick == nil
			s.pin = len(p.pins)
			p.pins = append(p.pins, hint.id)
		}
		s.add(tests...)
		for i := range tests {
			if tests[i].op == ofClass {
				s.classes &= tests[i].classes
			}
		}
		if hint.region {
			g.regions |= bit
		}
		if hint.core {
			g.cores |= bit
		}
		s.named = s.named || hint.named
		s.own = s.own || hint.own
		if hint.depths != nil {
			s.depths = append(s.depths, hint.depths)
		}
		s.from = union(s.from, hint.marks)
		s.needs = append(s.needs, hint.needs...)
	}
	if s.pick != nil {
		g.picks |= bit
		if !s.named { // hop 0 finds an elided core and does not choose it
			g.cores &^= bit
		}
	}
	if g.cores&bit != 0 {
		s.from.Types, s.classes = 0, everyClass // an elided core leaves no mark
		s.needs = slices.DeleteFunc(s.needs, func(n need) bool { return n.set == "type" })
	}
	return nil
}

// hasDepth reports whether :depth(…) is among the parts of a step.
func hasDepth(parts []selector.Part) bool {
	return slices.ContainsFunc(parts, func(part selector.Part) bool {
		_, is := part.(selector.DepthIs)
		return is
	})
}

// isPart reports whether a step is :pre, :core or :post alone.
func isPart(parts []selector.Part) bool {
	_, is := parts[0].(selector.Offset)
	return is && len(parts) == 1
}

func union(a, b tree.Marks) tree.Marks {
	return tree.Marks{Roles: a.Roles | b.Roles, Kinds: a.Kinds | b.Kinds, Types: a.Types | b.Types, Keys: a.Keys | b.Keys}
}

// interval is a run of whole numbers, both ends included.
type interval struct{ lo, hi int64 }

func (z interval) has(n int64) bool { return z.lo <= n && n <= z.hi }

// zones are the offsets of the parts of a turn, by [selector.Zone].
var zones = [...]interval{
	selector.Pre:  {math.MinInt64, -1},
	selector.Core: {0, 0},
	selector.Post: {1, math.MaxInt64},
}

var everywhere = interval{math.MinInt64, math.MaxInt64}

// zoneOf returns the part that an offset belongs to.
func zoneOf(offset int64) selector.Zone {
	switch {
	case offset < 0:
		return selector.Pre
	case offset > 0:
		return selector.Post
	}
	return selector.Core
}
