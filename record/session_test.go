package record_test

import (
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/api"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// A sub-agent of opencode has a session of its own and names that of its parent: its context names the call that
// began it, or at least the context of the parent.
func TestASubAgentWithASessionOfItsOwn(t *testing.T) {
	for prompt, want := range map[string]string{
		"Find out what 4711 is.": `"call":"toolu_1"`,
		"Something else.":        `{"context":"chat"}`,
	} {
		_, url := provider(t, providertest.Turn{Calls: []providertest.Call{
			{ID: "toolu_1", Name: "task", Arguments: `{"prompt":"Find out what 4711 is."}`}}},
			providertest.Turn{Text: "A number."})
		s := store.NewMemory()
		rec := recorder(t, s, record.Options{Context: "chat", Strict: true})
		parent := newAgent(t, api.Messages, url, rec.Transport(nil), false)
		parent.header.Set("X-Session-Id", "ses_parent_0123456789")
		parent.ask("Ask a helper.")
		parent.call()
		child := newAgent(t, api.Messages, url, rec.Transport(nil), false)
		child.header.Set("X-Session-Id", "ses_child_0123456789")
		child.header.Set("X-Parent-Session-Id", "ses_parent_0123456789")
		child.ask(prompt)
		child.call()
		rec.Close()
		if names := rec.Contexts(); len(names) != 2 {
			t.Fatalf("contexts are %v", names)
		}
		root := opened(t, s, "chat-2").Working().Tree().Root().Node()
		if begun := string(root.Header("wire:begun-by")); !strings.Contains(begun, want) {
			t.Errorf("%q: it was begun by %s", prompt, begun)
		}
	}
}
