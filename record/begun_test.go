package record_test

import (
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// An import adds the block of the call that began a conversation, wherever in the history of
// the other context the block is, and leaves it out where there is none.
func TestTheBlockOfTheCallThatBeganAConversation(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	parent, err := pact.Create(t.Context(), s, "parent", nil)
	must(t, err)
	call := func(id, wire string) {
		must(t, parent.Edit(t.Context(), func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{ID: id, Role: "assistant", Kind: "call", Offset: 1, Content: "look",
				Attrs: map[string]any{"wire:call": wire}})
			return nil
		}, nil))
	}
	commit := func(pruned ...string) {
		_, err := parent.Commit(t.Context(), &pact.CommitOptions{Pruning: &pact.Pruning{IDs: pruned,
			Policy: lifecycle.Policy{Orphans: lifecycle.Keep}}})
		must(t, err)
	}
	call("first", "toolu_1")
	commit()
	call("second", "toolu_2")
	commit()
	commit("first", "second")
	call("draft", "toolu_3")
	for wire, want := range map[string]string{"toolu_1": "first", "toolu_2": "second", "toolu_3": "draft", "toolu_4": ""} {
		i, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: wire,
			BegunBy: map[string]any{"context": "parent", "call": wire}})
		must(t, err)
		_, err = i.Add(t.Context(), record.PastCall{API: "openai.chat", Path: "/v1/chat/completions", Status: 200,
			Body:   []byte(`{"model":"m","messages":[{"role":"user","content":"Look."}]}`),
			Answer: []byte(`{"choices":[{"message":{"role":"assistant","content":"Yes."},"finish_reason":"stop"}]}`)})
		must(t, err)
		c, err := pact.Open(t.Context(), s, wire, nil)
		must(t, err)
		if from, block := record.BegunBy(c.Working()); from != "parent" || block != want {
			t.Errorf("the call %s of %q is the block %q, want %q", wire, from, block, want)
		}
	}
	_, err = record.NewImporter(t.Context(), s, record.ImportOptions{Context: "other",
		BegunBy: map[string]any{"context": "nobody", "call": "toolu_1"}})
	must(t, err)
}
