package runs_test

import (
	"slices"
	"testing"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/runs"
	"github.com/contexttree/pact/record"
)

// A later request has other text before the same thinking: the rule compares the bytes of two recorded requests.
func TestEachRequestIsComparedWithTheOneBefore(t *testing.T) {
	thought := []object{
		{"role": "assistant", "content": []object{{"type": "thinking", "thinking": "so", "signature": "c2lnbmVk"},
			{"type": "tool_use", "id": "1", "name": "ls", "input": object{}}}},
		{"role": "user", "content": []object{{"type": "tool_result", "tool_use_id": "1", "content": "a"}}},
	}
	older := slices.Concat([]object{user("q one")}, thought)
	newer := slices.Concat([]object{user("Q one")}, thought, []object{assistant("yes"), user("more")})
	const model = "claude-opus-5-5" // whose thinking is bound to what was before it
	c := recorded(t, "run", asked{model: model, messages: older[:1]}, asked{model: model, messages: older},
		asked{model: model, messages: newer})
	fails(t, c, runs.Limits{Check: "anthropic"}, "check run@c3 messages[1].content[0]: something before this thinking differs")
}

// The provider refuses a result without its call. What was sent last, or before in a cycle, is judged like the rest.
func TestRefusedRequestsAreJudged(t *testing.T) {
	whole := []object{user("q")}
	wrong := append(whole, called("1", "ls", ".", "a")[1])
	first, refused := asked{messages: whole, in: 10, out_: 2}, asked{messages: wrong, status: 400}
	limits := runs.Limits{Check: "anthropic", NoOrphans: true}
	for name, calls := range map[string][]asked{
		"last":        {first, refused},
		"last, twice": {first, refused, refused},
		"sent again":  {first, refused, asked{messages: wrong, in: 20, out_: 2}},
		"mended":      {first, refused, asked{messages: append(whole, assistant("yes"), user("more")), in: 20, out_: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			fails(t, recorded(t, "run", calls...), limits, "check run@c2 messages[1].content[0]: ", "no-orphans run@c2 block:2-1: ")
		})
	}
	tokens, cost := int64(10+2+20+2), 0.1
	fails(t, recorded(t, "run", first, refused, asked{messages: append(whole, assistant("yes"), user("more")), in: 20, out_: 2}),
		runs.Limits{MaxTokens: &tokens, MaxCost: &cost})
	fails(t, recorded(t, "run", refused), limits, "check run@c1 messages[1].content[0]: ", "no-orphans run@c1 block:1-1: ")

	begun := asked{messages: append(whole, assistant("I")), status: 400} // this model continues no answer
	other := asked{model: "claude-opus-4-1", messages: begun.messages, in: 10, out_: 2}
	fails(t, recorded(t, "run", begun, other), limits, "check run@c1 messages[1]: the last message is one of the model")
}

func TestRunWithoutAnsweredCallsKeepsNoLimit(t *testing.T) {
	none, tokens, cost := 0, int64(100), 1.0
	c := recorded(t, "run", asked{messages: []object{user("q")}, status: 400})
	fails(t, c, runs.Limits{Breaks: &none, MaxTokens: &tokens, MaxCost: &cost, PrefixOf: c, Check: "anthropic", NoOrphans: true},
		"breaks run: no call", "max-tokens run: no call", "max-cost run: no call", "prefix-of run: no call", "check run: no call",
		"no-orphans run: no call")
}

// A sum that is equal in decimals keeps the limit, whatever binary fractions make of it; one that is more says all of it.
func TestLimitOfCostInDecimals(t *testing.T) {
	calls := growing([]object{user("q")}, called("1", "ls", "1", "a"), called("2", "ls", "2", "a"), called("3", "ls", "3", "a"),
		called("4", "ls", "4", "a"), called("5", "ls", "5", "a"))
	for i := range calls {
		calls[i].in, calls[i].cached, calls[i].out_ = 100, 0, 5
	}
	list := &record.Prices{AsOf: "2026-11-01", Currency: "EUR", Models: []record.Price{{Model: "claude-", Input: 5, Output: 25}}}
	sum, less := 0.00375, 0.003749
	c := recorded(t, "run", calls...)
	fails(t, c, runs.Limits{MaxCost: &sum, Prices: list})
	fails(t, c, runs.Limits{MaxCost: &less, Prices: list}, "max-cost run@c6: with this call the run has cost 0.00375 EUR")
}

// A log that names the calls of a result in a field of its own, and lacks the name of the model, is no run with problems;
// a result that answers no call is one, and nobody has seen a request with it.
func TestWhatALogLacksIsNoProblemOfTheRun(t *testing.T) {
	const begin = `{"messages":[{"role":"user","content":"q"},
		{"role":"assistant","content":"so","tool_calls":[{"id":"1","type":"function","function":{"name":"ls","arguments":"{}"}}]},`
	for result, want := range map[string]string{
		`{"role":"tool","content":"a","tool_call_ids":["1"]}`: "",
		`{"role":"tool","content":"a","tool_call_id":"2"}`:    "pairs",
	} {
		c := opened(t, imported(t, []byte(begin+result+`,{"role":"assistant","content":"yes"}]}`)), "run")
		v, err := runs.Judge(t.Context(), c, runs.Limits{Check: "openai"}, silent)
		must(t, err)
		failures := v.Limits[0].Failures
		if (len(failures) > 0) != (want != "") {
			t.Errorf("%s: %+v", result, failures)
		}
		for _, f := range failures {
			if f.Evidence != inspect.Computed {
				t.Errorf("%s: %s is %s", result, f.Cause, f.Evidence)
			}
		}
	}
}
