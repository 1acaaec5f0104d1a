package record_test

import (
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// scripted answers every request with the next of some texts.
func scripted(t *testing.T, answers ...string) string {
	t.Helper()
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, err := w.Write([]byte(answers[int(n.Add(1)-1)%len(answers)]))
		if err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// What the model saw beside what it was sent, and what the provider changed.
func TestWhatTheModelSaw(t *testing.T) {
	const responses = `{"id":"resp_1","object":"response","status":"completed","output":[{"type":"message",
		"role":"assistant","content":[{"type":"output_text","text":"ok"}]}]}`
	const message = `{"id":"msg_1","type":"message","role":"assistant","stop_reason":"end_turn",
		"content":[{"type":"text","text":"ok"}]`
	for _, c := range []struct {
		what   string
		path   string
		bodies []string
		answer string
		state  string
		has    func(*inspect.Seen) bool
	}{
		{"nothing else", "/v1/responses", []string{`{"model":"m","input":"a","truncation":"disabled"}`}, responses,
			inspect.SeenWhole, nil},
		{"a recorded answer", "/v1/responses", []string{`{"model":"m","input":"a"}`,
			`{"model":"m","input":"b","previous_response_id":"resp_1"}`}, responses, inspect.SeenTraced,
			func(s *inspect.Seen) bool {
				return len(s.References) == 1 && s.References[0] == inspect.Reference{Field: "previous_response_id", ID: "resp_1",
					Cycle: 1}
			}},
		{"an answer that nobody recorded", "/v1/responses",
			[]string{`{"model":"m","input":"b","previous_response_id":"resp_0"}`}, responses, inspect.SeenPartial,
			func(s *inspect.Seen) bool { return s.References[0].Cycle == 0 }},
		{"a conversation", "/v1/responses", []string{`{"model":"m","input":"b","conversation":{"id":"conv_1"}}`}, responses,
			inspect.SeenPartial, func(s *inspect.Seen) bool { return s.References[0].ID == "conv_1" }},
		{"a template", "/v1/responses", []string{`{"model":"m","input":"b","prompt":{"id":"pmpt_1"}}`}, responses,
			inspect.SeenPartial, func(s *inspect.Seen) bool { return s.References[0].Field == "prompt" }},
		{"an item", "/v1/responses", []string{`{"model":"m","input":[{"type":"item_reference","id":"msg_0"}]}`}, responses,
			inspect.SeenPartial, func(s *inspect.Seen) bool { return s.References[0].Field == "item_reference" }},
		{"what was left out", "/v1/responses", []string{`{"model":"m","input":"b","truncation":"auto"}`}, responses,
			inspect.SeenPartial, func(s *inspect.Seen) bool { return s.Asked[0] == "truncation" }},
		{"cached content", "/v1beta/models/gemini-3:generateContent",
			[]string{`{"contents":[{"parts":[{"text":"a"}]}],"cachedContent":"cachedContents/1"}`},
			`{"responseId":"g","candidates":[{"content":{"role":"model","parts":[{"text":"ok"}]},"finishReason":"STOP"}]}`,
			inspect.SeenPartial, func(s *inspect.Seen) bool { return s.References[0].ID == "cachedContents/1" }},
		{"edits that were not needed", "/v1/messages", []string{`{"model":"m","messages":[{"role":"user","content":"a"}],
			"context_management":{"edits":[]}}`}, message + `,"context_management":{"applied_edits":[]}}`, inspect.SeenWhole,
			func(s *inspect.Seen) bool { return s.Asked[0] == "context_management" }},
		{"results that were cleared", "/v1/messages", []string{`{"model":"m","messages":[{"role":"user","content":"a"}],
			"context_management":{"edits":[]}}`}, message + `,"context_management":{"applied_edits":[
			{"type":"clear_tool_uses_20250919","cleared_tool_uses":3}]}}`, inspect.SeenPartial,
			func(s *inspect.Seen) bool { return len(s.Changed) == 1 }},
		{"thinking that was dropped", "/v1/messages", []string{`{"model":"m","messages":[{"role":"user","content":"a"}]}`},
			message + `,"input_transformations":[{"type":"thinking_dropped","path":"messages.1.content.0"}]}`,
			inspect.SeenWhole, func(s *inspect.Seen) bool { return len(s.Changed) == 1 }},
		{"a summary", "/v1/messages", []string{`{"model":"m","messages":[{"role":"user","content":"a"}]}`},
			strings.Replace(message, `"content":[`, `"content":[{"type":"compaction","content":"s"},`, 1) + `}`,
			inspect.SeenPartial, func(s *inspect.Seen) bool { return len(s.Changed) == 1 }},
	} {
		t.Run(c.what, func(t *testing.T) {
			url := scripted(t, c.answer)
			s := pact.NewDB(store.NewMemory())
			rec := recorder(t, s, record.Options{Context: "chat", Strict: true})
			client := &http.Client{Transport: rec.Transport(nil)}
			for _, body := range c.bodies {
				req, err := http.NewRequest(http.MethodPost, url+c.path, strings.NewReader(body))
				must(t, err)
				wholeOf(t)(client.Do(req))
			}
			rec.Close()
			name := rec.Contexts()[len(rec.Contexts())-1]
			last := opened(t, s, name)
			body, err := record.Request(t.Context(), last, int64(len(c.bodies)), 0)
			must(t, err)
			seen, err := record.SeenByModel(t.Context(), last, body.Attempt)
			must(t, err)
			if seen.State != c.state || c.has != nil && !c.has(seen) {
				t.Errorf("%+v", seen)
			}
		})
	}
}

func TestNobodySawACallThatWasNotMade(t *testing.T) {
	tk := newTalk(t, provider.Chat)
	tk.turn("a")
	tk.rec.Close()
	never := history.Attempt{ID: "attempt:7-1", Cycle: 7}
	_, err := record.SeenByModel(t.Context(), opened(t, tk.store, "chat"), never)
	if !errors.Is(err, fault.AttemptNotFound) {
		t.Errorf("%v", err)
	}
}

// A price is that of the model that it names and of its dated versions, or of a family whose name ends in -.
func TestPriceOfAModel(t *testing.T) {
	list, err := record.ReadPrices([]byte(`{"as_of":"2026-11-01","currency":"USD","models":[
		{"model":"gpt-5.5","input":5,"source":"https://openai.com/api/pricing"},{"model":"claude-opus-4","input":3},
		{"model":"local-","input":1}]}`))
	must(t, err)
	for _, model := range []string{"gpt-5.5", "gpt-5.5-2026-03-05", "claude-opus-4-20250514", "local-x"} {
		if _, has := list.Model(model); !has {
			t.Errorf("%s has no price", model)
		}
	}
	for _, model := range []string{"gpt-5.5-mini", "gpt-5.55", "claude-opus-4-1", "claude-opus-4-1-20250805", "gpt-5.5-2026-13-05",
		"gpt-5", "gpt-5.5-mini-2026-03-05", "claude-opus-4-99999999"} {
		if _, has := list.Model(model); has {
			t.Errorf("%s has the price of another model", model)
		}
	}
}

func TestPrices(t *testing.T) {
	list, err := record.ReadPrices([]byte(`{"as_of":"2026-11-01","currency":"USD","models":[
		{"model":"claude-","input":4,"output":20,"cache_read":0.5,"cache_write":5,"cache_write_1h":8},
		{"model":"gpt-","input":2,"output":8,"cache_read":0.2}]}`))
	must(t, err)
	n := func(i int64) *int64 { return &i }
	for _, c := range []struct {
		model      string
		u          inspect.ProviderCache
		paid, lost float64 // millionths
	}{
		// 10 of input, 1000 read, 100 written of them 40 for an hour, 7 answered
		{"claude-x", inspect.ProviderCache{In: n(1110), Read: n(1000), Written: n(100), Written1h: n(40), Out: n(7)},
			10*4 + 1000*.5 + 60*5 + 40*8 + 7*20, 0},
		// nothing is read, all is written again: 1000 at 5 in place of 0.5
		{"claude-x", inspect.ProviderCache{In: n(1100), Read: n(0), Written: n(1100)}, 1100 * 5, 1000 * 4.5},
		{"gpt-x", inspect.ProviderCache{In: n(1100), Read: n(0)}, 1100 * 2, 1000 * 1.8},
		// of 1000 again, 300 for an hour, 500 for five minutes and 200 not written at all
		{"claude-x", inspect.ProviderCache{In: n(1100), Read: n(0), Written: n(800), Written1h: n(300)}, 300*8 + 500*5 + 300*4,
			300*7.5 + 500*4.5 + 200*3.5},
	} {
		left := n(1000)
		call := &inspect.CallPrefix{Model: c.model, Provider: &c.u, Left: left}
		if *c.u.Read < *left {
			call.CacheBreak = &inspect.CacheBreak{Again: *left - *c.u.Read}
		}
		cost := list.Cost(call)
		if cost == nil || math.Abs(cost.Paid*1e6-c.paid) > 1e-6 || math.Abs(*cost.BreakCost*1e6-c.lost) > 1e-6 ||
			cost.Currency != "USD" {
			t.Errorf("%s: %+v, want %g and %g", c.model, cost, c.paid, c.lost)
		}
	}
	if list.Cost(&inspect.CallPrefix{Model: "another", Provider: &inspect.ProviderCache{In: n(1)}}) != nil ||
		list.Cost(&inspect.CallPrefix{Model: "gpt-x"}) != nil {
		t.Error("a call has a price that nobody knows")
	}
	for _, bad := range []string{``, `[]`, `{}`, `{"as_of":"x","currency":"USD","model":1}`,
		`{"as_of":"x","currency":"USD","models":[{"model":"a","input":-1}]}`, `{"as_of":"x","currency":"USD"} 1`,
		`{"as_of":"x","currency":"USD","models":[{"input":1}]}`} {
		if _, err := record.ReadPrices([]byte(bad)); !errors.Is(err, fault.DocumentInvalid) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
