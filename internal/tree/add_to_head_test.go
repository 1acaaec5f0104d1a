package tree_test

import (
	"fmt"
	"math/rand/v2"
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

// A family under a cadence, against its own history: a member is added when none
// is left, or the newest is so many cycles old; never two in one turn; and the
// newest is the result.
func TestAddEveryKeepsItsInterval(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 7))
		c := create(t, pact.NewDB(store.NewMemory()))
		every := int64(1 + rng.IntN(4))
		spec := pact.Spec{Key: "plan", Role: "system", Kind: "note", Content: "p", Offset: 1}
		if rng.IntN(2) == 0 {
			spec.TTL = new(every + int64(rng.IntN(5)))
		}
		var living []string // members, oldest first
		born := map[string]int64{}
		for cycle := int64(1); cycle <= 20; cycle++ {
			for range 1 + rng.IntN(2) {
				must(t, c.Edit(t.Context(), func(b *pact.Batch) error {
					id, added := b.AddEvery(every, spec)
					due := len(living) == 0 || cycle-born[living[len(living)-1]] >= every
					if due != added || !due && id != living[len(living)-1] {
						t.Errorf("seed %d, cycle %d: %s, added %v, with %q living", seed, cycle, id, added, living)
					}
					if added {
						living, born[id] = append(living, id), cycle
					}
					return nil
				}, nil))
			}
			var pruning pact.Pruning
			if rng.IntN(5) == 0 {
				pruning.IDs = []string{living[rng.IntN(len(living))]}
			}
			s, err := c.Commit(t.Context(), &pact.CommitOptions{Pruning: &pruning})
			must(t, err)
			living = slices.DeleteFunc(living, func(id string) bool { return !sure.Get(tree.Of(s).Has(id)) })
			turns := map[string]bool{}
			for _, id := range living {
				turn := sure.Get(tree.Of(s).Path(id))[2].Node().ID
				if turns[turn] {
					t.Errorf("seed %d, cycle %d: two members in %s", seed, cycle, turn)
				}
				turns[turn] = true
			}
		}
	}
}

func TestAddEveryRefusesWhatIsNoInterval(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	for _, x := range []struct {
		every int64
		spec  pact.Spec
	}{
		{0, pact.Spec{Key: "k"}}, {-1, pact.Spec{Key: "k"}}, {1, pact.Spec{}}, {3, pact.Spec{Key: "k", TTL: new(int64(2))}},
	} {
		err := c.Edit(t.Context(), func(b *pact.Batch) error { b.AddEvery(x.every, x.spec); return nil }, nil)
		if fault.CodeOf(err) != fault.DocumentInvalid {
			t.Errorf("every %d of %+v: %v", x.every, x.spec, err)
		}
	}
}

// An imported document may have a member in ^ah that is of an earlier cycle.
func TestAddEveryBesideAnImportedMember(t *testing.T) {
	doc := `{"cycle":5,"root":{"id":"root","nodeType":"^root","children":[{"id":"ah","nodeType":"^ah","children":[{"id":"old","nodeType":"block","offset":1,"cycle":2,"key":"plan"}]}]}}`
	c, _, err := pact.Import(t.Context(), pact.NewDB(store.NewMemory()), "c", []byte(doc), nil)
	must(t, err)
	must(t, c.Edit(t.Context(), func(b *pact.Batch) error {
		id, added := b.AddEvery(1, pact.Spec{Key: "plan", Content: "new"})
		if id != "old" || added {
			t.Errorf("got %s, added %v: two members in one turn", id, added)
		}
		return nil
	}, nil))
}

// The newest member is that of the newest turn, as in a set of one key, though
// another one was attached to an older turn since.
func TestAddEveryGoesByTheNewestTurn(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	spec := pact.Spec{Key: "plan", Content: "p", Offset: 1}
	newest := ""
	for range 2 {
		must(t, c.Edit(t.Context(), func(b *pact.Batch) (err error) { newest, _ = b.AddEvery(1, spec); return nil }, nil))
		_, err := c.Commit(t.Context(), nil)
		must(t, err)
	}
	first := selected(t, c, "@t0 ^seq .mt")[0]
	must(t, c.Edit(t.Context(), func(b *pact.Batch) error {
		b.Add(first, pact.Spec{ID: "late", Key: "plan", Content: "p", Offset: 2})
		return nil
	}, nil))
	must(t, c.Edit(t.Context(), func(b *pact.Batch) error {
		id, added := b.AddEvery(2, spec)
		if err := b.Err(); id != newest || added || err != nil {
			t.Errorf("got %s, added %v, %v", id, added, err)
		}
		return nil
	}, nil))
}

// A key stands once in ^sys and in a turn of edition 1.0, however deep its node is.
func TestAKeyIsFoundInAGroup(t *testing.T) {
	for _, into := range []string{"^sys", "^ah"} {
		c := published(t, pact.NewDB(store.NewMemory()), 0)
		must(t, c.Edit(t.Context(), func(b *pact.Batch) error {
			group := b.Add(into, pact.Spec{NodeType: "cont", Offset: 1})
			b.Add(b.Add(group, pact.Spec{NodeType: "cont"}), pact.Spec{Key: "k", Content: "x"})
			return nil
		}, nil))
		err := c.Edit(t.Context(), func(b *pact.Batch) error { b.Add(into, pact.Spec{Key: "k", Content: "y"}); return nil }, nil)
		if fault.CodeOf(err) != fault.OverlapViolatesODI {
			t.Errorf("%s: %v", into, err)
		}
	}
}
