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

// withNextCycle gives a snapshot the next cycle if the options say so; otherwise it refuses one
// with another cycle (05 §3.2, §6.6).
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
	return doc.With("cycle", canon.Number(want)), nil
}

// clipped returns the first 32 bytes of a text of the input, for a message.
func clipped(s string) string {
	if len(s) > 32 {
		return s[:32] + "…" // canonical JSON is ASCII
	}
	return s
}

// keepIDs gives the root and the regions of a snapshot from another tool the ids that they had
// in the previous snapshots.
func (r *historyReader) keepIDs(doc canon.Any) (canon.Any, error) {
	if r.Strict || r.last == nil || doc.Kind != canon.KindObject {
		return doc, nil
	}
	root, ok := doc.Get("root")
	if !ok || root.Kind != canon.KindObject {
		return doc, nil
	}
	root = r.withID(root, r.last.Root().Node().ID, "the root")
	children, _ := root.Get("children")
	children.Elems = slices.Clone(children.Elems)
	for i, child := range children.Elems {
		kind, _ := child.Get("nodeType")
		for e, err := range r.last.Root().Children().All() {
			if err != nil {
				return canon.Any{}, err
			}
			if child.Kind == canon.KindObject && kind.Text == e.Class().String() {
				children.Elems[i] = r.withID(child, e.Node().ID, kind.Text)
			}
		}
	}
	if children.Kind == canon.KindArray {
		root = root.With("children", children)
	}
	return doc.With("root", root), nil
}

// checkEdition refuses or reports a snapshot whose edition differs from that of the first. An
// edition from the caller is valid for all of them.
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

// keepCycles gives a node without a cycle, and everything below it, the cycle that it had in
// the previous snapshot: it does not begin anew with every snapshot. usual is the id of a root
// or region without one.
func (r *historyReader) keepCycles(node canon.Any, usual string) (canon.Any, error) {
	if r.last == nil || node.Kind != canon.KindObject {
		return node, nil
	}
	id := usual
	if v, ok := node.Get("id"); ok {
		id = v.Text
	}
	if _, ok := node.Get("cycle"); !ok {
		if n, err := r.last.Node(id); err != nil {
			return canon.Any{}, err
		} else if n != nil {
			node = node.With("cycle", canon.Number(n.Cycle))
		}
	}
	children, _ := node.Get("children")
	if children.Kind != canon.KindArray {
		return node, nil
	}
	children.Elems = slices.Clone(children.Elems)
	for i, child := range children.Elems {
		kind, _ := child.Get("nodeType")
		var err error
		if children.Elems[i], err = r.keepCycles(child, strings.TrimPrefix(kind.Text, "^")); err != nil {
			return canon.Any{}, err
		}
	}
	return node.With("children", children), nil
}

// withID gives a root or region the id that it had in the previous snapshots. The active head
// is another node in every cycle (02 §6.2) and keeps its own id.
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
	return node.With("id", canon.Text(id))
}

func (r *historyReader) report(node, message string) {
	r.findings = append(r.findings, inspect.Finding{Code: fault.DocumentInvalid, Node: node, Message: message})
}

// goesBackwards reports whether the second line of a history is an older snapshot than the
// first.
func (r *historyReader) goesBackwards(data []byte) bool {
	if r.Strict || r.last == nil || r.compact {
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
