package query

import (
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// attrPredicates compiles an attribute filter (04 §5).
func (p *Plan) attrPredicates(a selector.Attr) ([]predicate, hint, error) {
	f := p.fieldOf(a)
	c := p.hintOf(a, f)
	switch {
	case a.Op == selector.Match:
		p, err := newPattern(a.Values[0].Text)
		if err != nil {
			return nil, c, err
		}
		return []predicate{{op: opValue, value: &valueComparison{field: f, name: a.Name, pattern: p}}}, c, nil
	case f.number():
		t := integerPredicate(f, a)
		if f == fieldDepth && !t.not && !t.null {
			c.depths = t.intervals
		}
		return []predicate{t}, c, nil
	case f == fieldNodeType && (a.Op == selector.Eq || a.Op == selector.Ne):
		tests, named := p.nodeTypePredicates(a)
		c.elidedCore, c.namesContainers = named, named
		return tests, c, nil
	case f.text():
		return []predicate{textPredicate(f, a)}, c, nil
	}
	return []predicate{{op: opValue, value: &valueComparison{field: f, name: a.Name, compare: compileComparison(a)}}}, c,
		nil
}

// hintOf returns the marks of a node whose attribute equals one text.
func (p *Plan) hintOf(a selector.Attr, f field) hint {
	var c hint
	if a.Op != selector.Eq || len(a.Values) != 1 || a.Values[0].Kind == selector.Null || a.Values[0].Text == "" {
		return c // the empty text leaves no mark
	}
	switch value := a.Values[0].Text; f {
	case fieldID:
		c.id = value
		c.need("id", &c.marks.Keys, value)
	case fieldRole:
		c.need("role", &c.marks.Roles, value)
	case fieldKind, fieldKindFacet:
		c.need("kind", &c.marks.Kinds, value)
	case fieldTags:
		if p.traits.TypeFacet {
			break // the role counts too
		}
		c.need("tag", &c.marks.Keys, value)
	case fieldKey:
		c.need("key", &c.marks.Keys, value)
	case fieldNodeType:
		if class, named := tree.ClassOfType(value); named {
			value = class.String()
		} else if p.traits.TypeFacet {
			break // a class may stand before it
		}
		c.need("type", &c.marks.Types, value)
	}
	return c
}

// integerPredicate compiles a comparison of integers (04 §5.2). A value that is
// not a number equals no integer and sorts neither before nor after one.
func integerPredicate(f field, a selector.Attr) predicate {
	t := predicate{op: opInterval, field: f, not: a.Op == selector.Ne}
	if a.Op == selector.Present {
		t.null, t.not = true, true
	}
	for _, l := range a.Values {
		if l.Kind == selector.Null {
			t.null = a.Op == selector.Eq || a.Op == selector.Ne
			continue
		}
		o := newOperand(l)
		if s, some := o.interval(a.Op); some {
			t.intervals = append(t.intervals, s)
		}
	}
	return t
}

// textPredicate compiles a comparison of texts (04 §5.3).
func textPredicate(f field, a selector.Attr) predicate {
	t := predicate{op: opText, field: f, not: a.Op == selector.Ne}
	switch a.Op {
	case selector.Present:
		t.null, t.not = true, true
	case selector.Lt, selector.Le, selector.Gt, selector.Ge:
		t.op = opTextOrder
		t.order = map[selector.Op]uint8{selector.Lt: 1, selector.Le: 1 | 2, selector.Gt: 4, selector.Ge: 4 | 2}[a.Op]
	}
	for _, l := range a.Values {
		if l.Kind == selector.Null {
			t.null = true
		} else {
			t.texts = append(t.texts, l.Text)
		}
	}
	return t
}

// nodeTypePredicates compiles a comparison of nodeType. It compares names, with
// two exceptions (docs/decisions.md): a region is compared by its class in every
// edition, other classes in the editions with a kind facet. namesContainers
// reports whether the comparison names the class of containers.
func (p *Plan) nodeTypePredicates(a selector.Attr) (tests []predicate, namesContainers bool) {
	either := make([][]predicate, 0, len(a.Values))
	for _, v := range a.Values {
		if v.Kind == selector.Null {
			continue // every node has a type
		}
		class, named := tree.ClassOfType(v.Text)
		namesContainers = a.Op == selector.Eq && len(a.Values) == 1 && named && class == tree.Container
		if named && !p.traits.KindInType && !p.traits.TypeFacet && !class.Region() {
			either = append(either, []predicate{{op: opText, field: fieldNodeType, texts: spellings(v.Text)}})
			continue
		}
		one, _ := p.typePredicates(v.Text, false)
		either = append(either, one)
	}
	if a.Op == selector.Eq && len(either) == 1 {
		return either[0], namesContainers
	}
	return []predicate{{op: opAny, alternatives: either, not: a.Op == selector.Ne}}, namesContainers
}

// compileComparison compiles a comparison of an attribute that holds a list or
// any JSON (04 §5.4, §5.5).
//
// Specification: 04 §5, 04 §5.1, 04 §5.2, 04 §5.3, 04 §5.4, 04 §5.5.
func compileComparison(a selector.Attr) func(value) bool {
	operands := make([]operand, len(a.Values))
	for i, l := range a.Values {
		operands[i] = newOperand(l)
	}
	switch a.Op {
	case selector.Present:
		return func(v value) bool { return v.kind != null }
	case selector.Eq, selector.Ne:
		want := a.Op == selector.Eq
		return func(v value) bool {
			return want == slices.ContainsFunc(operands, func(o operand) bool { return o.equal(v) })
		}
	}
	o, op := &operands[0], a.Op
	return func(v value) bool {
		c, ordered := o.order(v)
		if !ordered {
			return false
		}
		switch op {
		case selector.Lt:
			return c < 0
		case selector.Le:
			return c <= 0
		case selector.Gt:
			return c > 0
		}
		return c >= 0
	}
}
