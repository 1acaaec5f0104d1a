package commit_test

import (
	"fmt"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// A call and its answers go together, by expiry and, where the policy keeps pairs whole, by pruning,
// whether they refer to each other or the call was sealed before.
func TestResultsAreRemovedWithTheirCalls(t *testing.T) {
	for _, sealed := range []bool{false, true} {
		for _, way := range []string{"ttl", "named", "limit"} {
			t.Run(fmt.Sprint(way, " ", sealed), func(t *testing.T) {
				c := published(t)
				s := pact.Spec{ID: "call", Role: "assistant", Kind: "call", Content: "f", Offset: 1}
				if way == "ttl" {
					s.TTL = new(int64(2))
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
