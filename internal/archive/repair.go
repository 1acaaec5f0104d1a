package archive

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/document"
)

// withNextCycle makes a snapshot the one of the next cycle where the options say
// so; otherwise it refuses one that is of another cycle (05 §3.2, §6.6).
func (r *historyReader) withNextCycle(doc canon.Any) (canon.Any, error) {
	if r.last == nil || doc.Kind != canon.KindObject {
		return doc, nil
	}
	want := r.last.Cycle() + 1
	v, ok := doc.Get("cycle")
	if ok && v.Value() == canon.Int(want) {
		return doc, nil
	}
	found := "no cycle"
	if ok {
		found = "cycle " + clipped(string(v.Value()))
	}
	found += " follows cycle " + strconv.FormatInt(want-1, 10)
	if !r.Renumber {
		return doc, fault.At(fault.DocumentInvalid, fault.NoOffset, "cycle", found,
			"a history has one snapshot for every cycle; Renumber counts them anew")
	}
	r.report("", found+": read as cycle "+strconv.FormatInt(want, 10))
	return withMember(doc, "cycle", integer(want)), nil
}

// clipped returns the first 32 bytes of what a document says, for a message.
func clipped(s string) string {
	if len(s) > 32 {
		return s[:32] + "…" // canonical JSON is ASCII
	}
	return s
}

// keepIDs gives the root and the regions of a snapshot that another tool wrote the
// ids that they have had so far.
func (r *historyReader) keepIDs(doc canon.Any) canon.Any {
	if r.Strict || r.last == nil || doc.Kind != canon.KindObject {
		return doc
	}
	root, ok := doc.Get("root")
	if !ok || root.Kind != canon.KindObject {
		return doc
	}
	root = r.withID(root, r.last.Root().Node().ID, "the root")
	children, _ := root.Get("children")
	children.Elems = slices.Clone(children.Elems)
	for i, child := range children.Elems {
		kind, _ := child.Get("nodeType")
		for e := range r.last.Root().Children().All() {
			if child.Kind == canon.KindObject && kind.Text == e.Class().String() {
				children.Elems[i] = r.withID(child, e.Node().ID, kind.Text)
			}
		}
	}
	if children.Kind == canon.KindArray {
		root = withMember(root, "children", children)
	}
	return withMember(doc, "root", root)
}

// checkEdition refuses or reports a snapshot of another edition than the first. An
// edition that the caller gave counts for all of them.
func (r *historyReader) checkEdition(doc canon.Any) error {
	v, ok := doc.Get("edition")
	if r.last == nil {
		r.editionGiven = r.Edition != ""
		return nil
	}
	if !ok || r.editionGiven || v.Text == string(r.Edition) {
		return nil
	}
	return r.refuseOrReport("", "the snapshot is of edition "+v.Text+", the first is of "+string(r.Edition))
}

// keepCycles gives a node that does not say its cycle, and all below it, the cycle
// that it had in the snapshot before: it does not come anew with every snapshot.
// usual is the id of a root or region that has none.
func (r *historyReader) keepCycles(node canon.Any, usual string) canon.Any {
	if r.last == nil || node.Kind != canon.KindObject {
		return node
	}
	id := usual
	if v, ok := node.Get("id"); ok {
		id = v.Text
	}
	if _, ok := node.Get("cycle"); !ok {
		if n := r.last.Node(id); n != nil {
			node = withMember(node, "cycle", integer(n.Cycle))
		}
	}
	children, _ := node.Get("children")
	if children.Kind != canon.KindArray {
		return node
	}
	children.Elems = slices.Clone(children.Elems)
	for i, child := range children.Elems {
		kind, _ := child.Get("nodeType")
		children.Elems[i] = r.keepCycles(child, strings.TrimPrefix(kind.Text, "^"))
	}
	return withMember(node, "children", children)
}

// withID gives a root or region the id that it has had so far. The active head is
// another node in every cycle (02 §6.2) and keeps its own.
func (r *historyReader) withID(node canon.Any, id, what string) canon.Any {
	if what == "^ah" {
		return node
	}
	was, ok := node.Get("id")
	if ok && was.Text == id {
		return node
	}
	if ok {
		r.report(id, what+" was called "+was.Text+" here: read as "+id)
	}
	return withMember(node, "id", canon.Any{Kind: canon.KindString, Text: id})
}

func (r *historyReader) report(node, message string) {
	r.findings = append(r.findings, inspect.Finding{Code: fault.DocumentInvalid, Node: node, Message: message})
}

// withMember returns an object with a member set: of two of one name, the last one
// counts.
func withMember(object canon.Any, name string, v canon.Any) canon.Any {
	return canon.Object(append(slices.Clone(object.Members), canon.Member{Name: name, Value: v})...)
}

func integer(n int64) canon.Any {
	return canon.Any{Kind: canon.KindNumber, Text: strconv.FormatInt(n, 10)}
}

// goesBackwards reports whether the second line of a history is a snapshot older
// than the first.
func (r *historyReader) goesBackwards(data []byte) bool {
	if r.Strict || r.last == nil || r.compact || len(r.changes) > 0 {
		return false
	}
	doc, err := document.Parse(data)
	if err != nil {
		return false
	}
	v, _ := doc.Get("cycle")
	cycle, ok := v.Value().Int64()
	return ok && cycle < r.last.Cycle()
}
