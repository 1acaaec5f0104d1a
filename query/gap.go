package query

import (
	"strconv"

	"github.com/contexttree/pact/internal/fault"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// Gap finds the place that an insertion position names (001, 003 §3.8, §3.9):
// (d0, end) is behind everything in the active head, (d0, mc[offset=0], ) is
// the beginning of its core.
func Gap(t *tree.Tree, pos *selector.Position, e selector.Edition) (tree.Gap, error) {
	p := &Plan{traits: e.Traits()}
	var at *tree.Entry
	core := false
	for i, hop := range pos.Hops {
		if core {
			return tree.Gap{}, astray(pos, "a core is the last hop of an insertion")
		}
		switch hop.Kind {
		case selector.HopDepth:
			at = byDepth(t, hop.Depth)
		case selector.HopTurn:
			if at != nil && at.Class() != tree.Turn && at.Class() != tree.Head {
				return tree.Gap{}, astray(pos, "the "+hop.Name+" hop stands for a turn or the active head")
			}
		case selector.HopContainer, selector.HopOffset:
			parent := at
			var err error
			if at, core, err = p.container(t, parent, hop); err != nil {
				return tree.Gap{}, err
			}
			if core {
				at = parent
			}
		default:
			return tree.Gap{}, astray(pos, "hop "+strconv.Itoa(i+1)+" does not name a container to insert into")
		}
		if at == nil {
			return tree.Gap{}, fault.At(fault.NodeNotFound, fault.NoOffset, pos.String(), "hop "+strconv.Itoa(i+1)+" of the position leads nowhere", "pact show draws what is there")
		}
	}
	g := tree.Gap{Parent: at.Node().ID, Core: core, N: pos.N}
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

func astray(pos *selector.Position, message string) error {
	return fault.At(fault.PlacementInvalid, fault.NoOffset, pos.String(), message, "write (d0, end) or (d0, mc[offset=0], end)")
}

// byDepth returns the container at the one depth of a set.
func byDepth(t *tree.Tree, set selector.DepthSet) *tree.Entry {
	if len(set.Terms) != 1 || set.Terms[0].Lo != set.Terms[0].Hi {
		return nil
	}
	switch d := set.Terms[0].Lo; {
	case d == 0:
		return t.Region(tree.Head)
	case d == -1:
		return t.Region(tree.Sys)
	default:
		turns := t.Region(tree.Seq).Children()
		if d < 0 || d > int64(turns.Len()) {
			return nil
		}
		return turns.At(turns.Len() - int(d))
	}
}

// container returns the one child container that a hop names, or says that it
// is the core.
func (p *Plan) container(t *tree.Tree, parent *tree.Entry, hop selector.Hop) (found *tree.Entry, core bool, err error) {
	if parent == nil {
		return nil, false, nil
	}
	attrs := hop.Attrs
	if hop.Kind == selector.HopOffset {
		attrs = append(attrs[:len(attrs):len(attrs)], offsetIs(hop.Offset))
	}
	var tests []test
	for _, a := range attrs {
		compiled, _, err := p.attr(a)
		if err != nil {
			return nil, false, err
		}
		tests = append(tests, compiled...)
	}
	r := &run{plan: p, tree: t}
	turnLike := parent.Class() == tree.Turn || parent.Class() == tree.Head
	if turnLike && parent.Core() == nil {
		// An elided core can be inserted into even while there is nothing in it.
		elided := tree.Loose(&tree.Node{Type: p.traits.ContainerType, Expiry: tree.Never}, tree.Container)
		if r.passes(tests, elided, place{}) {
			return nil, true, nil
		}
	}
	count := 0
	for k := range parent.Children().All() {
		if k.Class() == tree.Container && r.passes(tests, k, place{}) {
			found = k
			count++
		}
	}
	if count > 1 {
		return nil, false, fault.New(fault.PlacementInvalid, strconv.Itoa(count)+" containers answer to the hop", "name one of them by id with --into, or add a filter")
	}
	return found, count == 1 && turnLike && found.Node().Offset == 0, nil
}
