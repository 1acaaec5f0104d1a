package query

import (
	"math"
	"strings"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// predicate is one condition on a node. It is data, not a function, because for
// many nodes a switch costs less than a call through a pointer. Row "a scan that
// keeps nothing".
type predicate struct {
	op           op
	not          bool             // negates opInterval, opText and opAny: !=
	null         bool             // null is one of the values, for opInterval and opText
	field        field            // the attribute to test
	classes      uint8            // opClass: the classes that pass, one bit each
	order        uint8            // opTextOrder: 1 for below, 2 for equal, 4 for above
	intervals    []interval       // opInterval: the values
	texts        []string         // opText, opTextOrder: the values
	alternatives [][]predicate    // opAny: every predicate of one of these lists
	value        *valueComparison // opValue
	pick         selector.Pick    // opPick
}

type op uint8

const (
	opClass     op = iota // the class is one of classes
	opOwnDepth            // the node is the turn or region that has its depth, not inside it
	opInterval            // an integer lies in one of the intervals
	opText                // a text is one of the texts
	opTextOrder           // a text sorts before, equal to or after the text
	opAny                 // one of several lists of predicates passes
	opValue               // any other comparison
	opPick                // :first, :last or :nth, of a set of one
)

// passes reports whether a node passes all predicates.
func (r *run) passes(tests []predicate, e *tree.Entry, at location) bool {
	for i := range tests {
		if !r.holds(&tests[i], e, at) {
			return false
		}
	}
	return true
}

func (r *run) holds(t *predicate, e *tree.Entry, at location) bool {
	switch t.op {
	case opClass:
		return t.classes>>e.Class()&1 != 0
	case opOwnDepth:
		return at.ownDepth && (at.level == 1 || e.Class() == tree.Turn)
	case opInterval:
		n, known := r.number(t.field, e.Node(), at)
		return t.holdsNumber(n, known) != t.not
	case opText:
		if t.field.derived() {
			return t.holdsDerived(e)
		}
		s, known := text(t.field, e)
		holds := t.holdsText(s, known)
		if other, too := otherKind(t.field, e.Node()); too && !holds {
			holds = t.holdsText(other, true)
		}
		return holds != t.not
	case opTextOrder:
		if t.field.derived() {
			return t.holdsDerived(e)
		}
		s, known := text(t.field, e)
		if other, too := otherKind(t.field, e.Node()); too && t.inOrder(other) {
			return true
		}
		return known && t.inOrder(s)
	case opAny:
		for _, all := range t.alternatives {
			if r.passes(all, e, at) {
				return !t.not
			}
		}
		return t.not
	case opValue:
		v := r.value(t.value, e, at)
		if p := t.value.pattern; p != nil {
			return v.any(func(s string) bool { return r.matches(p, s) })
		}
		return t.value.compare(v)
	}
	return nth(&t.pick) == 1
}

// inOrder reports whether a text sorts as opTextOrder asks.
func (t *predicate) inOrder(s string) bool { return t.order>>(strings.Compare(s, t.texts[0])+1)&1 != 0 }

func (t *predicate) holdsNumber(n int64, known bool) bool {
	if !known {
		return t.null
	}
	for _, s := range t.intervals {
		if s.has(n) {
			return true
		}
	}
	return false
}

func (t *predicate) holdsText(s string, known bool) bool {
	if !known {
		return t.null
	}
	for _, want := range t.texts {
		if s == want {
			return true
		}
	}
	return false
}

// hint lets the plan skip nodes that a part of a step rules out.
type hint struct {
	marks           tree.Marks // a matching node has these marks
	needs           []need     // the values behind the marks, for Explain
	id              string     // the one id that passes, "" for any
	depths          []interval // the depths that pass, nil for any
	region          bool       // only regions pass
	ownDepth        bool       // only the turn or region that has the depth passes
	elidedCore      bool       // an elided core may pass
	namesContainers bool       // the part names the class of containers
}

// need is a value whose mark must be in one of the sets of [tree.Marks].
type need struct{ set, value string }

func (c *hint) need(set string, mark *uint64, value string) {
	*mark |= tree.Mark(value)
	c.needs = append(c.needs, need{set, value})
}

// compilePart compiles one part of a step into predicates and a hint. byDepth
// says that the step has :depth(…) too.
func (p *Plan) compilePart(part selector.Part, byDepth bool) ([]predicate, hint, error) {
	switch part := part.(type) {
	case selector.Region:
		class, _ := tree.ClassOfType("^" + part.Name)
		return classes(class), hint{region: true}, nil
	case selector.Type:
		tests, c := p.typePredicates(part.Name, byDepth)
		return tests, c, nil
	case selector.ID:
		if !p.traits.HashIsKey {
			return p.attrPredicates(equals("id", part.Name))
		}
		a := equals("key", part.Name)
		if p.traits.KeyOnly {
			return p.attrPredicates(a)
		}
		return []predicate{textPredicate(fieldKeyOrID, a)}, p.hintOf(a, fieldKey), nil
	case selector.Tag:
		return p.attrPredicates(equals("tag", part.Name))
	case selector.Attr:
		if p.traits.TypeFacet && part.Name == "nodeType" && part.Op == selector.Eq && len(part.Values) == 1 &&
			part.Values[0].Kind != selector.Null {
			tests, c := p.typePredicates(part.Values[0].Text, byDepth)
			return tests, c, nil
		}
		return p.attrPredicates(part)
	case selector.Offset:
		return []predicate{{op: opInterval, field: fieldOffset, intervals: zoneOffsets[part.Zone : part.Zone+1]}}, hint{}, nil
	case selector.DepthIs:
		tests, c := p.depthPredicates(part.Set)
		return tests, c, nil
	case selector.DepthStep:
		tests, c := p.depthPredicates(part.Set)
		c.ownDepth = true
		if class, one := classAt(c.depths); one {
			c.need("type", &c.marks.Types, class.String())
		}
		return append(tests, predicate{op: opOwnDepth}), c, nil
	case selector.Position: // expand replaced all positions but those of a single number
		tests, c, err := p.attrPredicates(offsetIs(part.Hops[0].Offset))
		c.elidedCore = part.Hops[0].Offset == 0
		return tests, c, err
	case selector.Pick:
		return []predicate{{op: opPick, pick: part}}, hint{}, nil
	}
	return nil, hint{}, nil // "*"
}

func equals(name, value string) selector.Attr {
	return selector.Attr{Name: name, Op: selector.Eq, Values: []selector.Literal{{Kind: selector.Text, Text: value}}}
}

const everyClass = 1<<(tree.Block+1) - 1

func classes(c tree.Class) []predicate { return []predicate{{op: opClass, classes: 1 << c}} }

// depthClasses are the classes that have a depth: the turns and, in the editions
// with one axis of depths, the active head and the system header.
const depthClasses uint8 = 1<<tree.Turn | 1<<tree.Head | 1<<tree.Sys

// depthPredicates compiles :depth(…): the depth of the node, or of the turn or
// region that it is in. Edition v0.1 counts sealed turns only (02 §6.3).
func (p *Plan) depthPredicates(set selector.DepthSet) ([]predicate, hint) {
	least := int64(math.MinInt64)
	if !p.traits.DepthMeansRegions {
		least = 1
	}
	spans := make([]interval, len(set.Terms)) // terms outside of the axis give empty intervals
	for i, t := range set.Terms {
		spans[i] = interval{max(t.Lo, least), t.Hi}
	}
	return []predicate{{op: opInterval, field: fieldDepth, intervals: spans}}, hint{depths: spans}
}

// classAt returns the class of the turns or regions at the depths, and whether
// all have the same class.
func classAt(depths []interval) (tree.Class, bool) {
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for _, d := range depths {
		lo, hi = min(lo, d.lo), max(hi, d.hi)
	}
	switch {
	case lo > 0:
		return tree.Turn, true
	case lo == 0 && hi == 0:
		return tree.Head, true
	case lo == -1 && hi == -1:
		return tree.Sys, true
	}
	return tree.Root, false
}

// typePredicates compiles a type token of either vocabulary. A canonical name
// alone matches the whole class. A namespaced name matches the exact nodeType; in the
// editions after v0.1 it matches the nodes of that class that have the kind by their header
// or their type (04 §3.2; 003, 001 §3.2, §7.3). In the editions with one axis of depths, a type of
// turns beside :depth(…) also matches the regions that have a depth:
// .mt:depth(0) is ^ah.
//
// Specification: 04 §3.2.
func (p *Plan) typePredicates(name string, byDepth bool) ([]predicate, hint) {
	var c hint
	_, rest, namespaced := strings.Cut(name, ":")
	class, canonical := tree.ClassOfType(name)
	if p.traits.TypeFacet && (!canonical || namespaced) {
		return p.anchor(name), c
	}
	if !canonical {
		c.need("type", &c.marks.Types, name)
		return []predicate{{op: opText, field: fieldNodeType, texts: []string{name}}}, c
	}
	of := classes(class)
	if byDepth && p.meansRegions(name) {
		of = []predicate{{op: opClass, classes: depthClasses}}
	} else {
		c.need("type", &c.marks.Types, class.String())
	}
	switch {
	case !namespaced:
		c.elidedCore, c.namesContainers = class == tree.Container, class == tree.Container
		return of, c
	case p.traits.KindInType:
		c.need("kind", &c.marks.Kinds, rest) // a type leaves the mark of its kind, whatever the header says
		return append(of, predicate{op: opText, field: fieldKindFacet, texts: []string{rest}}), c
	}
	return []predicate{{op: opText, field: fieldNodeType, texts: spellings(name)}}, c
}

// anchor compiles a type of edition 1.0 that names no class: sys is the region, any other the nodeType,
// of which a class and a colon may stand before it. Of a.b both must hold, unless the type is a.b.
//
// Specification: 1.0 04 §3.2, 1.0 02 §3.4.
func (p *Plan) anchor(name string) []predicate {
	if name == "sys" {
		return classes(tree.Sys)
	}
	texts := spellings(name)
	if _, canonical := tree.ClassOfType(name); !canonical {
		for _, class := range [...]string{"seg:", "cont:", "block:", "mt:", "mc:", "cb:"} {
			texts = append(texts, class+name)
		}
	}
	whole := predicate{op: opText, field: fieldNodeType, texts: texts}
	names := strings.Split(name, ".")
	if len(names) == 1 {
		return []predicate{whole}
	}
	var each []predicate
	for _, one := range names {
		tests, _ := p.typePredicates(one, false)
		each = append(each, tests...)
	}
	return []predicate{{op: opAny, alternatives: [][]predicate{{whole}, each}}}
}

// meansRegions reports whether a type beside :depth(…) also matches regions.
func (p *Plan) meansRegions(name string) bool {
	class, canonical := tree.ClassOfType(name)
	return canonical && class == tree.Turn && p.traits.DepthMeansRegions
}

// spellings returns the ways to write a type in the two vocabularies.
func spellings(name string) []string {
	base, _, _ := strings.Cut(name, ":")
	rest := name[len(base):]
	for _, words := range [][]string{{"mt", "seg"}, {"mc", "cont"}, {"cb", "block"}} {
		if base == words[0] || base == words[1] {
			return []string{words[0] + rest, words[1] + rest}
		}
	}
	return []string{name}
}
