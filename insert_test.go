package pact_test

import (
	"cmp"
	"errors"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/store/sqlite"
)

// The filters of every hop of an insertion count.
func TestInsertionHopsAreFiltered(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()), pact.CreateOptions{Edition: selector.Canonical})
	_, err := c.Commit(background, &pact.CommitOptions{Edit: say("one")})
	must(t, err)
	for position, want := range map[string]fault.Code{
		"(d1[cycle=1], end)": fault.Sealed, "(d1, seg{cycle=1}, end)": fault.Sealed, // found, and closed
		"(d0[cycle=1], end)": "", "(d1, cont[offset=0][cycle=9], end)": fault.NodeNotFound,
		"(d1[cycle=99], end)": fault.NodeNotFound, "(d0[role=nobody], end)": fault.NodeNotFound,
		"(d1, seg[cycle=99], end)": fault.NodeNotFound,
		"(d-1[role=nobody], end)":  fault.NodeNotFound, "(seg, end)": fault.PlacementInvalid,
		"(cont, end)":       fault.PlacementInvalid,
		"(depth(0,1), end)": fault.PlacementInvalid, "(d7, end)": fault.NodeNotFound,
	} {
		failed := errors.New("no")
		err := c.Edit(background, func(b *pact.Batch) error {
			b.Add(position, pact.Spec{Offset: 1, Content: "x"})
			return cmp.Or(b.Err(), failed) // every position is tried on the same state
		}, nil)
		if want == "" && err != failed || want != "" && fault.CodeOf(err) != want {
			t.Errorf("%s: got %v, want %q", position, err, want)
		}
	}
}

// An id may begin like a position; a node that has it is the parent.
func TestAddUnderAnIDThatBeginsLikeAPosition(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	must(t, c.Edit(background, func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "(d0, end)", NodeType: "cont", Offset: 1})
		b.Add("(d0, end)", pact.Spec{ID: "child", Content: "x"})
		return nil
	}, nil))
	if got := sure.Get(tree.Of(c.Working()).Parent("child")); got != "(d0, end)" {
		t.Errorf("the parent is %q", got)
	}
}

// Of any type but the two that describe a node, nothing is added.
func TestAddRefusesWhatDescribesNoNode(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	for _, node := range []any{nil, 5, &pact.Spec{}, map[string]any{"content": "x"}} {
		err := c.Edit(background, func(b *pact.Batch) error { b.Add("^ah", node); return nil }, nil)
		if !errors.Is(err, fault.DocumentInvalid) {
			t.Errorf("%T: %v", node, err)
		}
	}
	err := c.Edit(background, func(b *pact.Batch) error { b.Add("head", "block"); return nil }, nil)
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.NodeNotFound || !strings.Contains(f.Remedy, "^ah") {
		t.Errorf("an unknown parent: %v", err)
	}
}

// A filter on content reads it from the store, where it is not in memory.
func TestInsertionByContentOfAStore(t *testing.T) {
	s, err := dbtest.Open(sqlite.Open(background, t.TempDir()+"/gap.db"))
	must(t, err)
	defer s.Close()
	c := create(t, s, pact.CreateOptions{Edition: selector.Canonical})
	_, err = c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "g", NodeType: "cont", Offset: 2, Content: strings.Repeat("QQ", 50_000)})
		return nil
	}})
	must(t, err)
	again, err := pact.Open(background, s, "c", nil)
	must(t, err)
	must(t, again.Edit(background, func(b *pact.Batch) error {
		b.Add("(d1, cont[content~'QQ'], end)", pact.Spec{ID: "k", Content: "x"})
		return nil
	}, nil))
	if got := sure.Get(tree.Of(again.Working()).Parent("k")); got != "g" {
		t.Errorf("the node is below %q", got)
	}
}
