package record_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// A provider that is asked says why it did not read its cache. What was sent is
// what was recorded, the question included, and nothing else was added.
func TestTheProviderIsAskedForItsReason(t *testing.T) {
	for _, c := range []struct {
		api           provider.API
		model         string
		first, second string // what the body begins with
		reason        string
	}{
		{provider.Messages, "claude-sonnet-4-5", `{"diagnostics":{"previous_message_id":null},"max_tokens"`,
			`{"diagnostics":{"previous_message_id":"msg_1"},"max_tokens"`, "tools_changed"},
		{provider.Responses, "gpt-5.6", `{"input"`, `{"prompt_cache_options":{"comparison_response_id":"resp_1"},"input"`,
			"tools_changed"},
		{provider.Responses, "gpt-5.5", `{"input"`, `{"input"`, ""},
		{provider.Chat, "gpt-5.6", `{"messages"`, `{"messages"`, ""},
	} {
		t.Run(string(c.api)+"/"+c.model, func(t *testing.T) {
			p, url := startProvider(t)
			s := pact.NewDB(store.NewMemory())
			rec := recorder(t, s, record.Options{Context: "chat", Strict: true, Diagnose: true})
			a := newAgent(t, c.api, url, rec.Transport(nil), true)
			a.body["model"] = c.model
			a.ask("a")
			a.call()
			a.ask("b")
			a.call()
			tools, err := json.Marshal(a.body["tools"])
			must(t, err)
			var more []any
			must(t, json.Unmarshal(bytes.ReplaceAll(tools, []byte(`"ls"`), []byte(`"more"`)), &more))
			a.body["tools"] = append(a.body["tools"].([]any), more...)
			a.ask("c")
			a.call()
			rec.Close()
			chat := opened(t, s, "chat")
			sentAsReceived(t, chat, p)
			for i, want := range []string{c.first, c.second} {
				if got := string(p.Received()[i].Body); !strings.HasPrefix(got, want) {
					t.Errorf("call %d was sent as %.100s", i+1, got)
				}
			}
			for call, err := range prefixesOf(t.Context(), chat, "", nil) {
				must(t, err)
				want := ""
				if call.Cycle == 3 {
					want = c.reason
				}
				if got := call.Provider.Reason; got != want && got != "cache_hit" {
					t.Errorf("call %d: %q, want %q", call.Cycle, got, want)
				}
			}
		})
	}
}

// The client's own question stays, and pact asks only if it is told to.
func TestAQuestionOfTheClientStays(t *testing.T) {
	for _, diagnose := range []bool{true, false} {
		p, url := startProvider(t)
		rec := recorder(t, pact.NewDB(store.NewMemory()), record.Options{Context: "chat", Strict: true, Diagnose: diagnose})
		a := newAgent(t, provider.Messages, url, rec.Transport(nil), false)
		if diagnose {
			a.body["diagnostics"] = map[string]any{"previous_message_id": "msg_0"}
		}
		a.ask("a")
		a.call()
		if got := string(p.Received()[0].Body); got != string(a.lastBody) {
			t.Errorf("sent as %s", got)
		}
	}
}

// Two conversations at the same time are not compared with each other.
func TestEachConversationIsComparedWithItself(t *testing.T) {
	p, url := startProvider(t)
	rec := recorder(t, pact.NewDB(store.NewMemory()), record.Options{Context: "chat", Strict: true, Diagnose: true})
	one := newAgent(t, provider.Messages, url, rec.Transport(nil), true)
	two := newAgent(t, provider.Messages, url, rec.Transport(nil), true)
	one.ask("one")
	one.call()
	two.ask("two")
	two.call()
	one.ask("more")
	one.call()
	two.ask("more")
	two.call()
	for i, want := range []string{`null`, `null`, `"msg_1"`, `"msg_2"`} {
		if got := string(p.Received()[i].Body); !strings.HasPrefix(got, `{"diagnostics":{"previous_message_id":`+want+`}`) {
			t.Errorf("call %d was sent as %.100s", i+1, got)
		}
	}
}
