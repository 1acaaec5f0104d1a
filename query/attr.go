package query

import (
	"regexp"
	"slices"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/fault"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// attr compiles an attribute filter (04 §5).
func (p *Plan) attr(a selector.Attr) (test, error) {
	t := test{}
	if a.Op == selector.Eq && len(a.Values) == 1 && a.Values[0].Kind != selector.Null && a.Values[0].Text != "" { // the empty text leaves no mark
		mark := tree.Mark(a.Values[0].Text)
		switch a.Name {
		case "id":
			t.id, t.marks.Keys = a.Values[0].Text, mark
		case "role":
			t.marks.Roles = mark
		case "kind":
			if !p.traits.KindInType {
				t.marks.Kinds = mark
			}
		case "tag", "tags", "key":
			t.marks.Keys = mark
		}
	}
	compare, err := comparison(a)
	if err != nil {
		return test{}, err
	}
	if a.Name == "nodeType" {
		if class, named := tree.ClassOfType(first(a.Values)); named && a.Op == selector.Eq {
			t.core = class == tree.Container
		}
		t.ok = p.nodeType(a, compare)
		return t, nil
	}
	get, err := p.getter(a.Name)
	if err != nil {
		return test{}, err
	}
	t.ok = func(s *scope) bool { return compare(get(s)) }
	return t, nil
}

func first(values []selector.Literal) string {
	if len(values) != 1 {
		return ""
	}
	return values[0].Text
}

// nodeType compares types by name, in the editions with a kind facet by class
// where the value is a class (docs/decisions).
func (p *Plan) nodeType(a selector.Attr, compare func(value) bool) func(*scope) bool {
	if a.Op != selector.Eq && a.Op != selector.Ne {
		return func(s *scope) bool { return compare(text(s.entry.Node().Type)) }
	}
	same := make([]func(*scope) bool, len(a.Values))
	for i, v := range a.Values {
		if v.Kind == selector.Null {
			same[i] = func(*scope) bool { return false }
			continue
		}
		same[i] = p.typed(v.Text, false).ok
		if class, named := tree.ClassOfType(v.Text); named && !p.traits.KindInType && !class.Region() {
			same[i] = func(s *scope) bool { return sameType(s.entry.Node().Type, v.Text) }
		}
	}
	want := a.Op == selector.Eq
	return func(s *scope) bool {
		return want == slices.ContainsFunc(same, func(f func(*scope) bool) bool { return f(s) })
	}
}

// value is what a node has for an attribute: nothing, an integer, a text, a
// list of texts, or any JSON.
type value struct {
	kind valueKind
	n    int64
	s    string
	list []string
}

type valueKind uint8

const (
	null valueKind = iota
	integer
	word   // a text attribute
	list   // tags, refs
	custom // s is canonical JSON
)

func text(s string) value { return value{kind: word, s: s} }

func optionalText(n *tree.Node, name, s string) value {
	if s == "" && !n.Has(name) {
		return value{}
	}
	return text(s)
}

// getter returns how to read an attribute. Unknown ones are null.
func (p *Plan) getter(name string) (func(*scope) value, error) {
	number := func(f func(*scope) int64) func(*scope) value {
		return func(s *scope) value { return value{kind: integer, n: f(s)} }
	}
	switch name {
	case "offset":
		return number(func(s *scope) int64 { return s.entry.Node().Offset }), nil
	case "priority":
		return number(func(s *scope) int64 { return s.entry.Node().Priority }), nil
	case "cycle":
		return number(func(s *scope) int64 { return s.entry.Node().Cycle }), nil
	case "created_at_ns":
		return number(func(s *scope) int64 { return s.entry.Node().CreatedNS }), nil
	case "creation_index":
		return number(func(s *scope) int64 { return s.entry.Node().Index }), nil
	case "ttl":
		return func(s *scope) value {
			ttl, finite := s.entry.Node().TTL(s.run.tree.Cycle())
			if !finite {
				return value{}
			}
			return value{kind: integer, n: ttl}
		}, nil
	case "id":
		return func(s *scope) value { return text(s.entry.Node().ID) }, nil
	case "created_at_iso":
		return func(s *scope) value { return text(s.entry.Node().CreatedISO()) }, nil
	case "content_hash":
		return func(s *scope) value {
			if s.entry.Class() != tree.Block && s.entry.Node().Content.Size() == 0 {
				return value{}
			}
			return text(s.entry.Node().ContentHash())
		}, nil
	case "role":
		return func(s *scope) value { return optionalText(s.entry.Node(), name, s.entry.Node().Role) }, nil
	case "kind":
		if p.traits.KindInType {
			return func(s *scope) value {
				if kind := kindOf(s.entry.Node()); kind != "" {
					return text(kind)
				}
				return optionalText(s.entry.Node(), name, "")
			}, nil
		}
		return func(s *scope) value { return optionalText(s.entry.Node(), name, s.entry.Node().Kind) }, nil
	case "key":
		return func(s *scope) value { return text(keyOf(s.entry.Node())) }, nil
	case "tag", "tags":
		return func(s *scope) value { return texts(s.entry.Node().Tags) }, nil
	case "refs":
		return func(s *scope) value { return texts(s.entry.Node().Refs) }, nil
	case "content":
		return func(s *scope) value {
			v, err := s.entry.Node().Content.Value(s.run.ctx)
			if err != nil {
				s.run.fail(err)
			}
			return json(v)
		}, nil
	case "born_turn", "age", "depth", "sdepth":
		return nil, fault.New(fault.SelectorInvalid, "the derived facet "+name+" is parsed but not evaluated by this release", "")
	}
	return func(s *scope) value { return json(s.entry.Node().Header(name)) }, nil
}

func texts(l []string) value {
	if len(l) == 0 {
		return value{}
	}
	return value{kind: list, list: l}
}

func json(v canon.Value) value {
	switch v.Kind() {
	case canon.KindAbsent, canon.KindNull:
		return value{}
	}
	return value{kind: custom, s: string(v)}
}

// comparison compiles operator and values (04 §5.2–5.5).
func comparison(a selector.Attr) (func(value) bool, error) {
	switch a.Op {
	case selector.Present:
		return func(v value) bool { return v.kind != null }, nil
	case selector.Match:
		re, err := regexp.Compile(a.Values[0].Text)
		if err != nil {
			return nil, fault.Wrap(fault.SelectorInvalid, err, "the pattern is not a regular expression", "")
		}
		return func(v value) bool { return v.any(re.MatchString) }, nil
	case selector.Eq, selector.Ne:
		operands := make([]operand, len(a.Values))
		for i, l := range a.Values {
			operands[i] = newOperand(l)
		}
		want := a.Op == selector.Eq
		return func(v value) bool {
			for i := range operands {
				if operands[i].equal(v) {
					return want
				}
			}
			return !want
		}, nil
	}
	o := newOperand(a.Values[0])
	op := a.Op
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
	}, nil
}
