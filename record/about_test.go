package record_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// An answer may have no block that could carry what the provider reported: the model said
// nothing, or a filter stopped it. Then the attempt keeps the report.
func TestAnAnswerWithoutBlocksKeepsWhatTheProviderReported(t *testing.T) {
	url := scripted(t, `{"id":"msg_1","type":"message","role":"assistant","stop_reason":"end_turn","content":[],
		"usage":{"input_tokens":3,"cache_read_input_tokens":0,"cache_creation_input_tokens":2000,"output_tokens":0}}`,
		`{"id":"msg_2","type":"message","role":"assistant","stop_reason":"refusal","content":[],
		"usage":{"input_tokens":5,"cache_read_input_tokens":2000,"cache_creation_input_tokens":0,"output_tokens":0},
		"diagnostics":{"cache_miss_reason":{"type":"messages_changed"}}}`)
	s := pact.NewDB(store.NewMemory())
	rec := recorder(t, s, record.Options{Context: "chat", Strict: true})
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), false)
	for range 2 {
		a.ask("hello")
		_, _, err := a.send(t.Context())
		must(t, err)
	}
	rec.Close()
	want := []struct {
		read, written int64
		reason        string
	}{{0, 2000, ""}, {2000, 0, "messages_changed"}}
	calls := 0
	for call, err := range prefixesOf(t.Context(), opened(t, s, "chat"), "", nil) {
		must(t, err)
		w, p := want[calls], call.Provider
		calls++
		if p == nil || p.Read == nil || *p.Read != w.read || p.Written == nil || *p.Written != w.written ||
			p.Reason != w.reason {
			t.Errorf("@c%d: %+v", call.Cycle, p)
		}
	}
	if calls != 2 {
		t.Errorf("%d calls", calls)
	}
}

// A request may refer to an answer without blocks. The recorder that wrote the answer and a later
// one lead the reference to its call.
func TestAReferenceToAnAnswerWithoutBlocksIsResolved(t *testing.T) {
	const answer = `{"id":"resp_%d","object":"response","status":"completed","output":[]}`
	url := scripted(t, fmt.Sprintf(answer, 1), fmt.Sprintf(answer, 2), fmt.Sprintf(answer, 3))
	s := pact.NewDB(store.NewMemory())
	for i, body := range []string{`{"model":"m","input":"a"}`,
		`{"model":"m","input":"b","previous_response_id":"resp_1"}`,
		`{"model":"m","input":"c","previous_response_id":"resp_2"}`} {
		rec := recorder(t, s, record.Options{Context: "chat", Strict: true})
		client := &http.Client{Transport: rec.Transport(nil)}
		wholeOf(t)(client.Post(url+"/v1/responses", "application/json", strings.NewReader(body)))
		rec.Close()
		if names := rec.Contexts(); len(names) != 1 || names[0] != "chat" {
			t.Fatalf("call %d went to %v", i+1, names)
		}
	}
	last, err := record.Request(t.Context(), opened(t, s, "chat"), 3, 0)
	must(t, err)
	seen, err := record.SeenByModel(t.Context(), opened(t, s, "chat"), last.Attempt)
	must(t, err)
	if seen.State != inspect.SeenTraced || seen.References[0].Cycle != 2 {
		t.Errorf("%+v", seen)
	}
}

// What arrived of a broken answer includes what the provider had reported by then.
func TestABrokenAnswerKeepsWhatTheProviderReported(t *testing.T) {
	url := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Request-Id", "req_7")
		_, _ = io.WriteString(w, `data: {"id":"chat_7","model":"m-7","choices":[{"delta":{"content":"one "}}]}`+"\n\n")
	})
	_, _, broken, _, err := recorded(t, url, []byte(plainChat))
	must(t, err)
	if len(broken) != 1 {
		t.Fatalf("%d broken answers", len(broken))
	}
	for _, part := range []string{`"id":"chat_7"`, `"model":"m-7"`, `"request_id":"req_7"`} {
		if !strings.Contains(string(broken[0].About), part) {
			t.Errorf("%s lacks %s", broken[0].About, part)
		}
	}
}

// A provider may repeat a secret outside the content of its answer: in the words of a refusal, or
// in its account of a change.
func TestWhatTheProviderReportedHasNoSecrets(t *testing.T) {
	url := scripted(t, `{"id":"resp_1","object":"response","status":"completed","output":[{"type":"message",
		"role":"assistant","content":[{"type":"refusal","refusal":"not with `+apiKey+` and card 12345678"}]}]}`)
	s := pact.NewDB(store.NewMemory())
	rec := recorder(t, s, record.Options{Context: "chat", Redact: []*regexp.Regexp{regexp.MustCompile(`card \d+`)}})
	a := newAgent(t, provider.Responses, url, rec.Transport(nil), false)
	a.ask("hello")
	_, _, err := a.send(t.Context())
	must(t, err)
	rec.Close()
	found := false
	for e := range sure.All(tree.Of(opened(t, s, "chat").Working()).All()) {
		about := string(e.Node().Header("wire:answer"))
		found = found || strings.Contains(about, "not with [redacted] and [redacted]")
		if strings.Contains(about, apiKey) || strings.Contains(about, "12345678") {
			t.Error(about)
		}
	}
	if !found {
		t.Error("no block has the refusal")
	}
}

// What says why a call failed may repeat a secret too: an error of the provider, one of the way to it.
func TestWhatACallFailedOfHasNoSecrets(t *testing.T) {
	url := scripted(t, `{"error":{"message":"not with `+apiKey+`"}}`)
	for what, to := range map[string]http.RoundTripper{"the provider": nil, "the way": refusing("no route for " + apiKey)} {
		s := pact.NewDB(store.NewMemory())
		rec := recorder(t, s, record.Options{Context: "chat"})
		a := newAgent(t, provider.Chat, url, rec.Transport(to), false)
		a.ask("hello")
		_, _, _ = a.send(t.Context())
		rec.Close()
		attempts, err := opened(t, s, "chat").Attempts(t.Context(), 1, 1)
		must(t, err)
		if len(attempts) != 1 || !strings.Contains(attempts[0].Error, "[redacted]") || strings.Contains(attempts[0].Error, apiKey) {
			t.Errorf("%s: %+v", what, attempts)
		}
	}
}

// refusing is the transport that fails with a text.
type refusing string

func (r refusing) RoundTrip(*http.Request) (*http.Response, error) { return nil, errors.New(string(r)) }
