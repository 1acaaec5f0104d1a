package simulate

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// The attempts of a run say whose prices and whose rules count, whether its tokens were counted, and whether it wrote to the
// cache for an hour; options come before them.
func TestWhatTheAttemptsOfARunSay(t *testing.T) {
	for name, x := range map[string]struct {
		model, about string
		in           *int64
		o            Options
		want         string // the model, the rules, whether it was counted and wrote for an hour
		code         fault.Code
	}{
		"nothing":          {"m", `{}`, nil, Options{}, "m openai false false", ""},
		"a model":          {"claude-opus-5", `{}`, nil, Options{}, "claude-opus-5 anthropic false false", ""},
		"behind a router":  {"google/gemini-3-pro", `{}`, nil, Options{}, "google/gemini-3-pro gemini false false", ""},
		"counted":          {"m", `{}`, new(int64(7)), Options{}, "m openai true false", ""},
		"for five minutes": {"m", `{"written":9}`, nil, Options{}, "m openai false false", ""},
		"for an hour":      {"m", `{"written":9,"written_1h":9}`, nil, Options{}, "m openai false true", ""},
		"another model":    {"m", `{}`, nil, Options{Model: "claude-2"}, "claude-2 anthropic false false", ""},
		"other rules":      {"claude-opus-5", `{}`, nil, Options{Dialect: "gemini"}, "claude-opus-5 gemini false false", ""},
		"unknown rules":    {"m", `{}`, nil, Options{Dialect: "none"}, "", fault.DocumentInvalid},
	} {
		c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "run", nil)
		testrun.Must(t, err)
		request, err := history.PackRequest(`{"about":` + x.about + `}`)
		testrun.Must(t, err)
		for _, model := range []string{"an earlier one", x.model} {
			a, err := c.StartAttempt(t.Context(), pact.ProviderCall{Provider: "p", Model: model}, io.Discard, nil)
			testrun.Must(t, err)
			_, err = c.EndAttempt(t.Context(), pact.Outcome{ID: a.ID, Status: history.Completed, TokenIn: x.in, Request: request})
			testrun.Must(t, err)
			_, err = c.Commit(t.Context(), nil)
			testrun.Must(t, err)
		}
		x.o.Counter = bytesAsTokens{}
		r, err := begin(t.Context(), c, x.o)
		if fault.CodeOf(err) != x.code {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			continue
		}
		if got := fmt.Sprint(r.model, " ", r.rules.Name, " ", r.counted, " ", r.hour); got != x.want || r.api != provider.APINamed(r.rules.Name) {
			t.Errorf("%s: %s of %s, want %s", name, got, r.api, x.want)
		}
	}
}

// madeOf records calls of Anthropic's API as they were sent, each with one more use of a tool, before which the model thinks.
func madeOf(t *testing.T, calls int, more string) *pact.Context {
	t.Helper()
	db := pact.NewDB(store.NewMemory())
	i, err := record.NewImporter(t.Context(), db, record.ImportOptions{Context: "run", Source: map[string]any{"exact": "byte-exact"}})
	testrun.Must(t, err)
	said := `{"role":"user","content":"look"}`
	for n := range calls {
		says := fmt.Sprintf(`{"type":"thinking","thinking":"hm","signature":"s%d"},{"type":"tool_use","id":"t%[1]d","name":"read","input":{"n":%[1]d}}`, n)
		_, err := i.Add(t.Context(), record.PastCall{API: "anthropic.messages", Path: "/v1/messages", Status: 200,
			Body:   []byte(`{"model":"claude-opus-5","max_tokens":9,` + more + `"messages":[` + said + `]}`),
			Answer: []byte(`{"type":"message","role":"assistant","model":"claude-opus-5","content":[` + says + `]}`)})
		testrun.Must(t, err)
		said += fmt.Sprintf(`,{"role":"assistant","content":[%s]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":%q}]}`,
			says, n, strings.Repeat("a line of a file\n", 40))
	}
	c, err := pact.Open(t.Context(), db, "run", nil)
	testrun.Must(t, err)
	return c
}

