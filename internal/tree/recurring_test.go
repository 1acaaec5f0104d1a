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
