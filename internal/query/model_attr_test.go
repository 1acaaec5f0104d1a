package query_test

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// sort is how an attribute compares (decision 022).
type sort int

const (
	null sort = iota
	integer
	text
	list  // of texts
	other // any JSON
)

// facet is an attribute of a thing.
type facet struct {
	sort
	n    int64
	text string
	list []string
	json canon.Value
}

func texts(t string, ok bool) facet {
	if !ok {
		return facet{}
	}
	return facet{sort: text, text: t}
}

func lists(l []string) facet {
	if len(l) == 0 {
		return facet{}
	}
	return facet{sort: list, list: l}
}

// facet reads an attribute of x by its name.
func (w *model) facet(name string, x *modelNode) facet {
	n := x.node
	number := func(v int64, ok bool) facet {
		if !ok {
			return facet{}
		}
		return facet{sort: integer, n: v}
	}
	switch name {
	case "offset":
		return number(n.Offset, true)
	case "priority":
		return number(n.Priority, true)
	case "cycle", "born_turn":
		return number(n.Cycle, true)
	case "age":
		return number(w.cycle-n.Cycle, true)
	case "created_at_ns":
		return number(n.CreatedNS, true)
	case "creation_index":
		return number(n.Index, true)
	case "ttl":
		return number(n.TTL(w.cycle))
	case "depth":
		return number(x.depth, x.placed)
	case "sdepth":
		return number(x.level, true)
	case "id":
		return texts(n.ID, !x.elided)
	case "nodeType":
		return texts(n.Type, true)
	case "created_at_iso":
		return texts(n.CreatedISO(), true)
	case "content_hash":
		return texts(n.ContentHash(), !x.elided && (x.class == tree.Block || n.Content.Size() > 0))
	case "role":
		return texts(n.Header("role").Text())
	case "key":
		return texts(n.Header("key").Text())
	case "tag", "tags":
		return lists(w.tags(x))
	case "refs":
		return lists(n.Refs)
	case "content":
		v, _ := n.Content.Value(context.Background())
		return anything(v)
	}
	return anything(n.Header(name))
}

func anything(v canon.Value) facet {
	if v == "" || v == canon.Null {
		return facet{}
	}
	return facet{sort: other, json: v}
}

// tags are the tags and, in edition 1.0, the role (1.0 07 §4.1).
func (w *model) tags(x *modelNode) []string {
	if role, _ := x.node.Header("role").Text(); role != "" && w.traits.TypeFacet {
		return append(slices.Clone(x.node.Tags), role)
	}
	return x.node.Tags
}

// attr tests one filter.
func (w *model) attr(a selector.Attr, x *modelNode) bool {
	if a.Name != "kind" {
		return w.holds(a, w.facet(a.Name, x), x)
	}
	kinds := w.kinds(x)
	if len(kinds) == 0 {
		return w.holds(a, facet{}, x)
	}
	each := func(k string) bool { return w.holds(a, texts(k, true), x) }
	if a.Op == selector.Ne {
		return !slices.ContainsFunc(kinds, func(k string) bool { return !each(k) })
	}
	return slices.ContainsFunc(kinds, each)
}

// holds tests one filter on one value of the attribute.
func (w *model) holds(a selector.Attr, f facet, x *modelNode) bool {
	equal := f.equals
	if a.Name == "nodeType" {
		equal = func(l selector.Literal) bool { return l.Kind != selector.Null && w.hasType(x, l.Text) }
	}
	switch a.Op {
	case selector.Present:
		return f.sort != null
	case selector.Eq:
		return slices.ContainsFunc(a.Values, equal)
	case selector.Ne:
		return !equal(a.Values[0])
	case selector.Match:
		return f.matches(w.pattern(a.Values[0].Text))
	}
	return f.ordered(a.Op, a.Values[0])
}

func (f facet) equals(l selector.Literal) bool {
	if l.Kind == selector.Null || f.sort == null {
		return l.Kind == selector.Null && f.sort == null
	}
	switch f.sort {
	case integer:
		n, ok := readDecimal(l.Text)
		return ok && ofInt(f.n).compare(n) == 0
	case text:
		return f.text == l.Text
	case list:
		return slices.Contains(f.list, l.Text)
	}
	switch f.json.Kind() { // = keeps to the type of what was written
	case canon.KindNumber:
		a, fine := readDecimal(string(f.json))
		b, ok := readDecimal(l.Text)
		return l.Kind == selector.Number && fine && ok && a.compare(b) == 0
	case canon.KindString, canon.KindBool:
		return l.Kind != selector.Number && f.plain() == l.Text
	}
	return false
}

