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
		working, known := before.WithCycle(stamps.Cycle), KeyFamilies{}
		for i := range n {
			env.Families = &known
			x := Edit(context.Background(), working, before, stamps, env)
			if _, err := x.Add("^ah", Spec{Key: fmt.Sprint("k", i)}); err != nil {
				t.Fatal(err)
			}
			if i%100 == 99 {
				if _, err := x.Add("^ah", Spec{Key: fmt.Sprint("k", i/2)}); fault.CodeOf(err) != fault.OverlapViolatesODI {
					t.Errorf("k%d twice: %v", i/2, err)
				}
			}
			working, stamps = x.Tree(), x.Stamps
			if i == n/2 { // a batch that is dropped
				if _, err := x.Add("^ah", Spec{Key: "dropped"}); err != nil {
					t.Error(err)
				}
			}
		}
		return known.looked
	}
	if few, many := looked(500), looked(2000); many > 6*few || many > 5*2000 {
		t.Errorf("500 adds looked at %d nodes, 2000 at %d", few, many)
	}
}

// The newest members of n keys, in ^ah and in turns before it, are looked for by n times as many nodes in one batch.
func TestNewestOfManyKeysLooksAtEachNodeOnce(t *testing.T) {
	looked := func(n int) (total int) {
		now := int64(1000)
		env := Env{Vocabulary: Vocabulary{Turn: "seg", Container: "cont", Block: "block"},
			Clock: func() int64 { now++; return now }, Taken: func(string) (bool, error) { return false, nil }}
		before, stamps, err := New(env, nil)
		if err != nil {
			t.Fatal(err)
		}
		for cycle := range 4 {
			x := Edit(context.Background(), before.WithCycle(stamps.Cycle), before, stamps, env)
			for i := range n {
				key := fmt.Sprint("k", i)
				newest, err := x.Newest(key)
				if err != nil || (newest == nil) != (cycle == 0) {
					t.Fatalf("%d keys, cycle %d: the newest of %s is %v, %v", n, cycle, key, newest, err)
				}
				if cycle%2 != 0 {
					continue
				}
				id, err := x.Add("^ah", Spec{Key: key})
				if err != nil {
					t.Fatal(err)
				}
				if newest, err = x.Newest(key); err != nil || newest == nil || newest.ID != id {
					t.Fatalf("%d keys, cycle %d: the newest of %s is %v, %v, not %s", n, cycle, key, newest, err, id)
				}
			}
			total += x.families.looked
			if before, stamps, err = Seal(x.Tree(), x.Stamps, env); err != nil {
				t.Fatal(err)
			}
		}
		return total
	}
	few, many := looked(500), looked(2000)
	t.Logf("looked at %d and %d nodes", few, many)
	if few == 0 || many > 5*few {
		t.Errorf("four times the keys take a look at %d nodes instead of %d", many, few)
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
