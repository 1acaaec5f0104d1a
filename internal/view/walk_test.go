package view_test

import (
	"fmt"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/store"
)

// A step brings what is new. That nodes with a ttl have less time left is no difference, so a step does not look at each
// of them.
func TestAStepBringsWhatIsNew(t *testing.T) {
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "chat", nil)
	must(t, err)
	const calls = 6
	for i := range calls {
		_, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^sys", pact.Spec{Role: "system", Content: fmt.Sprint("note ", i), TTL: new(int64(100))})
			b.Add("^ah", pact.Spec{Role: "user", Content: fmt.Sprint("question ", i), TTL: new(int64(100))})
			return nil
		}})
		must(t, err)
	}
	for s, err := range view.Walk(t.Context(), c, pact.Cycle(2), pact.Cycle(calls), view.WalkOptions{Snapshots: true}) {
		must(t, err)
		changes, err := s.Changes()
		must(t, err)
		blocks := 0
		for _, e := range changes.Added {
			if e.Node().Content.Size() > 0 {
				blocks++
			}
		}
		if blocks != 2 || len(changes.Changed) > 0 || changes.Differ > 2 {
			t.Errorf("@c%d brings %d blocks, changes %d and differs in %d nodes", s.Now.Cycle(), blocks, len(changes.Changed), changes.Differ)
		}
	}
}
