package pact

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// historyReader collects the trees of a history, each made from the one before
// it, so that they share what did not change.
type historyReader struct {
	options
	compact  bool
	empty    bool       // the first tree is no snapshot
	first    *tree.Tree // of the oldest snapshot, or of a new context
	last     *tree.Tree
	changes  []store.Change
	draft    *tree.Tree  // the working state, where the history holds one
	entry    store.Entry // of the first snapshot
	findings []inspect.Finding
	gone     map[string]bool // ids that only earlier snapshots have
	named    bool            // the caller named the edition
}

func (h *historyReader) line(data []byte) error {
	doc, err := document.Parse(data)
	if err != nil {
		return err
	}
	if v, ok := doc.Get("pact_history"); ok {
		return h.head(doc, v)
	}
	if h.compact {
		return h.delta(doc)
	}
	if err := h.sameEdition(doc); err != nil {
		return err
	}
	if doc, err = h.numbered(doc); err != nil {
		return err
	}
	doc = h.mend(doc)
	if root, ok := doc.Get("root"); ok && h.last != nil {
		doc = with(doc, "root", h.aged(root, "root"))
	}
	d, err := document.FromAny(doc, document.Options{Edition: h.edition})
	if err != nil {
		return err
	}
	h.edition = d.Edition
	h.findings = append(h.findings, d.Findings...)
	if h.last == nil {
		h.first, h.last = d.Tree, d.Tree
		return nil
	}
	if id := d.Tree.Root().Node().ID; id != h.last.Root().Node().ID {
		return fault.OnNode(fault.DocumentInvalid, id, "the root of a history stays the same", "import what comes from here on as another context")
	}
	gone, born := h.last.Delta(d.Tree)
	next := h.last.Patch(d.Tree.Cycle(), gone, born)
	if err := sameRegions(h.last, next, born); err != nil {
		return err
	}
	return h.publish(next, store.Entry{})
}

// head reads the first line of the compact form.
func (h *historyReader) head(doc, version canon.Any) error {
	if h.last != nil || h.compact || string(version.Value()) != strconv.Itoa(historyFormat) {
		return fault.New(fault.DocumentInvalid, "this is no beginning of a history of format "+strconv.Itoa(historyFormat), "export it again with a version of pact that this one knows")
	}
	h.compact = true
	name, _ := doc.Get("edition")
	e, err := selector.ParseEdition(name.Text)
	if err != nil {
		return err
	}
	if h.edition == "" {
		h.edition = e
	}
	return nil
}

// publish takes a tree as the snapshot of the next cycle.
func (h *historyReader) publish(t *tree.Tree, e store.Entry) error {
	if t.Cycle() != h.last.Cycle()+1 {
		return fault.New(fault.DocumentInvalid, "cycle "+strconv.FormatInt(t.Cycle(), 10)+" follows cycle "+strconv.FormatInt(h.last.Cycle(), 10), "lines are missing or out of order: write the history again")
	}
	if err := h.seal(t); err != nil {
		return err
	}
	e.Cycle = t.Cycle()
	h.changes = append(h.changes, store.Change{
		Before: h.last.WithCycle(t.Cycle()), After: t.WithCycle(t.Cycle() + 1), Sealed: t, Entry: e,
	})
	h.last = t
	return nil
}

// delta reads a line of the compact form.
func (h *historyReader) delta(doc canon.Any) error {
	if h.draft != nil {
		return fault.New(fault.DocumentInvalid, "nothing follows the working state", "")
	}
	kind, cycle, err := deltaKind(doc)
	if err != nil {
		return err
	}
	born, gone, err := h.bornAndGone(doc, cycle)
	if err != nil {
		return err
	}
	entry, err := readEntry(doc)
	if err != nil {
		return err
	}
	switch {
	case h.last == nil && kind != "working":
		h.entry = entry
		err := h.begin(cycle, born, kind == "empty")
		if err == nil {
			err = h.compare(h.first, entry)
		}
		return err
	case h.last == nil || kind == "empty":
		return fault.New(fault.DocumentInvalid, "a history begins with its oldest snapshot", "")
	}
	next, err := h.patched(cycle, gone, born)
	if err != nil {
		return err
	}
	if kind == "working" {
		h.draft = next
		return nil
	}
	if err := h.compare(next, entry); err != nil {
		return err
	}
	return h.publish(next, entry)
}

