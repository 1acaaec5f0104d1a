package calllog

import (
	"bytes"

	"github.com/contexttree/pact/internal/canon"
)

// raw is the text of one JSON value as the file has it. Readers cut the body of
// a request out of a larger value with it, because a parsed value no longer
// knows how its text was written. Of a text that ends early the functions below return the
// part that is there. They never fail: canon checks a text before a reader relies on it.
type raw []byte

// kind returns the kind of the value, KindAbsent of an empty raw.
func (r raw) kind() canon.Kind {
	if len(r) == 0 {
		return canon.KindAbsent
	}
	return canon.Value(r[:1]).Kind()
}

// empty reports whether the value is missing, null, or an empty text, list or object.
func (r raw) empty() bool {
	switch string(r) {
	case "", "null", `""`, "[]", "{}":
		return true
	}
	return false
}

// text returns the value if it is a string, else "".
func (r raw) text() string {
	if r.kind() != canon.KindString {
		return ""
	}
	if n := len(r); n > 1 && r[n-1] == '"' && bytes.IndexByte(r, '\\') < 0 {
		return string(r[1 : n-1])
	}
	v, err := canon.Parse(r)
	if err != nil {
		return ""
	}
	text, _ := v.Text()
	return text
}

// isTrue reports whether the value is true.
func (r raw) isTrue() bool { return string(r) == string(canon.True) }

// value parses the value; absent if it is not JSON.
func (r raw) value() canon.Any {
	v, err := canon.ParseAny(r)
	if err != nil {
		return canon.Any{}
	}
	return v
}

// fields are the members of an object. Of equal names the last counts.
type fields map[string]raw

// first returns the first of these members that says something, with its name.
func (f fields) first(names ...string) (raw, string) {
	for _, name := range names {
		if v := f[name]; !v.empty() {
			return v, name
		}
	}
	return nil, ""
}

// text returns the first of these members that is a text with something in it.
func (f fields) text(names ...string) string {
	for _, name := range names {
		if text := f[name].text(); text != "" {
			return text
		}
	}
	return ""
}

// fields returns the members of an object, nil of another value.
func (r raw) fields() fields {
	if r.kind() != canon.KindObject {
		return nil
	}
	all := fields{}
	s := canon.Scanner{Data: r}
	for s.Open('{'); s.Peek() == '"'; s.Next() {
		if name := s.Name(); name != nil {
			all[raw(name).text()] = s.Value()
		}
	}
	return all
}

// member returns a member of an object, nil of another value. Cost: that of a walk over the object, without a copy.
func (r raw) member(name string) raw {
	var found [1]raw
	r.find(found[:], name)
	return found[0]
}

// pick returns several members of an object at the cost of one.
func (r raw) pick(names ...string) []raw {
	found := make([]raw, len(names))
	r.find(found, names...)
	return found
}

func (r raw) find(found []raw, names ...string) {
	if r.kind() != canon.KindObject {
		return
	}
	s := canon.Scanner{Data: r}
	for s.Open('{'); s.Peek() == '"'; s.Next() {
		n := s.Name()
		if n == nil {
			continue
		}
		v := s.Value()
		name := n[1:max(1, len(n)-1)]
		if bytes.IndexByte(n, '\\') >= 0 {
			name = []byte(raw(n).text())
		}
		for i := range names {
			if string(name) == names[i] {
				found[i] = v
			}
		}
	}
}

// firstOf returns the first element of a list.
func firstOf(list raw) raw {
	s := canon.Scanner{Data: list}
	s.Open('[')
	return s.Value()
}

// elems returns the elements of a list, nil of another value.
func (r raw) elems() []raw {
	if r.kind() != canon.KindArray {
		return nil
	}
	var all []raw
	s := canon.Scanner{Data: r}
	for s.Open('['); s.At < len(s.Data) && s.Peek() != ']'; s.Next() {
		all = append(all, s.Value())
	}
	return all
}
