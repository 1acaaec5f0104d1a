package record_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// A run with thinking, calls in parallel and results: a cycle for each call,
// what was sent byte for byte, the answer at the beginning of the next cycle.
func TestARunIsACycleForEachCall(t *testing.T) {
	everyAPI(t, func(t *testing.T, name provider.API, stream bool) {
		calls := []providertest.Call{{ID: "c1", Name: "ls", Arguments: `{"p":"/"}`}, {ID: "c2", Name: "ls", Arguments: `{}`}}
		p, url := startProvider(t, providertest.Turn{Thinking: "hmm, well", Text: "Let me look.", Calls: calls},
			providertest.Turn{Text: "There is a.txt & b<c>."})
		s := pact.NewDB(store.NewMemory())
		rec := recorder(t, s, record.Options{Context: "chat"})
		a := newAgent(t, name, url, rec.Transport(nil), stream)
		a.ask("What is here? é 😀")
		a.call()
		a.result("c1", "ls", "a.txt")
		if name == provider.Messages { // all results of a message stand in one
			last := a.said[len(a.said)-1].(map[string]any)
			last["content"] = append(last["content"].([]any), map[string]any{"type": "tool_result", "tool_use_id": "c2",
				"content": "b"})
		} else if name == provider.Gemini {
			last := a.said[len(a.said)-1].(map[string]any)
			last["parts"] = append(last["parts"].([]any), map[string]any{"functionResponse": map[string]any{"id": "c2",
				"name": "ls", "response": map[string]any{"output": "b"}}})
		} else {
			a.result("c2", "ls", "b")
		}
		a.call()
		a.ask("Thanks.")
		a.call()
		rec.Close()
		if got := rec.Stats(); got.Calls != 3 || got.NotRecorded != 0 || got.KeptRaw != 0 {
			t.Fatalf("%+v", got)
		}
		c := opened(t, s, "chat")
		sentAsReceived(t, c, p)
		attempts, err := c.Attempts(t.Context(), 1, 3)
		must(t, err)
		for _, at := range attempts {
			if at.Status != history.Completed || at.Model != "m-1" || at.TokenIn == nil || at.TokenOut == nil {
				t.Errorf("%+v", at)
			}
		}
		// Nothing that was sent before comes again under another id.
		first, err := c.At(t.Context(), mustAddress(t, "@c1"))
		must(t, err)
		third, err := c.At(t.Context(), mustAddress(t, "@c3"))
		must(t, err)
		for n, err := range first.Nodes() {
			must(t, err)
			if _, err := third.Node(n.ID); err != nil && n.Kind != "" {
				t.Errorf("%s %q of the first call is gone in the third", n.ID, n.Kind)
			}
		}
		if got := blocks(t, third); !strings.HasPrefix(got, "tool ") || !strings.Contains(got, "text system \"Be kind.\"\n") {
			t.Errorf("the third call was sent\n%s", got)
		}
		if got := blocks(t, c.Working()); !strings.HasSuffix(got, "text assistant \"ok\"\n") {
			t.Errorf("the last answer does not begin the next cycle:\n%s", got)
		}
	})
}

// An answer that fails is an attempt that failed; a retry is another attempt of
// the same cycle.
func TestARetryIsAnotherAttempt(t *testing.T) {
	everyAPI(t, func(t *testing.T, name provider.API, stream bool) {
		script := []providertest.Turn{{Status: 429}, {Status: 500}, {Text: "fine"}}
		if stream {
			script = []providertest.Turn{{Status: 429}, {Text: "never all of it", Overload: true}, {Text: "nor this", Cut: true},
				{Text: "fine"}}
		}
		p, url := startProvider(t, script...)
		s := pact.NewDB(store.NewMemory())
		rec := recorder(t, s, record.Options{Context: "chat"})
		a := newAgent(t, name, url, rec.Transport(nil), stream)
		a.ask("Hello?")
		for range len(script) - 1 {
			if got, _, _ := a.send(t.Context()); got != nil && got.Failure == "" {
				t.Fatalf("no failure: %+v", got)
			}
		}
		a.call()
		rec.Close()
		c := opened(t, s, "chat")
		attempts, err := c.Attempts(t.Context(), 1, 9)
		must(t, err)
		if len(attempts) != len(script) || len(p.Received()) != len(script) {
			t.Fatalf("%d attempts for %d requests", len(attempts), len(p.Received()))
		}
		for i, at := range attempts {
			want := history.Failed
			if i == len(script)-1 {
				want = history.Completed
			}
			if at.Status != want || at.Cycle != 1 || (at.Error == "") != (want == history.Completed) {
				t.Errorf("attempt %d: %s in cycle %d, %q", i, at.Status, at.Cycle, at.Error)
			}
		}
		body, err := record.Request(t.Context(), c, 1, 0)
		must(t, err)
		if string(body.Bytes) != string(a.lastBody) {
			t.Errorf("sent %s, recorded %s", a.lastBody, body.Bytes)
		}
	})
}

// What is not one of the calls passes and is not recorded.
func TestOtherRequestsPass(t *testing.T) {
	p, url := startProvider(t)
	s := pact.NewDB(store.NewMemory())
	rec := recorder(t, s, record.Options{})
	client := &http.Client{Transport: rec.Transport(nil)}
	for _, path := range []string{"/v1/models", "/v1/messages/count_tokens"} {
		resp, err := client.Post(url+path, "application/json", strings.NewReader("{}"))
		must(t, err)
		must(t, resp.Body.Close())
		if resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
	resp, err := client.Post(url+"/v1/messages", "application/json", strings.NewReader("[1]"))
	must(t, err)
	must(t, resp.Body.Close())
	rec.Close()
	if got := rec.Stats(); got.Calls != 0 || got.Unread != 1 || got.NotRecorded != 0 || len(p.Received()) != 3 {
		t.Errorf("%+v", got)
	}
}
