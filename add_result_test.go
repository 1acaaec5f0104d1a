package pact_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// Wherever a call stands, its answer stands behind it in the thread, refers to
// it, and is referred to as long as the call is not sealed.
func TestAddResultPutsTheResultBehindItsCall(t *testing.T) {
	call := func(offset int64) pact.Spec {
		return pact.Spec{ID: "call", Role: "assistant", Kind: "call", Content: "f", Offset: offset}
	}
	for _, place := range []struct {
		name string
		add  func(b *pact.Batch) error
	}{
		{"in the core", func(b *pact.Batch) error { b.Add("^ah", call(0)); return nil }},
		{"before the core", func(b *pact.Batch) error { b.Add("^ah", call(-3)); return nil }},
		{"behind the core", func(b *pact.Batch) error { b.Add("^ah", call(7)); return nil }},
		{"in ^sys", func(b *pact.Batch) error { b.Add("^sys", call(2)); return nil }},
		{"in a group behind the core", func(b *pact.Batch) error {
			g := b.Add("^ah", pact.Spec{NodeType: "cont", Offset: 2})
			b.Add(g, call(0))
			return nil
		}},
		{"in a group of a group before the core", func(b *pact.Batch) error {
			g := b.Add("^ah", pact.Spec{NodeType: "cont", Offset: -2})
			g = b.Add(g, pact.Spec{NodeType: "cont", Offset: 5})
			b.Add(g, call(1))
			return nil
		}},
		{"in a core that was made, at an offset of its own", func(b *pact.Batch) error {
			g := b.Add("^ah", pact.Spec{NodeType: "cont"})
			b.Add(g, call(4))
			return nil
		}},
	} {
		for _, sealed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, sealed %v", place.name, sealed), func(t *testing.T) {
				c := create(t, pact.NewDB(store.NewMemory()))
				must(t, c.Edit(t.Context(), place.add, nil))
				if sealed {
					_, err := c.Commit(t.Context(),
						&pact.CommitOptions{Pruning: &pact.Pruning{Policy: lifecycle.Policy{Orphans: lifecycle.Keep}}})
					must(t, err)
				}
				answer := ""
				must(t, c.Edit(t.Context(), func(b *pact.Batch) (err error) {
					answer = b.AddResult("call", pact.Spec{Content: "r"})
					return nil
				}, nil))
				s, err := c.Commit(t.Context(), nil) // which refuses orphans
				must(t, err)
				var order []string
				for entry := range sure.All(tree.Of(s).All()) {
					n := entry.Node()
					if n.Kind == "call" || n.Kind == "result" {
						order = append(order, n.ID)
					}
				}
				if !slices.Equal(order, []string{"call", answer}) {
					t.Errorf("they stand as %q", order)
				}
				if n := sure.Get(tree.Of(s).Node(answer)); n.Role != "tool" || n.Kind != "result" || !slices.Equal(n.Refs, []string{"call"}) {
					t.Errorf("the answer is %+v", n)
				}
				if refs := sure.Get(tree.Of(s).Node("call")).Refs; slices.Contains(refs, answer) == sealed {
					t.Errorf("the call refers to %q", refs)
				}
			})
		}
	}
}

func TestAddResultRefusesWhatIsNoCall(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	must(t, c.Edit(t.Context(), say("no call"), nil))
	text := ""
	for entry := range sure.All(tree.Of(c.Working()).All()) {
		n := entry.Node()
		text = n.ID
	}
	for id, code := range map[string]fault.Code{"nobody": fault.NodeNotFound, text: fault.PlacementInvalid,
		"sys": fault.PlacementInvalid} {
		err := c.Edit(t.Context(), func(b *pact.Batch) error { b.AddResult(id, pact.Spec{}); return nil }, nil)
		if fault.CodeOf(err) != code {
			t.Errorf("%s: got %v, want %s", id, err, code)
		}
	}
}

// Only blocks are calls, whatever an imported document says of other nodes.
func TestAddResultRefusesCallsThatAreNoBlocks(t *testing.T) {
	doc := `{"cycle":5,"root":{"id":"root","nodeType":"^root","kind":"call","children":[{"id":"seq","nodeType":"^seq","kind":"call","children":[{"id":"turn","nodeType":"seg","kind":"call","children":[]}]}]}}`
	c, _, err := pact.Import(t.Context(), pact.NewDB(store.NewMemory()), "c", []byte(doc), nil)
	must(t, err)
	for _, id := range []string{"root", "seq", "turn"} {
		err := c.Edit(t.Context(), func(b *pact.Batch) error { b.AddResult(id, pact.Spec{}); return nil }, nil)
		if fault.CodeOf(err) != fault.PlacementInvalid {
			t.Errorf("%s: got %v", id, err)
		}
	}
}

// A call and its answers go together, by expiry and, where the policy keeps pairs whole, by pruning,
// whether they refer to each other or the call was sealed before.
func TestResultsAreRemovedWithTheirCalls(t *testing.T) {
	for _, sealed := range []bool{false, true} {
		for _, way := range []string{"ttl", "named", "limit"} {
			t.Run(fmt.Sprint(way, " ", sealed), func(t *testing.T) {
				c := create(t, pact.NewDB(store.NewMemory()))
				s := pact.Spec{ID: "call", Role: "assistant", Kind: "call", Content: "f", Offset: 1}
				if way == "ttl" {
					s.TTL = 2
				}
				must(t, c.Edit(t.Context(), func(b *pact.Batch) error { b.Add("^ah", s); return nil }, nil))
				if sealed {
					_, err := c.Commit(t.Context(), nil)
					must(t, err)
				}
				s.ID, s.Role, s.Kind = "", "", ""
				for range 2 { // answers
					must(t, c.Edit(t.Context(), func(b *pact.Batch) error { b.AddResult("call", s); return nil }, nil))
				}
				var pruning pact.Pruning
				switch way {
				case "named":
					pruning.IDs, pruning.Policy = []string{"call"}, lifecycle.Policy{WholePairs: true}
				case "limit":
					pruning.Policy = lifecycle.Policy{WholePairs: true, Parts: []lifecycle.Part{{Kind: "call", MaxBytes: 1}}}
				}
				for range 4 {
					snapshot, err := c.Commit(t.Context(), &pact.CommitOptions{Pruning: &pruning})
					must(t, err)
					n := 0
					for entry := range sure.All(tree.Of(snapshot).All()) {
						node := entry.Node()
						if node.Kind != "" {
							n++
						}
					}
					if n != 0 && n != 3 {
						t.Fatalf("%d of 3 are there", n)
					}
					if pruning = (pact.Pruning{}); n == 0 {
						return
					}
				}
				t.Error("they never went")
			})
		}
	}
}
