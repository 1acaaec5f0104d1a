package tree

import (
	"context"
	"fmt"
	"testing"

	"github.com/contexttree/pact/fault"
)

// Nodes with keys of their own, each added by an edit of its own, are not looked at again and again; a key that is
// there is found.
func TestSingleAddsOfKeysLookAtFewNodes(t *testing.T) {
	looked := func(n int) (total int) {
		now := int64(1000)
		env := Env{Bare: true, Vocabulary: Vocabulary{Turn: "seg", Container: "cont", Block: "block"},
			Clock: func() int64 { now++; return now }, Taken: func(string) (bool, error) { return false, nil }}
		before, stamps, err := New(env, nil)
		if err != nil {
			t.Fatal(err)
		}
		working := before.WithCycle(stamps.Cycle)
		for i := range n {
			x := Edit(context.Background(), working, before, stamps, env)
			if _, err := x.Add("^ah", Spec{Key: fmt.Sprint("k", i)}); err != nil {
				t.Fatal(err)
			}
			if i%100 == 99 {
				if _, err := x.Add("^ah", Spec{Key: fmt.Sprint("k", i/2)}); fault.CodeOf(err) != fault.OverlapViolatesODI {
					t.Errorf("k%d twice: %v", i/2, err)
				}
			}
			total += x.families.looked
			working, stamps = x.Tree(), x.Stamps
		}
		return total
	}
	if many := looked(2000); many > 2000*200 {
		t.Errorf("2000 adds looked at %d nodes", many)
	}
}

// A cad is a number of cycles that a header can have, at least 1.
func TestCadIsANumberOfCycles(t *testing.T) {
	env := Env{Bare: true, Vocabulary: Vocabulary{Turn: "seg", Container: "cont", Block: "block"},
		Clock: func() int64 { return 0 }, Taken: func(string) (bool, error) { return false, nil }}
	before, stamps, err := New(env, nil)
	if err != nil {
		t.Fatal(err)
	}
	for cad, want := range map[int64]fault.Code{-1: fault.PlacementInvalid, 0: fault.PlacementInvalid, 1: "",
		MaxInteger: "", MaxInteger + 1: fault.PlacementInvalid} {
		x := Edit(context.Background(), before.WithCycle(stamps.Cycle), before, stamps, env)
		if _, err := x.Add("^ah", Spec{Key: "k", Cad: &cad}); fault.CodeOf(err) != want {
			t.Errorf("a cad of %d: got %v, want %q", cad, err, want)
		}
	}
}