func readEntry(doc canon.Any) (store.Entry, error) {
	e, ok := doc.Get("entry")
	if !ok {
		return store.Entry{}, nil
	}
	var l logged
	if err := json.Unmarshal([]byte(e.Value()), &l); err != nil {
		return store.Entry{}, fault.Wrap(fault.DocumentInvalid, err, "the log entry cannot be read", "")
	}
	if sum, err := hex.DecodeString(l.Sent); err != nil || len(sum) != 0 && len(sum) != sha256.Size {
		return store.Entry{}, fault.At(fault.DocumentInvalid, fault.NoOffset, l.Sent, "sent is the SHA-256 of the bytes that were sent, in hexadecimal", "")
	}
	return store.Entry{Actor: l.Actor, Message: l.Message, Report: l.Report, Sent: l.Sent, Thread: l.Thread, TimeNS: l.TimeNS}, nil
}

// compare objects to a snapshot whose thread is not the one that the history
// says it had.
func (h *historyReader) compare(t *tree.Tree, e store.Entry) error {
	if e.Thread == "" || e.Thread == t.ThreadDigest().String() {
		return nil
	}
	return h.objection("", "the thread of cycle "+strconv.FormatInt(t.Cycle(), 10)+" is not the one that was recorded: the history was changed")
}

// deltaKind returns which line it is and the cycle it is of.
func deltaKind(doc canon.Any) (string, int64, error) {
	for _, kind := range [...]string{"cycle", "working", "empty"} {
		if v, ok := doc.Get(kind); ok {
			cycle, ok := v.Value().Int64()
			if kind == "working" { // which is one ahead of the last snapshot
				cycle--
			}
			if err := document.CheckCycle(cycle, ok); err != nil {
				return "", 0, err
			}
			cycle, _ = v.Value().Int64()
			return kind, cycle, nil
		}
	}
	return "", 0, fault.New(fault.DocumentInvalid, "a line of a history names its cycle", "")
}

// bornAndGone reads the nodes of a line and checks that they have their places.
func (h *historyReader) bornAndGone(doc canon.Any, cycle int64) (born []tree.Born, gone []string, err error) {
	list, _ := doc.Get("born")
	parents := make(map[string]string) // of the nodes of this line
	root := ""                         // a history begins with it
	if h.last != nil {
		root = h.last.Root().Node().ID
	}
	for _, b := range list.Elems {
		parent, _ := b.Get("parent")
		headers, _ := b.Get("node")
		n, findings, err := document.ReadNode(headers, cycle)
		if err != nil {
			return nil, nil, err
		}
		h.findings = append(h.findings, findings...)
		if _, twice := parents[n.ID]; twice {
			return nil, nil, fault.OnNode(fault.NodeDuplicate, n.ID, "a line brings a node once", "")
		}
		parents[n.ID] = parent.Text
		if root == "" {
			root = n.ID
		}
		if err := h.reachable(n.ID, root, parents); err != nil {
			return nil, nil, err
		}
		born = append(born, tree.Born{Node: n, Parent: parent.Text})
	}
	died, _ := doc.Get("died")
	for _, d := range died.Elems {
		if h.last != nil && d.Text == h.last.Root().Node().ID {
			return nil, nil, fault.OnNode(fault.DocumentInvalid, d.Text, "the root stays", "")
		}
		gone = append(gone, d.Text)
	}
	return born, gone, nil
}

// reachable checks that a node of a line hangs from the root, and not too deep.
func (h *historyReader) reachable(id, root string, parents map[string]string) error {
	at := id
	for range tree.MaxDepth {
		parent, listed := parents[at]
		if !listed && h.last != nil && h.last.Has(at) {
			parent, listed = h.last.Parent(at), true
		}
		switch {
		case !listed || (parent == "") != (at == root):
			return fault.OnNode(fault.DocumentInvalid, id, "the parent of the node is not there", "")
		case parent == "":
			return nil
		case parent == id:
			return fault.OnNode(fault.PlacementInvalid, id, "a node cannot be below itself", "")
		}
		at = parent
	}
	return fault.OnNode(fault.Limit, id, "nodes are nested more than "+strconv.Itoa(tree.MaxDepth)+" levels deep", "")
}

