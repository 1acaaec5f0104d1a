package enginetest

import (
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// same compares everything that two trees show.
func same(t *testing.T, want, got *tree.Tree) {
	t.Helper()
	if want.Cycle() != got.Cycle() {
		t.Fatalf("got a tree of cycle %d, want %d", got.Cycle(), want.Cycle())
	}
	sure.Done(tree.Compare(want, got, func(d tree.Difference) bool {
		t.Errorf("cycle %d: %+v under %q became %+v under %q", want.Cycle(), d.Old, d.OldParent, d.New, d.NewParent)
		return false
	}))
	if want.Digest() != got.Digest() || *want.Root().Summary() != *got.Root().Summary() {
		t.Fatalf("cycle %d differs: %+v, want %+v", want.Cycle(), *got.Root().Summary(), *want.Root().Summary())
	}
	var entries []*tree.Entry
	for e := range sure.All(want.All()) {
		entries = append(entries, e.Entry)
	}
	i := 0
	for p := range sure.All(got.All()) {
		e, parent := p.Entry, p.Parent
		w := entries[i]
		i++
		if e.Class() != w.Class() || parent != sure.Get(want.Parent(e.Node().ID)) || e.Digest() != w.Digest() {
			t.Fatalf("cycle %d: %q is a %v under %q", want.Cycle(), e.Node().ID, e.Class(), parent)
		}
		sameNode(t, w.Node(), e.Node())
		for _, ref := range e.Node().Refs {
			if !slices.Contains(slices.Collect(sure.All(got.Referrers(ref))), e.Node().ID) {
				t.Errorf("cycle %d: %q is not among those that refer to %q", want.Cycle(), e.Node().ID, ref)
			}
		}
	}
}

func sameNode(t *testing.T, want, got *tree.Node) {
	t.Helper()
	if want == got {
		return
	}
	a, b := *want, *got
	read, err := b.Content.Value(background)
	must(t, err)
	// Made again from what was read, with its hash computed: the store of the other tree may be
	// closed by now.
	again := b
	again.Content = tree.InMemory(read)
	if !tree.NewNode(again, nil).Equal(want) || a.Content.Size() != b.Content.Size() {
		t.Errorf("%q has the content %s", a.ID, read)
	}
	if a.ID != b.ID || a.Type != b.Type || a.Offset != b.Offset || a.Priority != b.Priority || a.Cycle != b.Cycle ||
		a.CreatedNS != b.CreatedNS || a.ForeignISO != b.ForeignISO || a.Index != b.Index || a.Expiry != b.Expiry ||
		!slices.Equal(a.Headers, b.Headers) || a.Hash != b.Hash || a.HashOK != b.HashOK ||
		a.Role != b.Role || a.Kind != b.Kind || a.Key != b.Key || !slices.Equal(a.Tags, b.Tags) ||
		!slices.Equal(a.Refs, b.Refs) || a.Removable != b.Removable || a.Pinned != b.Pinned {
		t.Errorf("read %+v, want %+v", b, a)
	}
}
