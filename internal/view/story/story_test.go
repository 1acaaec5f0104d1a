package story_test

import (
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/view/story"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// A call of a tool that stands among the drafts was never made.
func TestDraftsAreNoCallsOfARun(t *testing.T) {
	for _, edition := range []selector.Edition{selector.Canonical, selector.V1} {
		c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "c", &pact.CreateOptions{Edition: edition})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"made", "drafted"} {
			err := c.Edit(t.Context(), func(b *pact.Batch) error {
				b.Add("^ah", pact.Spec{ID: id, Role: "assistant", Kind: "call",
					Content: map[string]any{"name": "ls", "arguments": "{}"}})
				return nil
			}, nil)
			if err == nil && id == "made" {
				_, err = c.Commit(t.Context(), nil)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		told := new(story.Story)
		if err := told.TellBlocks(t.Context(), c); err != nil || told.Tools != 1 || len(told.Carried) != 1 {
			t.Errorf("edition %s: %d calls, %d blocks, %v", edition, told.Tools, len(told.Carried), err)
		}
	}
}