// patched applies a line to the last tree and checks the places it changed.
func (h *historyReader) patched(cycle int64, gone []string, born []tree.Born) (*tree.Tree, error) {
	next := h.last.Patch(cycle, gone, born)
	if next.Len() > tree.MaxNodes {
		return nil, fault.New(fault.Limit, "a tree holds at most "+strconv.Itoa(tree.MaxNodes)+" nodes", "")
	}
	if err := checkPlaces(next, born); err != nil {
		return nil, err
	}
	return next, sameRegions(h.last, next, born)
}

// sameRegions refuses an id that was a region and is none, or the reverse: a
// node does not become the active head.
func sameRegions(last, next *tree.Tree, born []tree.Born) error {
	for _, b := range born {
		was, is := last.Entry(b.Node.ID), next.Entry(b.Node.ID)
		if is != nil && is.Class() == tree.Block && is.Children().Len() > 0 {
			return fault.OnNode(fault.PlacementInvalid, b.Node.ID, "a block has no children", "")
		}
		if was != nil && is != nil && was.Class() != is.Class() && (was.Class().Region() || is.Class().Region()) {
			return fault.OnNode(fault.DocumentInvalid, b.Node.ID, "a node that was "+was.Class().String()+" cannot become "+is.Class().String(), "an id belongs to one node for the whole history")
		}
	}
	return nil
}

func checkPlaces(t *tree.Tree, born []tree.Born) error {
	if !t.HasRegions() {
		return fault.New(fault.PlacementInvalid, "a snapshot has ^sys, ^seq and ^ah", "")
	}
	for _, b := range born {
		path := t.Path(b.Node.ID)
		if len(path) < 2 {
			continue // the root, or gone again
		}
		if message := tree.PlacementFault(path[len(path)-1], path[len(path)-2]); message != "" {
			return fault.OnNode(fault.PlacementInvalid, b.Node.ID, message, "")
		}
	}
	return nil
}

// begin builds the first tree.
func (h *historyReader) begin(cycle int64, born []tree.Born, empty bool) error {
	if len(born) == 0 {
		return fault.New(fault.DocumentInvalid, "the first snapshot has no nodes", "")
	}
	index := make(map[string]int, len(born))
	placed := make([]tree.Placed, len(born))
	for i, b := range born {
		placed[i] = tree.Placed{Node: b.Node, Parent: -1}
		if i > 0 {
			placed[i].Parent = index[b.Parent]
		}
		index[b.Node.ID] = i
	}
	t, err := tree.Build(cycle, placed)
	if err != nil {
		return err
	}
	h.first, h.last, h.empty = t, t, empty
	return checkPlaces(t, born)
}

// genesis is the whole history as one step of a store.
func (h *historyReader) genesis(name string) store.Genesis {
	g := genesis(name, &document.Document{Tree: h.first, Edition: h.edition}, h.options)
	g.Imported = !h.empty
	if h.compact {
		h.entry.Cycle = g.Entry.Cycle
		g.Entry = h.entry
	}
	stamps := g.Stamps
	note := func(born []tree.Born) {
		for _, b := range born {
			stamps.LastNS = max(stamps.LastNS, b.Node.CreatedNS)
			stamps.Given = max(stamps.Given, tree.GeneratedCycle(b.Node.ID))
		}
	}
	for i, c := range h.changes {
		_, born := c.Before.Delta(c.Sealed)
		note(born)
		stamps.Cycle = c.After.Cycle()
		h.changes[i].Stamps = stamps
		if !h.compact {
			h.changes[i].Entry.TimeNS, h.changes[i].Entry.Actor = stamps.LastNS, h.actor
		}
	}
	g.Changes = h.changes
	if h.draft == nil {
		return g
	}
	before := h.last.WithCycle(h.last.Cycle() + 1)
	_, born := before.Delta(h.draft)
	if len(born) == 0 && before.Digest() == h.draft.Digest() {
		return g
	}
	note(born)
	stamps.Cycle = before.Cycle()
	for _, b := range born {
		if b.Node.Cycle == stamps.Cycle {
			stamps.Next = max(stamps.Next, b.Node.Index+1)
		}
	}
	g.Changes = append(g.Changes, store.Change{Before: before, After: h.draft.WithCycle(stamps.Cycle), Stamps: stamps,
		Entry: store.Entry{Cycle: stamps.Cycle, TimeNS: stamps.LastNS, Actor: h.actor}})
	return g
}
