package view

import (
	"context"
	"maps"
	"slices"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
)

// mostNames is how many names of a sort an answer has at most.
const mostNames = 500

// Names are the names that occur in a state, to complete a selector with. Each list is sorted.
type Names struct {
	Types      []string    `json:"types" nullable:"false"`
	Attributes []Attribute `json:"attributes" nullable:"false"`
	Roles      []string    `json:"roles" nullable:"false"`
	Kinds      []string    `json:"kinds" nullable:"false"`
	Keys       []string    `json:"keys" nullable:"false"`
	Tags       []string    `json:"tags" nullable:"false"`
	Tools      []string    `json:"tools" nullable:"false"`
}

// Attribute is the name of an attribute and, if they are few, the values that it has.
type Attribute struct {
	Name   string   `json:"name"`
	Values []string `json:"values,omitempty"`
}

// mostValues is how many values of an attribute an answer has; one that has more has none.
const mostValues = 50

// Names lists the names that occur, at most 500 of each sort. Cost: all nodes of the state.
func (v *State) Names(ctx context.Context) (list *Names, err error) {
	t := tree.Of(v.Snapshot)
	types, roles, kinds, keys, tags, tools := set{}, set{}, set{}, set{}, set{}, set{}
	values := map[string]set{}
	for e, err := range t.All() {
		if err != nil {
			return nil, err
		}
		n := e.Node()
		types.put(n.Type)
		roles.put(n.Role)
		kinds.put(n.Kind)
		keys.put(n.Key)
		for _, tag := range n.Tags {
			tags.put(tag)
		}
		if n.Kind == toolcall.Definition || n.Kind == toolcall.Call {
			name, err := toolcall.Name(ctx, t, n)
			if err != nil {
				return nil, err
			}
			tools.put(name)
		}
		for _, h := range n.Headers {
			if tree.CustomName(h.Name) && len(values) < mostNames {
				if values[h.Name] == nil {
					values[h.Name] = set{}
				}
				if h.Value.Kind() != canon.KindObject && len(values[h.Name]) <= mostValues {
					values[h.Name].put(plainText(h.Value))
				}
			}
		}
	}
	list = &Names{Types: types.sorted(), Roles: roles.sorted(), Kinds: kinds.sorted(), Keys: keys.sorted(),
		Tags: tags.sorted(), Tools: tools.sorted(), Attributes: []Attribute{}}
	for _, name := range attributes {
		a := Attribute{Name: name}
		switch name {
		case "role":
			a.Values = list.Roles
		case "kind":
			a.Values = list.Kinds
		case "tool":
			a.Values = list.Tools
		}
		list.Attributes = append(list.Attributes, a)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		a := Attribute{Name: name}
		if len(values[name]) <= mostValues {
			a.Values = values[name].sorted()
		}
		list.Attributes = append(list.Attributes, a)
	}
	return list, ctx.Err()
}

// plainText returns a text as it is, and any other value as JSON.
func plainText(v canon.Value) string {
	if text, ok := v.Text(); ok {
		return text
	}
	return string(v)
}

// set is a set of names.
type set map[string]bool

func (s set) put(name string) {
	if name != "" && len(s) < mostNames {
		s[name] = true
	}
}

func (s set) sorted() []string { return append([]string{}, slices.Sorted(maps.Keys(s))...) }

// attributes are the names of attributes that the language defines, in the
// order in which they are suggested.
var attributes = []string{"role", "kind", "type", "nodeType", "id", "key", "tag", "tags", "tool", "failed", "bytes",
	"tokens", "content", "refs", "offset", "ttl", "priority", "pinned", "removable", "cycle", "age", "depth", "sdepth",
	"born_turn", "provenance", "mime", "encoding", "created_at_ns", "created_at_iso", "creation_index", "content_hash"}
