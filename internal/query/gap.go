package query

import (
	"context"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// Gap finds the gap between siblings that an insertion position names (001, 003
// §3.8, §3.9): (d0, end) is the end of the active head, (d0, mc[offset=0], ) the
// beginning of its core. Every hop leads to one container, which must pass the
// filters of the hop. Gap fails with E_NODE_NOT_FOUND if a hop leads nowhere,
// and with E_PLACEMENT_INVALID if it leads to no container or to several.
// If a filter tests contents, Gap reads them from the store under ctx.
//
// Specification: 003 §3.9, 001 §3.9.
func Gap(ctx context.Context, t *tree.Tree, pos *selector.Position, e selector.Edition) (tree.Gap, error) {
	f := finder{run: newRun(ctx, &Plan{traits: e.Traits()}, t), pos: pos}
	for _, i := range hopOrder(pos.Hops) {
		if err := f.hop(pos.Hops[i], i+1); err != nil {
			return tree.Gap{}, err
		}
	}
	g := tree.Gap{Parent: f.at.Node().ID, Core: f.core, N: pos.N}
	switch pos.Insert {
	case selector.AtEnd:
		g.Edge = tree.End
	case selector.AfterChild:
		g.Edge = tree.After
	case selector.BeforeChild:
		g.Edge = tree.Before
	}
	return g, nil
}

// finder follows the hops of an insertion.
type finder struct {
	*run
	pos  *selector.Position
	at   *tree.Entry // the container that the hops so far lead to, nil before the first hop
	core bool        // the hops so far lead to the core of at, which may be elided
}

func (f *finder) hop(hop selector.Hop, n int) error {
	if f.core {
		return f.refuse("a hop follows the core, which must be the last one")
	}
	attrs := hop.Attrs
	if hop.Kind == selector.HopOffset {
		attrs = append(attrs[:len(attrs):len(attrs)], offsetIs(hop.Offset))
	}
	var tests []predicate
	for _, a := range attrs {
		compiled, _, err := f.plan.attrPredicates(a)
		if err != nil {
			return err
		}
		tests = append(tests, compiled...)
	}
	switch hop.Kind {
	case selector.HopDepth:
		if len(hop.Depth.Terms) != 1 || hop.Depth.Terms[0].Lo != hop.Depth.Terms[0].Hi {
			return f.refuse("the position has more than one depth")
		}
		at := f.atDepth(hop.Depth.Terms[0].Lo)
		if f.at != nil && (at == nil || at.Node().ID != f.at.Node().ID) {
			at = nil
		}
		f.at = at
		f.filter(tests)
	case selector.HopTurn:
		if f.at == nil {
			return f.refuse("the position does not begin with a depth, such as d0 for the active head")
		}
		if c := f.at.Class(); depthClasses>>c&1 == 0 {
			return f.refuse("the hop " + hop.Name + " leads to no turn, active head or system header")
		}
		f.filter(tests)
	case selector.HopContainer, selector.HopOffset:
		if f.at == nil {
			return f.refuse("the position does not begin with a depth, such as d0 for the active head")
		}
		if err := f.enterContainer(tests); err != nil {
			return err
		}
	default:
		return f.refuse("hop " + strconv.Itoa(n) + " does not name a container to insert into")
	}
	if f.err != nil {
		return f.err
	}
	if f.at == nil {
		return fault.At(fault.NodeNotFound, fault.NoOffset, f.pos.String(), "hop "+strconv.Itoa(n)+
			" of the position leads nowhere", "the selector * finds all nodes that are there")
	}
	return nil
}

func (f *finder) refuse(message string) error {
	return fault.At(fault.PlacementInvalid, fault.NoOffset, f.pos.String(), message,
		"write (d0, end) or (d0, mc[offset=0], end)")
}

// filter drops the container that the hop led to if it fails the predicates.
func (f *finder) filter(tests []predicate) {
	if f.at != nil && !f.passes(tests, f.at, location{}) {
		f.at = nil
	}
}

// atDepth returns the turn or region at a depth, or nil.
func (f *finder) atDepth(depth int64) *tree.Entry {
	switch {
	case depth == 0:
		return f.tree.Region(tree.Head)
	case depth == -1:
		return f.tree.Region(tree.Sys)
	}
	turns := f.tree.Region(tree.Seq).Children()
	rank, ok := f.rankOfDepth(turns.Len(), depth)
	if !ok {
		return nil
	}
	turn, err := turns.At(rank)
	f.fail(err)
	return turn
}

// enterContainer moves to the one child container that passes. For the core of a
// turn or of the active head it stays at the parent and sets f.core.
func (f *finder) enterContainer(tests []predicate) error {
	turnLike := f.at.Class() == tree.Turn || f.at.Class() == tree.Head
	if turnLike && f.at.Core() == nil {
		// An insertion may go into an elided core, even an empty one.
		elided := tree.Detached(&tree.Node{Type: f.plan.traits.ContainerType, Expiry: tree.Never}, tree.Container)
		if f.passes(tests, elided, location{}) {
			f.core = true
			return f.err
		}
	}
	var found *tree.Entry
	count := 0
	for k, err := range f.at.Children().All() {
		if err != nil {
			return err
		}
		if k.Class() == tree.Container && f.passes(tests, k, location{}) {
			found = k
			count++
		}
	}
	if count > 1 {
		return fault.New(fault.PlacementInvalid, strconv.Itoa(count)+" containers match the hop",
			"name one of them by its id, or add a filter to the hop")
	}
	if count == 1 && turnLike && found.Node().Offset == 0 {
		f.core = true
		return nil
	}
	f.at = found
	return nil
}
