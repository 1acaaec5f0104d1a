package canon

import (
	"slices"
)

// Any is a parsed value to walk. The zero Any means that there is no value:
// it is left out of objects and printed as null in arrays.
type Any struct {
	Kind    Kind     // of the value
	held    bool     // Text is the canonical form of the whole value; Elems and Members are empty
	Text    string   // the decoded string, or the canonical literal of a number, bool or null
	Elems   []Any    // the elements of an array
	Members []Member // the members of an object, sorted by name, each name once
}

// Member is one name of an object with its value.
type Member struct {
	Name  string // decoded
	Value Any    // its value
}

// Object returns the object of members, which may come in any order. Of members
// with equal names the last wins.
func Object(members ...Member) Any { return objectOf(slices.Clone(members)) }

// objectOf is Object of a list that nobody else has.
func objectOf(list []Member) Any {
	for i := range list {
		list[i].Name = settled(list[i].Name)
	}
	return Any{Kind: KindObject, Members: arrange(list)}
}

// With returns an object with the members of a, and one more in the place of that of its name. a stays as it is.
func (a Any) With(name string, v Any) Any {
	return objectOf(append(slices.Clip(a.Members), Member{name, v}))
}

// Without returns an object without some of its members, and any other value as it is. a stays as it is.
func (a Any) Without(names ...string) Any {
	if a.Kind == KindObject {
		a.Members = slices.DeleteFunc(slices.Clone(a.Members), func(m Member) bool { return slices.Contains(names, m.Name) })
	}
	return a
}

// ArrayOf returns the array of elems.
func ArrayOf(elems ...Any) Any { return Any{Kind: KindArray, Elems: elems} }

// Value returns the canonical bytes of a.
func (a Any) Value() Value {
	if a.held {
		return Value(a.Text)
	}
	if a.Kind == KindString {
		return String(a.Text)
	}
	var small [256]byte
	return Value(a.AppendTo(small[:0]))
}

// AppendTo appends the canonical bytes of a to dst.
func (a Any) AppendTo(dst []byte) []byte {
	if a.held {
		return append(dst, a.Text...)
	}
	switch a.Kind {
	case KindString:
		return AppendString(dst, a.Text)
	case KindArray:
		dst = append(dst, '[')
		for i := range a.Elems {
			if i > 0 {
				dst = append(dst, ',')
			}
			if a.Elems[i].Kind == KindAbsent {
				dst = append(dst, Null...)
				continue
			}
			dst = a.Elems[i].AppendTo(dst)
		}
		return append(dst, ']')
	case KindObject:
		dst = append(dst, '{')
		first := true
		for i := range a.Members {
			m := &a.Members[i]
			if m.Value.Kind == KindAbsent {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(AppendString(dst, m.Name), ':')
			dst = m.Value.AppendTo(dst)
		}
		return append(dst, '}')
	}
	return append(dst, a.Text...)
}

// Get returns the member of the object a by that name.
func (a Any) Get(name string) (Any, bool) {
	list := a.Members
	const few = 8 // of them, comparing lengths first takes less time than halving
	for len(list) > few {
		if half := len(list) / 2; list[half].Name <= name {
			list = list[half:]
		} else {
			list = list[:half]
		}
	}
	for i := range list {
		if list[i].Name == name {
			return list[i].Value, true
		}
	}
	return Any{}, false
}
