package query

import (
	"strings"

	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// scope is a node being tested, with what it cannot say of itself.
type scope struct {
	run   *run
	entry *tree.Entry
	depth int64 // of the turn that the node is or lives in, 0 in ^ah, -1 in ^sys
	axis  bool  // whether the node is on the axis of depth at all
	level int   // steps from the root
}

// test is one condition of a step and what the planner can use of it.
type test struct {
	ok     func(*scope) bool // nil for a test that everything passes
	pick   *selector.Pick    // a choice among siblings instead of a condition
	marks  tree.Marks        // must occur at the node
	id     string            // the one id that passes
	depths *selector.DepthSet
	region bool // only regions pass
	core   bool // names the class of containers, which elided cores answer to
}

func (p *Plan) test(part selector.Part, byDepth bool) (test, error) {
	switch part := part.(type) {
	case selector.Universal:
		return test{}, nil
	case selector.Region:
		class, _ := tree.ClassOfType("^" + part.Name)
		return test{region: true, ok: func(s *scope) bool { return s.entry.Class() == class }}, nil
	case selector.Type:
		return p.typed(part.Name, byDepth), nil
	case selector.ID:
		if p.traits.HashIsKey {
			return test{marks: tree.Marks{Keys: tree.Mark(part.Name)}, ok: func(s *scope) bool { return keyOf(s.entry.Node()) == part.Name }}, nil
		}
		return test{id: part.Name, marks: tree.Marks{Keys: tree.Mark(part.Name)}, ok: func(s *scope) bool { return s.entry.Node().ID == part.Name }}, nil
	case selector.Tag:
		return p.attr(selector.Attr{Name: "tag", Op: selector.Eq, Values: []selector.Literal{{Kind: selector.Text, Text: part.Name}}})
	case selector.Attr:
		return p.attr(part)
	case selector.Offset:
		z := zones[part.Zone]
		return test{ok: func(s *scope) bool { return z.has(s.entry.Node().Offset) }}, nil
	case selector.DepthIs:
		return p.depth(part.Set), nil
	case selector.Pick:
		return test{pick: &part}, nil
	case selector.DepthStep:
		d := p.depth(part.Set)
		inSet := d.ok
		d.ok = func(s *scope) bool { return inSet(s) && onAxis(s.entry.Class()) }
		return d, nil
	case selector.Position:
		return test{}, unsupported("positions")
	default:
		return test{}, unsupported("the search operators ?, ?? and within")
	}
}

func (z zone) has(offset int64) bool { return z.lo <= offset && offset <= z.hi }

// onAxis reports whether a class is one that depth counts: the turns and, in
// the editions with one axis, the active head and the system header.
func onAxis(c tree.Class) bool { return c == tree.Turn || c == tree.Head || c == tree.Sys }

// depth tests the depth that a node lives at. Edition v0.1 counts sealed turns
// only (02 §6.3).
func (p *Plan) depth(set selector.DepthSet) test {
	turnsOnly := !p.traits.DepthMeansRegions
	return test{depths: &set, ok: func(s *scope) bool {
		return s.axis && (s.depth > 0 || !turnsOnly) && set.Contains(s.depth)
	}}
}

// typed tests a type token. A canonical name alone matches the whole class; a
// namespaced one is, in edition v0.1, the exact nodeType and, in the others, a
// class and a kind (04 §3.2; 003, 001 §3.2). Both vocabularies are understood.
func (p *Plan) typed(name string, byDepth bool) test {
	base, rest, namespaced := strings.Cut(name, ":")
	class, canonical := tree.ClassOfType(base)
	switch {
	case !canonical:
		return test{marks: tree.Marks{Types: tree.Mark(name)}, ok: func(s *scope) bool { return s.entry.Node().Type == name }}
	case !namespaced:
		if class == tree.Turn && byDepth && p.traits.DepthMeansRegions {
			return test{ok: func(s *scope) bool { return onAxis(s.entry.Class()) }} // .mt:depth(0) is ^ah
		}
		return test{core: class == tree.Container, marks: tree.Marks{Types: tree.Mark(class.String())}, ok: func(s *scope) bool { return s.entry.Class() == class }}
	case p.traits.KindInType:
		return test{marks: tree.Marks{Types: tree.Mark(class.String())}, ok: func(s *scope) bool {
			return s.entry.Class() == class && kindOf(s.entry.Node()) == rest
		}}
	}
	return test{ok: func(s *scope) bool { return sameType(s.entry.Node().Type, name) }}
}

// sameType compares types, the canonical names of both vocabularies taken as
// the same word.
func sameType(a, b string) bool {
	if a == b {
		return true
	}
	baseA, restA, nsA := strings.Cut(a, ":")
	baseB, restB, nsB := strings.Cut(b, ":")
	ca, okA := tree.ClassOfType(baseA)
	cb, okB := tree.ClassOfType(baseB)
	return okA && okB && ca == cb && restA == restB && nsA == nsB
}

// kindOf is the kind facet: the header, else the part of the type after the
// first colon.
func kindOf(n *tree.Node) string {
	if n.Has("kind") {
		return n.Kind
	}
	_, rest, _ := strings.Cut(n.Type, ":")
	return rest
}

// keyOf is the key facet: the header, else the id, so that a node without a
// key is a family of one.
func keyOf(n *tree.Node) string {
	if n.Has("key") {
		return n.Key
	}
	return n.ID
}
