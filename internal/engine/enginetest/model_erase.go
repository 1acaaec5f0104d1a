package enginetest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// moved counts an erasure that changed the context.
func (d *driver) moved() {
	d.state.Revision++
	d.state.Erasures++
}

// expect computes what an erasure will lead to: the history as it would be if the nodes had
// been empty from the beginning. If that differs, it returns true and counts the erasure.
func (d *driver) expect(ids map[string]bool) (changed bool) {
	d.Helper()
	d.reload() // contents read before may be in a store that is closed by now
	if len(d.snapshots) > 0 {
		list, err := engine.Collect(d.store.History(background, d.state.Key, d.state.First, d.state.Cycle))
		must(d.T, err)
		for _, t := range list {
			d.snapshots[t.Cycle()] = t
		}
	}
	defer func() {
		if changed {
			d.moved()
		}
	}()
	d.since = d.state.Stamps.Cycle
	again := func(t *tree.Tree) *tree.Tree {
		next := emptied(d.T, t, ids)
		if next.Digest() != t.Digest() {
			changed, d.since = true, min(d.since, t.Cycle())
		}
		return next
	}
	for cycle, t := range d.snapshots {
		d.snapshots[cycle] = again(t)
	}
	d.state.Head, d.state.Working = again(d.state.Head), again(d.state.Working)
	return changed
}

// emptied builds a tree again, with gaps in place of nodes.
func emptied(t *testing.T, from *tree.Tree, ids map[string]bool) *tree.Tree {
	t.Helper()
	index := map[string]int{}
	var list []tree.Placed
	for p := range sure.All(from.All()) {
		e, parent := p.Entry, p.Parent
		p := tree.Placed{Node: e.Node(), Parent: -1}
		if parent != "" {
			p.Parent = index[parent]
		}
		if ids[e.Node().ID] {
			p.Node = emptyNode(t, e.Node())
		}
		index[e.Node().ID] = len(list)
		list = append(list, p)
	}
	built, err := tree.Build(from.Cycle(), list)
	must(t, err)
	return built
}

// emptyNode returns the rest of an erased node according to the documentation.
func emptyNode(t *testing.T, n *tree.Node) *tree.Node {
	t.Helper()
	if n.Header("pact:erased") != "" {
		return n
	}
	all, headers := map[string]any{"id": n.ID, "content": nil}, []tree.Header{}
	content, err := n.Content.Value(background)
	must(t, err)
	if content == "" {
		delete(all, "content")
	} else {
		all["content"] = content
	}
	for _, h := range n.Headers {
		all[h.Name] = h.Value
		switch text, _ := h.Value.Text(); {
		case h.Name == "role" && slices.Contains([]string{"user", "assistant", "tool", "system", "other"}, text),
			h.Name == "kind" && slices.Contains([]string{"text", "call", "result", "image", "audio", "summary", "stub"}, text),
			h.Name == "refs", h.Name == "pinned", h.Name == "removable":
			headers = append(headers, h)
		}
	}
	message, err := canon.Encode(all)
	must(t, err)
	mac := hmac.New(sha256.New, salt)
	mac.Write([]byte(message))
	gap := *n
	gap.ForeignISO, gap.Content = "", tree.Content{}
	gap.Headers = append(headers, tree.Header{Name: "pact:erased",
		Value: canon.String(hex.EncodeToString(mac.Sum(nil)))})
	if content != "" {
		gap.Content = tree.InMemory(`"[erased]"`)
	}
	return tree.NewNode(gap, nil)
}

// settled compares what the log records about the snapshots with the snapshots, and checks that
// the last entry is the erasure.
func (d *driver) settled(ids []string) {
	d.Helper()
	log, err := d.store.Log(background, d.state.Key, 1, d.state.Revision)
	must(d.T, err)
	for i, e := range log {
		last := i == len(log)-1
		switch {
		case e.Kind == history.Commit || e.Kind == history.Forked:
			if t := d.snapshots[e.Cycle]; t != nil && (e.Digest != t.Digest().String() ||
				e.Thread != t.ThreadDigest().String()) {
				d.Errorf("%s: the log records another digest of cycle %d than that of the snapshot", d.state.Name, e.Cycle)
			}
		case !last && e.Kind != history.Create && e.Cycle >= d.since && e.Digest != "":
			d.Errorf("%s: revision %d still has a digest", d.state.Name, e.Revision)
		}
	}
	e := log[len(log)-1]
	of := e.Erased()
	if e.Kind != history.Erasing || of == nil || e.Actor != "officer" || e.Message != "asked for" ||
		e.Digest != d.state.Working.Digest().String() {
		d.Fatalf("%s: the log ends with %+v", d.state.Name, e)
	}
	if ids != nil && !slices.Equal(of.IDs, ids) {
		d.Errorf("%s: the log says that %q were erased, want %q", d.state.Name, of.IDs, ids)
	}
	if sum := sha256.Sum256(salt); of.Salt != hex.EncodeToString(sum[:]) {
		d.Errorf("the salt is said to be %s", of.Salt)
	}
}