// A result that the provider was asked to clear counts as the placeholder in its place.
func TestWhatTheProviderClearedCountsAsAPlaceholder(t *testing.T) {
	sent := func(more string) (list []int64) {
		r, err := Run(t.Context(), madeOf(t, 5, more), Options{Counter: bytesAsTokens{}, Calls: true})
		testrun.Must(t, err)
		for _, c := range r.Outcomes[0].ByCall {
			list = append(list, c.Sent)
		}
		return list
	}
	whole := sent("")
	cleared := sent(`"context_management":{"edits":[{"type":"clear_tool_uses_20250919","trigger":{"type":"tool_uses","value":1},"keep":{"type":"tool_uses","value":1}}]},`)
	for n := range whole {
		less := int64(max(0, n-1) * (40*len("a line of a file\n") - len(provider.Cleared)))
		if whole[n]-cleared[n] != less {
			t.Errorf("call %d sends %d tokens less, want %d", n+1, whole[n]-cleared[n], less)
		}
	}
}

// What an outcome says is the sum of what it says of its calls.
func TestAnOutcomeIsTheSumOfItsCalls(t *testing.T) {
	p, err := lifecycle.ParsePolicy([]byte(`{"when":"now","rules":[{"select":"[kind='result']","ttl":1,"stub":true}]}`))
	testrun.Must(t, err)
	r, err := Run(t.Context(), madeOf(t, 6, `"cache_control":{"type":"ephemeral"},`), Options{Counter: bytesAsTokens{}, Calls: true, Prices: million, Model: "m",
		Dialect: "anthropic", Policies: []Named{{"p", p}}})
	testrun.Must(t, err)
	for _, o := range r.Outcomes {
		var sum Outcome
		cost := 0.0
		for _, c := range o.ByCall {
			sum.Sent, sum.Read, sum.Written = sum.Sent+c.Sent, sum.Read+c.Read, sum.Written+c.Written
			sum.Reasoning, sum.Removed, cost = sum.Reasoning+c.Reasoning, sum.Removed+c.Removed, cost+*c.Cost
			if c.Broke {
				sum.Breaks++
			}
		}
		if got, want := fmt.Sprint(o.Sent, o.Read, o.Written, o.Reasoning, o.Removed, o.Breaks, *o.Cost), fmt.Sprint(sum.Sent, sum.Read, sum.Written,
			sum.Reasoning, sum.Removed, sum.Breaks, cost); got != want || o.Policy == "p" && (o.Reasoning == 0 || o.Removed == 0) || len(o.ByCall) != 6 {
			t.Errorf("%s: %s of %d calls, want %s", o.Policy, got, len(o.ByCall), want)
		}
	}
}

// A call has the id that its API gave it, a result that of its call; where a log has none it is that of the call's block.
func TestIDsOfCalls(t *testing.T) {
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "run", nil)
	testrun.Must(t, err)
	testrun.Must(t, c.Edit(t.Context(), func(b *pact.Batch) error {
		add := func(id, kind, ref string, attrs map[string]any) {
			s := pact.Spec{ID: id, Kind: kind, Offset: 1, Content: "x", Attrs: attrs}
			if ref != "" {
				s.Refs = []string{ref}
			}
			b.Add("^ah", s)
		}
		add("named", "call", "", map[string]any{"wire:call": "c1"})
		add("bare", "call", "", nil)
		add("of named", "result", "named", map[string]any{"wire:call": "c1"})
		add("of bare", "result", "bare", nil)
		add("of none", "result", "", nil)
		add("text", "text", "bare", nil)
		return b.Err()
	}, nil))
	working := tree.Of(c.Working())
	for id, want := range map[string]string{"named": "c1", "bare": "bare", "of named": "c1", "of bare": "bare", "of none": "", "text": ""} {
		n, err := working.Node(id)
		testrun.Must(t, err)
		if got, err := callOf(working, n); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", id, got, err, want)
		}
	}
}
