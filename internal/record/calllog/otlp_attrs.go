package calllog

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// attributes are what a span or an event says, by name.
type attributes map[string]canon.Any

// attributesOf reads a list of pairs as OTLP writes it.
func attributesOf(list raw) attributes {
	all := attributes{}
	for _, r := range list.elems() {
		f := r.fields()
		if name := f.text("key"); name != "" {
			all[name] = anyValue(f["value"], 0)
		}
	}
	return all
}

// deepestValue is how deep values of attributes may be nested.
const deepestValue = 64

// anyValue reads a value of an attribute, absent without one.
func anyValue(r raw, depth int) canon.Any {
	if depth > deepestValue {
		return canon.Any{}
	}
	for name, v := range r.fields() {
		switch strings.ReplaceAll(name, "_", "") {
		case "stringValue", "stringvalue", "bytesValue", "bytesvalue", "boolValue", "boolvalue", "doubleValue", "doublevalue":
			return v.value()
		case "intValue", "intvalue":
			if text := v.text(); text != "" { // 64 bits are a text in JSON
				if n, err := strconv.ParseInt(text, 10, 64); err == nil {
					return canon.Number(n)
				}
			}
			return v.value()
		case "arrayValue", "arrayvalue":
			var list []canon.Any
			for _, e := range v.fields()["values"].elems() {
				list = append(list, anyValue(e, depth+1))
			}
			return canon.ArrayOf(list...)
		case "kvlistValue", "kvlistvalue":
			var members []canon.Member
			for _, e := range v.fields()["values"].elems() {
				f := e.fields()
				members = append(members, canon.Member{Name: f.text("key"), Value: anyValue(f["value"], depth+1)})
			}
			return objectOf(members)
		}
	}
	return canon.Any{}
}

// objectOf makes an object; of equal names the last counts.
func objectOf(members []canon.Member) canon.Any {
	last := map[string]canon.Any{}
	for _, m := range members {
		last[m.Name] = m.Value
	}
	list := make([]canon.Member, 0, len(last))
	for _, name := range slices.Sorted(maps.Keys(last)) {
		list = append(list, canon.Member{Name: name, Value: last[name]})
	}
	return canon.Object(list...)
}

// text returns the first of some attributes that is a text with something in it.
func (a attributes) text(names ...string) string {
	for _, name := range names {
		if v := a[name]; v.Kind == canon.KindString && v.Text != "" {
			return v.Text
		}
	}
	return ""
}

// count returns the first of some attributes that is a number of tokens, nil if none is.
func (a attributes) count(names ...string) *int64 {
	for _, name := range names {
		if n := provider.Count(a[name]); n != nil {
			return n
		}
	}
	return nil
}

// json returns the first of some attributes that is there: as it is, or the list or object that its text writes.
func (a attributes) json(names ...string) canon.Any {
	for _, name := range names {
		switch v := a[name]; v.Kind {
		case canon.KindAbsent, canon.KindNull:
		case canon.KindString:
			if v.Text != "" {
				return written(v)
			}
		default:
			return v
		}
	}
	return canon.Any{}
}

// written returns the list or object that a text writes in JSON, else the value.
func written(v canon.Any) canon.Any {
	text := strings.TrimSpace(v.Text)
	if v.Kind == canon.KindString && (strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{")) {
		if inside, err := canon.ParseAny([]byte(text)); err == nil {
			return inside
		}
	}
	return v
}

// below returns what the attributes with a prefix say together: lists and objects that are written as one attribute
// for each leaf, with the path to it in the name, such as llm.input_messages.0.message.role; absent if there are none.
func (a attributes) below(prefix string) canon.Any {
	var names []string
	for name := range a {
		if strings.HasPrefix(name, prefix+".") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	root := &branch{}
	for _, name := range names {
		path := strings.Split(name[len(prefix)+1:], ".")
		if len(path) <= deepestValue {
			root.put(path, a[name])
		}
	}
	return root.value()
}

// branch is an object or a list that is put together.
type branch struct {
	leaf canon.Any
	sub  map[string]*branch
}

func (b *branch) put(path []string, v canon.Any) {
	for _, name := range path {
		if b.sub == nil {
			b.sub = map[string]*branch{}
		}
		if b.sub[name] == nil {
			b.sub[name] = &branch{}
		}
		b = b.sub[name]
	}
	b.leaf = v
}

// value returns the list that numbered members make up, else the object, else the leaf.
func (b *branch) value() canon.Any {
	if len(b.sub) == 0 {
		return b.leaf
	}
	names := slices.Collect(maps.Keys(b.sub))
	number := func(name string) int {
		n, err := strconv.Atoi(name)
		if err != nil {
			return -1
		}
		return n
	}
	numbered := !slices.ContainsFunc(names, func(name string) bool { return number(name) < 0 })
	slices.SortFunc(names, func(a, c string) int { return cmp.Or(cmp.Compare(number(a), number(c)), cmp.Compare(a, c)) })
	if numbered {
		list := make([]canon.Any, len(names))
		for i, name := range names {
			list[i] = b.sub[name].value()
		}
		return canon.ArrayOf(list...)
	}
	var members []canon.Member
	for _, name := range names {
		members = append(members, canon.Member{Name: name, Value: b.sub[name].value()})
	}
	return objectOf(members)
}
