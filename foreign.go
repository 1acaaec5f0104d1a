package pact

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/document"
)

// Strict refuses a history that had to be mended: snapshots newest first,
// another root or region. It also refuses what no context can have done: sealed
// turns that change, ids that come back, more than one edition. Without it
// ImportHistory mends the former, takes the latter as it is, and says so in its
// findings.
func Strict() Option { return func(o *options) { o.strict = true } }

// Renumber counts the cycles of a history of snapshots anew from that of the
// oldest, one for every line, and says which in the findings. Without it a
// history with a gap between its cycles is refused: every cycle is one snapshot
// (05 §3.2, §6.6), and an address has to find what it names.
func Renumber() Option { return func(o *options) { o.renumber = true } }

// numbered makes a snapshot the one of the next cycle, where that was asked for,
// and refuses it otherwise where it is not.
func (h *historyReader) numbered(doc canon.Any) (canon.Any, error) {
	if h.last == nil || doc.Kind != canon.KindObject {
		return doc, nil
	}
	want := h.last.Cycle() + 1
	v, ok := doc.Get("cycle")
	if ok && v.Value() == canon.Int(want) {
		return doc, nil
	}
	found := "no cycle"
	if ok {
		found = "cycle " + clipped(string(v.Value()))
	}
	found += " follows cycle " + strconv.FormatInt(want-1, 10)
	if !h.renumber {
		return doc, fault.New(fault.DocumentInvalid, found, "a history has one snapshot for every cycle; to count its snapshots anew, import it with --renumber")
	}
	h.found("", found+": read as cycle "+strconv.FormatInt(want, 10))
	return with(doc, "cycle", number(want)), nil
}

// clipped is the beginning of what a document says, for a message.
func clipped(s string) string {
	if len(s) > 32 {
		return s[:32] + "…" // canonical JSON is ASCII
	}
	return s
}

// mend makes a snapshot that another tool wrote follow the last one: its root
// and regions get the ids that they have had so far.
func (h *historyReader) mend(doc canon.Any) canon.Any {
	if h.strict || h.last == nil || doc.Kind != canon.KindObject {
		return doc
	}
	root, ok := doc.Get("root")
	if !ok || root.Kind != canon.KindObject {
		return doc
	}
	root = h.renamed(root, h.last.Root().Node().ID, "the root")
	children, _ := root.Get("children")
	children.Elems = slices.Clone(children.Elems)
	for i, child := range children.Elems {
		kind, _ := child.Get("nodeType")
		for e := range h.last.Root().Children().All() {
			if child.Kind == canon.KindObject && kind.Text == e.Class().String() {
				children.Elems[i] = h.renamed(child, e.Node().ID, kind.Text)
			}
		}
	}
	if children.Kind == canon.KindArray {
		root = with(root, "children", children)
	}
	return with(doc, "root", root)
}

// sameEdition objects to a snapshot of another edition than the first. What the
// caller said counts for all of them.
func (h *historyReader) sameEdition(doc canon.Any) error {
	v, ok := doc.Get("edition")
	if h.last == nil {
		h.named = h.edition != ""
		return nil
	}
	if !ok || h.named || v.Text == string(h.edition) {
		return nil
	}
	return h.objection("", "the snapshot is of edition "+v.Text+", the first is of "+string(h.edition))
}

// aged gives a node that does not say its cycle, and all below it, the one that
// the snapshot before gave it: it does not come anew with every snapshot. A root
// or region without an id has its usual one.
func (h *historyReader) aged(node canon.Any, usual string) canon.Any {
	if h.last == nil || node.Kind != canon.KindObject {
		return node
	}
	id := usual
	if v, ok := node.Get("id"); ok {
		id = v.Text
	}
	if _, ok := node.Get("cycle"); !ok {
		if n := h.last.Node(id); n != nil {
			node = with(node, "cycle", number(n.Cycle))
		}
	}
	children, _ := node.Get("children")
	if children.Kind != canon.KindArray {
		return node
	}
	children.Elems = slices.Clone(children.Elems)
	for i, child := range children.Elems {
		kind, _ := child.Get("nodeType")
		children.Elems[i] = h.aged(child, strings.TrimPrefix(kind.Text, "^"))
	}
	return with(node, "children", children)
}

// renamed gives a node the id that it has had so far. The active head is
// another node in every cycle.
func (h *historyReader) renamed(node canon.Any, id, what string) canon.Any {
	if what == "^ah" {
		return node
	}
	was, ok := node.Get("id")
	if ok && was.Text == id {
		return node
	}
	if ok {
		h.found(id, what+" was called "+was.Text+" here: read as "+id)
	}
	return with(node, "id", canon.Any{Kind: canon.KindString, Text: id})
}

func (h *historyReader) found(node, message string) {
	h.findings = append(h.findings, inspect.Finding{Code: fault.DocumentInvalid, Node: node, Message: message})
}

// with sets a member of an object.
func with(object canon.Any, name string, v canon.Any) canon.Any {
	return canon.Object(append(slices.Clone(object.Members), canon.Member{Name: name, Value: v})...)
}

func number(n int64) canon.Any {
	return canon.Any{Kind: canon.KindNumber, Text: strconv.FormatInt(n, 10)}
}

// older reports whether a line is a snapshot older than the one before it.
func (h *historyReader) older(data []byte) bool {
	if h.strict || h.last == nil || h.compact || len(h.changes) > 0 {
		return false
	}
	doc, err := document.Parse(data)
	if err != nil {
		return false
	}
	v, _ := doc.Get("cycle")
	cycle, ok := v.Value().Int64()
	return ok && cycle < h.last.Cycle()
}
