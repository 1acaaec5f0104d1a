package pact

import (
	"fmt"
	"testing"

	"github.com/contexttree/pact/store"
)

// TestAddEveryLooksForManyKeysOnce adds a component for each of n keys, in
// ^ah and in turns before it. What is looked at grows as n does.
func TestAddEveryLooksForManyKeysOnce(t *testing.T) {
	looked := func(n int) (total int) {
		c, err := Create(t.Context(), NewDB(store.NewMemory()), "c", nil)
		if err != nil {
			t.Fatal(err)
		}
		for cycle := range 4 {
			err := c.Edit(t.Context(), func(b *Batch) error {
				for key := range n {
					if _, added := b.AddEvery(2, Spec{Key: fmt.Sprint("k", key), Content: "a table"}); added != (cycle%2 == 0) {
						t.Errorf("%d keys, cycle %d, key %d: added %v", n, cycle, key, added)
					}
					if id, added := b.AddEvery(2, Spec{Key: fmt.Sprint("k", key), Content: "a table"}); added || id == "" {
						t.Errorf("%d keys, cycle %d, key %d: added %v, the newest is %q", n, cycle, key, added, id)
					}
				}
				total += b.families.Looked()
				return nil
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Commit(t.Context(), nil); err != nil {
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
