package query

import (
	"fmt"
	"math"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// Plan is a compiled selector. It is immutable and safe for concurrent use.
type Plan struct {
	source       *selector.Selector
	traits       selector.Traits
	groups       []group
	fragments    []*Plan         // of each group, where a list keeps its own order; see union
	ids          []string        // the ids that steps test; step.idIndex points here
	keySet       bool            // the selector asks for a same-key set, see key_set.go
	keySetFilter filter          // picks from the whole same-key set
	keySetChoice []selector.Part // the parts that keySetFilter was compiled from
	order        string          // the word of @order, "" if there is none
	newestFirst  bool            // the walk visits the newest turn first
	counter      tree.Counter    // counts for the facet tokens, nil if the caller set none
	counted      bool            // see Counted
}

// Counted returns the plan with a walk that does not depend on which parts of a tree are in memory, so
// that its counts of visited nodes repeat.
func (p *Plan) Counted() *Plan {
	c := *p
	c.counted = true
	return &c
}

// group is one chain of steps. It selects a node that matches the last step and
// whose ancestors match the others. A set of steps is a bit mask.
type group struct {
	source      int // index of the group in the selector that it was compiled from
	steps       []step
	lastStep    uint64 // the last step alone
	childSteps  uint64 // steps joined by ">"
	regionSteps uint64 // steps that only a region can match
	coreSteps   uint64 // steps that an elided core may match
	zoneSteps   uint64 // steps before the last that consist of :pre, :core or :post alone
	pickSteps   uint64 // steps with :first, :last or :nth
}

// step is one compound selector.
type step struct {
	required tree.Marks // marks that a subtree must have for this step to match at its top
	unmarked bool       // required is empty: the summaries rule nothing out
	// prefilters says that required may rule out a leaf that has the right class.
	// Row "all blocks of a role": it saves testing 21,000 of 36,000 nodes.
	prefilters bool
	classes    uint8 // the classes that pass, one bit each
	filter
	zone selector.Zone // of a step that consists of :pre, :core or :post alone
	// Every match of this step must lead to these: the nearest id that this step
	// or a later one tests, as an index into Plan.ids, or -1 for none; and the
	// depths that this step and the later ones test.
	idIndex         int
	depths          [][]interval
	namesContainers bool // the step names the class of containers
	ownDepth        bool // only the turn or region that has the depth passes, nothing inside it
	needs           []need
	parts           []selector.Part // the step was compiled from these
}

// Compile compiles a selector into a plan. The caller resolves the address that
// the selector carries (04 §2). Compile fails with E_SELECTOR_INVALID if a
// program built a selector that no text stands for, or if a regular expression
// does not compile. It fails with E_LIMIT if positions and searches, spelled out
// as steps, make more than [selector.MaxGroups] groups or a group of more than
// [selector.MaxSteps] steps.
func Compile(s *selector.Selector) (*Plan, error) {
	if err := validate(s); err != nil {
		return nil, err
	}
	p := &Plan{source: s, traits: s.Edition.Traits()}
	p.newestFirst = p.traits.NewestFirst
	if c, ok := s.Control(selector.ControlOrder); ok {
		p.order = c.Word
		switch c.Word {
		case "turn:asc,pre":
			p.newestFirst = false
		case "turn:desc,pre":
			p.newestFirst = true
		}
	}
	if p.traits.Fragments && len(s.Groups) > 1 {
		if err := p.divide(); err != nil {
			return nil, err
		}
	}
	if err := p.compileGroups(); err != nil {
		return nil, err
	}
	return p, nil
}

// compileGroups compiles all groups of the selector into one walk.
func (p *Plan) compileGroups() error {
	s := p.source
	p.groups = make([]group, 0, len(s.Groups))
	for i, g := range s.Groups {
		chains := expand(g)
		if len(s.Groups) == 1 {
			if err := p.asKeySet(chains); err != nil {
				return err
			}
		}
		if n := len(p.groups) + len(chains); n > selector.MaxGroups {
			return fault.New(fault.Limit,
				fmt.Sprintf("the selector has %d groups with the hops of within counted, which is more than %d", n,
					selector.MaxGroups), "ask in several steps")
		}
		for _, steps := range chains {
			p.groups = append(p.groups, group{source: i})
			if err := p.group(&p.groups[len(p.groups)-1], steps, g.Scope); err != nil {
				return err
			}
		}
	}
	return nil
}

// group compiles a chain of plain steps, each of which must match at the depths of a scope.
func (p *Plan) group(g *group, steps []selector.Step, scope *selector.DepthSet) error {
	if len(steps) > selector.MaxSteps {
		return fault.New(fault.Limit,
			fmt.Sprintf("a group has %d steps with its hops counted, which is more than %d", len(steps), selector.MaxSteps),
			"ask in several steps")
	}
	g.steps = make([]step, len(steps))
	g.lastStep = 1 << (len(steps) - 1)
	for i, s := range steps {
		if s.Comb == selector.Child {
			g.childSteps |= 1 << i
		}
		if err := p.step(g, i, s.Parts, scope); err != nil {
			return err
		}
	}
	for i := len(steps) - 1; i >= 0; i-- {
		g.steps[i].inherit(g.steps[i+1:])
	}
	return nil
}

// inherit adds to a step what the later steps require.
func (s *step) inherit(rest []step) {
	if len(rest) > 0 {
		after := &rest[0]
		s.required = union(s.required, after.required)
		s.needs = append(s.needs, after.needs...)
		s.depths = append(slices.Clip(s.depths), after.depths...)
		if s.idIndex < 0 {
			s.idIndex = after.idIndex
		}
	}
	s.unmarked = s.required == tree.Marks{}
	s.prefilters = s.required.Roles|s.required.Kinds|s.required.Keys != 0
}

// step compiles the parts of step i of a group. A scope stands before them: :first takes the first in it.
func (p *Plan) step(g *group, i int, parts []selector.Part, scope *selector.DepthSet) error {
	s, bit := &g.steps[i], uint64(1)<<i
	s.parts, s.idIndex, s.classes = parts, -1, everyClass
	if isZone(parts) && i < len(g.steps)-1 { // at the end it tests offsets as beside other parts
		s.zone = parts[0].(selector.Offset).Zone
		g.zoneSteps |= bit
		return nil
	}
	deep := hasDepth(parts)
	if scope != nil {
		tests, hint := p.depthPredicates(*scope)
		s.addPredicates(tests...)
		s.depths = append(s.depths, hint.depths)
	}
	for _, part := range parts {
		tests, hint, err := p.compilePart(part, deep)
		if err != nil {
			return err
		}
		if hint.id != "" {
			s.idIndex = len(p.ids)
			p.ids = append(p.ids, hint.id)
		}
		s.addPredicates(tests...)
		for i := range tests {
			if tests[i].op == opClass {
				s.classes &= tests[i].classes
			}
		}
		if hint.region {
			g.regionSteps |= bit
		}
		if hint.elidedCore {
			g.coreSteps |= bit
		}
		s.namesContainers = s.namesContainers || hint.namesContainers
		s.ownDepth = s.ownDepth || hint.ownDepth
		if hint.depths != nil {
			s.depths = append(s.depths, hint.depths)
		}
		s.required = union(s.required, hint.marks)
		s.needs = append(s.needs, hint.needs...)
	}
	if s.pick != nil {
		g.pickSteps |= bit
		if !s.namesContainers { // the hop 0 matches an elided core, but a pick cannot choose it
			g.coreSteps &^= bit
		}
	}
	if g.coreSteps&bit != 0 {
		s.required.Types, s.classes = 0, everyClass // an elided core leaves no mark
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

// isZone reports whether a step consists of :pre, :core or :post alone.
func isZone(parts []selector.Part) bool {
	_, is := parts[0].(selector.Offset)
	return is && len(parts) == 1
}

func union(a, b tree.Marks) tree.Marks {
	return tree.Marks{Roles: a.Roles | b.Roles, Kinds: a.Kinds | b.Kinds, Types: a.Types | b.Types, Keys: a.Keys | b.Keys}
}

// interval is a run of whole numbers, both ends included.
type interval struct{ lo, hi int64 }

func (z interval) has(n int64) bool { return z.lo <= n && n <= z.hi }

// zoneOffsets are the offsets of the parts of a turn, by [selector.Zone].
var zoneOffsets = [...]interval{
	selector.Pre:  {math.MinInt64, -1},
	selector.Core: {0, 0},
	selector.Post: {1, math.MaxInt64},
}

var allIntegers = interval{math.MinInt64, math.MaxInt64}

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
