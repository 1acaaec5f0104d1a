package differ

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// Fields returns the sorted names of the headers in which two versions of a node
// differ. A ttl is counted from the cycle of each snapshot, so a ttl that ran down
// is a change (05 §4.2).
func Fields(d tree.Difference, oldCycle, newCycle int64) []string {
	a, b := d.Old, d.New
	var fields []string
	add := func(name string, differs bool) {
		if differs {
			fields = append(fields, name)
		}
	}
	oldTTL, oldFinite := a.TTL(oldCycle)
	newTTL, newFinite := b.TTL(newCycle)
	add("nodeType", a.Type != b.Type)
	add("offset", a.Offset != b.Offset)
	add("priority", a.Priority != b.Priority)
	add("cycle", a.Cycle != b.Cycle)
	add("created_at_ns", a.CreatedNS != b.CreatedNS)
	add("created_at_iso", (a.CreatedNS != b.CreatedNS || a.ForeignISO != b.ForeignISO) && a.CreatedISO() != b.CreatedISO())
	add("creation_index", a.Index != b.Index)
	add("ttl", oldFinite != newFinite || oldTTL != newTTL)
	add("content_hash", hashed(a, d.OldClass) != hashed(b, d.NewClass) || hashed(a, d.OldClass) && !a.SameContent(b))
	add(parentField(b), d.OldParent != d.NewParent)
	for _, h := range a.Headers {
		add(h.Name, b.Header(h.Name) != h.Value)
	}
	for _, h := range b.Headers {
		add(h.Name, !a.Has(h.Name))
	}
	slices.Sort(fields)
	return fields
}

// parentField is the name of the field with the parent (1.0 02 §3.1.1).
func parentField(n *tree.Node) string {
	if n.Bare {
		return "parent_id"
	}
	return "parent"
}

// hashed reports whether a node shows a content hash: blocks always do,
// containers where they have content.
func hashed(n *tree.Node, c tree.Class) bool { return c == tree.Block || n.Content.Size() > 0 }

// FieldsOf returns both values of some headers of a node that differs. A ttl is
// counted from the cycle of each snapshot.
func FieldsOf(d tree.Difference, names []string, oldCycle, newCycle int64) []diff.Field {
	list := make([]diff.Field, len(names))
	for i, name := range names {
		list[i] = diff.Field{Name: name,
			Previous: json.RawMessage(field(d.Old, d.OldClass, d.OldParent, name, oldCycle)),
			New:      json.RawMessage(field(d.New, d.NewClass, d.NewParent, name, newCycle))}
	}
	return list
}

// Delta returns the values of the fields that are scalar on both sides. It leaves
// lists and objects out.
func (p *Pair) Delta(d tree.Difference, fields []string) map[string]diff.Values {
	delta := make(map[string]diff.Values, len(fields))
	for _, f := range fields {
		newer := field(d.New, d.NewClass, d.NewParent, f, p.newCycle)
		older := field(d.Old, d.OldClass, d.OldParent, f, p.oldCycle)
		if scalar(newer) && scalar(older) {
			delta[f] = diff.Values{From: json.RawMessage(newer), To: json.RawMessage(older)}
		}
	}
	return delta
}

func scalar(v canon.Value) bool {
	return v.Kind() != canon.KindArray && v.Kind() != canon.KindObject
}

// field returns a header as an export has it, null if the version lacks it.
func field(n *tree.Node, c tree.Class, parent, name string, cycle int64) canon.Value {
	switch name {
	case parentField(n):
		return canon.String(parent)
	case "content_hash":
		if !hashed(n, c) {
			return canon.Null
		}
		return canon.String(n.ContentHash())
	}
	if v := n.AppendMandatory(nil, name, cycle); len(v) > 0 {
		return canon.Value(v)
	}
	return cmp.Or(n.Header(name), canon.Null)
}
