package record_test

import (
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// inSession sends the headers of an agent.
func inSession(t *testing.T, url string, rec *record.Recorder, name provider.API, headers ...string) *agent {
	a := newAgent(t, name, url, rec.Transport(nil), false)
	for i := 0; i < len(headers); i += 2 {
		a.header.Set(headers[i], headers[i+1])
	}
	return a
}

// opencode calls OpenAI with the header of Codex beside its own. Its sub-agents name the agent that began them, also
// one that is a sub-agent itself.
func TestASubAgentOfASubAgent(t *testing.T) {
	_, url := startProvider(t,
		providertest.Turn{Calls: []providertest.Call{{ID: "c1", Name: "task", Arguments: `{"prompt":"Find out what 4711 is."}`}}},
		providertest.Turn{Calls: []providertest.Call{{ID: "c2", Name: "task", Arguments: `{"prompt":"Look it up there."}`}}})
	s := pact.NewDB(store.NewMemory())
	rec := recorder(t, s, record.Options{Context: "chat", Strict: true})
	of := func(id, parent string) *agent {
		a := inSession(t, url, rec, provider.Responses, "Session-Id", id, "X-Session-Id", id, "X-Session-Affinity", id)
		if parent != "" {
			a.header.Set("X-Parent-Session-Id", parent)
		}
		return a
	}
	for _, said := range []struct{ id, parent, text string }{
		{"ses_a0123456", "", "Ask a helper."}, {"ses_b0123456", "ses_a0123456", "Find out what 4711 is."},
		{"ses_c0123456", "ses_b0123456", "Look it up there."}, {"ses_d0123456", "ses_b0123456", "Something else."},
	} {
		a := of(said.id, said.parent)
		a.ask(said.text)
		a.call()
	}
	rec.Close()
	for name, want := range map[string]string{"chat": "", "chat-2": `"call":"c1","context":"chat"`,
		"chat-3": `"call":"c2","context":"chat-2"`, "chat-4": `{"context":"chat-2"}`} {
		if begun := attrOf(t, s, name, "wire:begun-by"); want == "" && begun != "" || !strings.Contains(begun, want) {
			t.Errorf("%s was begun by %s, want %s", name, begun, want)
		}
	}
}

// Codex answers the call that begins a sub-agent at once, and may have the next answer before the sub-agent says
// something. When the sub-agent's history is compacted, its line goes on.
func TestASubAgentWhoseCallIsAnsweredAtOnce(t *testing.T) {
	_, url := startProvider(t,
		providertest.Turn{Calls: []providertest.Call{{ID: "c1", Name: "spawn_agent",
			Arguments: `{"message":"Find out what 4711 is."}`}}},
		providertest.Turn{Text: "I wait."}, providertest.Turn{Text: "A number."}, providertest.Turn{Text: "Done."})
	s := pact.NewDB(store.NewMemory())
	rec := recorder(t, s, record.Options{Context: "chat", Strict: true})
	parent := inSession(t, url, rec, provider.Responses, "Session-Id", "session-0123", "Thread-Id", "thread-0123")
	parent.ask("Ask a helper.")
	parent.call()
	parent.result("c1", "spawn_agent", `{"agent_id":"thread-4567"}`)
	parent.call()
	child := inSession(t, url, rec, provider.Responses, "Session-Id", "session-0123", "Thread-Id", "thread-4567",
		"X-Codex-Parent-Thread-Id", "thread-0123", "X-Openai-Subagent", "collab_spawn", "X-Codex-Window-Id", "thread-4567:0")
	child.ask("Find out what 4711 is.")
	child.call()
	child.ask("And 4712?")
	child.call()
	child.said = nil
	child.header.Set("X-Codex-Window-Id", "thread-4567:1")
	child.ask("Find out what 4711 is.")
	child.ask("So far: it is a number.")
	child.call()
	rec.Close()
	if begun := attrOf(t, s, "chat-2", "wire:begun-by"); !strings.Contains(begun, `"call":"c1","context":"chat"`) {
		t.Errorf("the sub-agent was begun by %s", begun)
	}
	if names := rec.Contexts(); len(names) != 2 {
		t.Errorf("the contexts are %v", names)
	}
}