// plain is a JSON value as a text: strings as they are, all else as canonical JSON.
func (f facet) plain() string {
	if t, ok := f.json.Text(); ok {
		return t
	}
	return string(f.json)
}

func (f facet) matches(re *regexp.Regexp) bool {
	switch f.sort {
	case integer:
		return re.MatchString(strconv.FormatInt(f.n, 10))
	case text:
		return re.MatchString(f.text)
	case list:
		return slices.ContainsFunc(f.list, re.MatchString)
	case other:
		return re.MatchString(f.plain())
	}
	return false
}

func (f facet) ordered(op selector.Op, l selector.Literal) bool {
	var order int
	b, number := readDecimal(l.Text)
	switch f.sort {
	case null, list:
		return false
	case integer:
		if !number {
			return false
		}
		order = ofInt(f.n).compare(b)
	case text:
		order = strings.Compare(f.text, l.Text)
	case other:
		if kind := f.json.Kind(); kind == canon.KindArray || kind == canon.KindObject {
			return false // they have no order
		}
		order = strings.Compare(f.plain(), l.Text)
		if a, ok := readDecimal(f.plain()); ok && number {
			order = a.compare(b)
		}
	}
	switch op {
	case selector.Lt:
		return order < 0
	case selector.Le:
		return order <= 0
	case selector.Gt:
		return order > 0
	}
	return order >= 0
}

var decimalText = regexp.MustCompile(`^([+-]?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$`)

// decimal is a number in decimal notation, exactly: 0.digits times ten to the
// power of exp, the digits without zeros at either end, none for zero.
type decimal struct {
	negative bool
	digits   string
	exp      int
}

// readDecimal reads a text that reads as a number: digits, with a sign, a
// fraction and an exponent where they are wanted.
func readDecimal(s string) (decimal, bool) {
	m := decimalText.FindStringSubmatch(s)
	if m == nil {
		return decimal{}, false
	}
	digits := m[2] + m[3]
	short := strings.TrimLeft(digits, "0")
	exp, _ := strconv.Atoi(m[4])
	exp += len(m[2]) - (len(digits) - len(short))
	if short = strings.TrimRight(short, "0"); short == "" {
		return decimal{}, true
	}
	return decimal{m[1] == "-", short, exp}, true
}

func (a decimal) compare(b decimal) int {
	sign := func(d decimal) int {
		switch {
		case d.digits == "":
			return 0
		case d.negative:
			return -1
		}
		return 1
	}
	if sign(a) != sign(b) || sign(a) == 0 {
		return cmp.Compare(sign(a), sign(b))
	}
	return sign(a) * cmp.Or(cmp.Compare(a.exp, b.exp), strings.Compare(a.digits, b.digits))
}

func ofInt(n int64) decimal {
	d, _ := readDecimal(strconv.FormatInt(n, 10))
	return d
}

// typed reports whether x matches a type token: by class where the token is a
// canonical name alone, which is all that the older edition reads differently
// from nodeType.
func (w *model) typed(x *modelNode, name string) bool {
	base, _, narrow := cutType(name)
	if class, named := tree.ClassOfType(base); named && !narrow {
		return x.class == class
	}
	return w.hasType(x, name)
}

// hasType reports whether x is of a type, as the value of
// nodeType means it: the whole of it in either vocabulary; in the later
// editions also class and kind facet (§3.2, §7.3).
func (w *model) hasType(x *modelNode, name string) bool {
	base, kind, narrow := cutType(name)
	class, named := tree.ClassOfType(base)
	_, rest, classed := cutType(x.node.Type)
	if _, is := tree.ClassOfType(x.node.Type); !is {
		classed = false
	}
	switch {
	case w.traits.TypeFacet && name == "sys":
		return x.class == tree.Sys
	case w.traits.TypeFacet && named && !narrow:
		return x.class == class
	case w.traits.TypeFacet && !named && classed && rest == name: // 1.0 04 §3.2
		return true
	case !named:
		return x.node.Type == name
	case narrow && oldWords(x.node.Type) == oldWords(name):
		return true
	case !w.traits.KindInType:
		return oldWords(x.node.Type) == oldWords(name)
	case x.class != class:
		return false
	case !narrow:
		return true
	}
	return slices.Contains(w.kinds(x), kind)
}

// oldWords spells a type in the words of edition v0.1.
func oldWords(name string) string {
	base, kind, narrow := cutType(name)
	if word, ok := map[string]string{"seg": "mt", "cont": "mc", "block": "cb"}[base]; ok {
		base = word
	}
	if narrow {
		return base + ":" + kind
	}
	return base
}
