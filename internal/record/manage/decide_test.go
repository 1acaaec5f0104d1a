package manage

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

func TestWhatRulesDecideAboutACall(t *testing.T) {
	long, other := strings.Repeat("a line of a result\n", 30), strings.Repeat("another line of one\n", 30)
	chat := func(results ...any) (turns [][]any) {
		for n, r := range results {
			turns = append(turns, turnOf(provider.Chat, n, "", r))
		}
		return turns
	}
	for name, x := range map[string]struct {
		policy string
		turns  [][]any
		want   []string
	}{
		"a long result is shortened as it comes, and no other form": {`{"when":"now","rules":[{"select":"[kind='result'][bytes>400]","head":30,"tail":20}]}`,
			chat(long, "short", other, long), []string{"shaped c0", "", "shaped c2", "shaped c3"}},
		"an equal result refers to the one before it": {`{"when":"now","rules":[{"select":"[kind='result']","once":true}]}`,
			chat(long, other, long, "short", "short"), []string{"", "", "same c2", "", ""}},
		"no rule shapes what it keeps, or what it does not find": {`{"when":"now","rules":[{"select":"[tool='read']","keep":true},{"select":"[bytes>1]","head":1}]}`,
			chat(long, other), []string{"", ""}},
		"a result goes after its calls, and leaves a note": {`{"when":"now","rules":[{"select":"[kind='result']","ttl":2,"stub":true}]}`,
			chat(long, other, long, "short", other, long), []string{"", "", "left c0", "left c1", "left c2", ""}},
		"the first rule that finds a result decides": {`{"when":"now","rules":[{"select":"[kind='result'][bytes<100]","ttl":1,"stub":true},{"select":"[kind='result']","ttl":3,"stub":true}]}`,
			chat(long, "short", other, long, other), []string{"", "", "", "left c0", ""}},
	} {
		if got := decisionsOf(t, x.policy, provider.Chat, "m", x.turns...); !slices.Equal(got, x.want) {
			t.Errorf("%s: %q, want %q", name, got, x.want)
		}
	}
}

// The rules of a policy find the parts that are new in a request by what their blocks would have: the tool, of which call
// they are, and whether it failed.
func TestWhatSelectorsFindInARequest(t *testing.T) {
	of := func(selector string) string { return `{"select":"` + selector + `","ttl":1}` }
	list := []string{"[kind='result']", "[tool='read']", "[failed=true]", "[wire:call='c1']", "[wire:call='c0']", "[role='assistant']",
		"[bytes>400]", "[tool='other']"}
	want := []string{"c1", "c1 c1", "c1 c1", "c1 c1", "", "c1", "c1", ""}
	policy := ""
	for _, selector := range list {
		policy += "," + of(selector)
	}
	c := converse(t, `{"rules":[`+policy[1:]+`]}`, provider.Messages, "m")
	c.fields["system"] = "Be kind."
	one, two := turnOf(c.api, 0, "", "short"), turnOf(c.api, 1, "", longText)
	two[1].(map[string]any)["content"].([]any)[0].(map[string]any)["is_error"] = true
	q := c.asks(append(one, two...)...)
	found, err := c.rules.Find(t.Context(), q)
	must(t, err)
	for n, places := range found {
		var calls []string
		for _, i := range places {
			calls = append(calls, q.Parts[i].Call)
		}
		slices.Sort(calls)
		if got := strings.TrimSpace(strings.Join(calls, " ")); got != want[n] {
			t.Errorf("%s finds %q, want %q", list[n], got, want[n])
		}
	}
}

// A model that binds its thinking to the text before it has what it thought behind a result that leaves taken too, and no
// other thinking; another model keeps all of it.
func TestThinkingGoesWithTheResultBeforeIt(t *testing.T) {
	long := strings.Repeat("a line of a result\n", 30)
	turns := [][]any{turnOf(provider.Messages, 0, "first", "short"), turnOf(provider.Messages, 1, "second", long),
		turnOf(provider.Messages, 2, "third", "short"), turnOf(provider.Messages, 3, "", "short"), turnOf(provider.Messages, 4, "", "short")}
	const policy = `{"when":"now","rules":[{"select":"[kind='result'][bytes>400]","ttl":2,"stub":true}]}`
	for model, want := range map[string]string{"claude-opus-5": "left c1", "claude-fable-5-1": "left c1, gone a thought behind c1"} {
		got := strings.Join(decisionsOf(t, policy, provider.Messages, model, turns...), ";")
		if got = strings.Trim(got, ";"); got != want {
			t.Errorf("%s: %q, want %q", model, got, want)
		}
	}
}

func TestWhichRulesChangeARequest(t *testing.T) {
	for policy, change := range map[string]bool{`{}`: false, `{"rules":[{"select":"*","keep":true}]}`: false,
		`{"rules":[{"select":"*","priority":3}]}`: false, `{"max_bytes":10}`: true, `{"parts":[{"kind":"result","max_nodes":1}]}`: true,
		`{"rules":[{"select":"*","ttl":1}]}`: true, `{"rules":[{"select":"*","head":1}]}`: true, `{"rules":[{"select":"*","tail":1}]}`: true,
		`{"rules":[{"select":"*","once":true}]}`: true} {
		if got := compiledRules(t, policy).Change(); got != change {
			t.Errorf("%s: %v", policy, got)
		}
	}
}

// A list that is read again has each decision once, and several that no block keeps.
func TestADecisionIsInAListOnce(t *testing.T) {
	for block, want := range map[string]int{"": 2, "block:1": 1} {
		l := NewList()
		for range 2 {
			l.Add(Decision{Action: Shaped, Key: "k", ID: "a", Text: canon.String("short"), Block: block})
		}
		l.Add(Decision{Action: Raw, Key: "k", Block: "block:2"})
		if n, _ := l.Size(); n != want+1 {
			t.Errorf("of two decisions in the block %q and one in another there are %d", block, n)
		}
	}
}

// A part has the id that its decision gave it, else that of its call, unless another part has that or a note could not
// name it.
func TestTheIDsOfPartsAreTheirOwn(t *testing.T) {
	l, key := NewList(), func(c string) string { return strings.Repeat(c, 20) }
	l.Add(Decision{Action: Shaped, Key: key("k"), ID: "a"})
	l.Add(Decision{Action: Same, Key: key("s"), ID: "a"}) // names the other
	for _, x := range [][3]string{{key("k"), "c1", "a"}, {key("s"), "c2", "c2"}, {key("o"), "a", "a-oooooooo"},
		{key("o"), "c3", "c3"}, {key("o"), "two words", "kept-oooooooooooooooo"}} {
		if got := l.ID(x[0], x[1]); got != x[2] {
			t.Errorf("%s of the call %q is %q, want %q", x[0], x[1], got, x[2])
		}
	}
}

// The provider can be asked to clear the oldest uses of tools, and of an answer with several calls all: what a rule
// takes just so is cleared, together with short results before it, and notes stand for anything else.
func TestWhatTheProviderIsAskedToClear(t *testing.T) {
	long := strings.Repeat("a line of a result\n", 30)
	turn := func(n int, result string) []any { return turnOf(provider.Messages, n, "", result) }
	one, two := turn(0, "short"), turn(1, long)
	both := []any{
		map[string]any{"role": "assistant", "content": slices.Concat(one[0].(map[string]any)["content"].([]any), two[0].(map[string]any)["content"].([]any))},
		map[string]any{"role": "user", "content": slices.Concat(one[1].(map[string]any)["content"].([]any), two[1].(map[string]any)["content"].([]any))},
	}
	const all, some = `{"when":"now","rules":[{"select":"[kind='result']","ttl":2}]}`,
		`{"when":"now","rules":[{"select":"[kind='result'][bytes>400]","ttl":2}]}`
	for name, x := range map[string]struct {
		policy, model string
		turns         [][]any
		want          []string
	}{
		"one after the other": {all, "claude-opus-5", [][]any{turn(0, long), turn(1, long), turn(2, "short"), turn(3, "short")},
			[]string{"", "", "cleared c0", "cleared c1"}},
		"a short one with the next": {all, "claude-opus-5", [][]any{turn(0, "short"), turn(1, long), turn(2, "short"), turn(3, "short")},
			[]string{"", "", "", "cleared c0, cleared c1"}},
		"both of an answer": {all, "claude-opus-5", [][]any{both, turn(2, "short"), turn(3, "short")},
			[]string{"", "", "cleared c0, cleared c1"}},
		"one of two of an answer": {some, "claude-opus-5", [][]any{both, turn(2, "short"), turn(3, "short")},
			[]string{"", "", "left c1"}},
		"behind one that stays": {some, "claude-opus-5", [][]any{one, two, turn(2, "short"), turn(3, "short")},
			[]string{"", "", "", "left c1"}},
		"one of two rules leaves a stub": {strings.Replace(all, `[{`, `[{"select":"[bytes>400]","ttl":2,"stub":true},{`, 1), "claude-opus-5",
			[][]any{turn(0, long), turn(1, long), turn(2, "short")}, []string{"", "", "left c0"}},
		"a model that cannot be asked": {all, "claude-2", [][]any{turn(0, long), turn(1, long), turn(2, "short")},
			[]string{"", "", "left c0"}},
	} {
		if got := decisionsOf(t, x.policy, provider.Messages, x.model, x.turns...); !slices.Equal(got, x.want) {
			t.Errorf("%s: %q, want %q", name, got, x.want)
		}
	}
}

// A result is fresh until an answer stands behind it. Responses has a result between the calls of one answer, which the
// model wrote before it saw any.
func TestWhichResultsNoModelSaw(t *testing.T) {
	const body = `{"model":"m","input":[{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"x"},` +
		`{"type":"function_call","call_id":"b","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"b","output":"y"}]}`
	for together, want := range map[bool][]string{true: {"a", "b"}, false: {"b"}} {
		q, ok := NewMemory().Read(provider.Responses, "", []byte(body), func(string, string) bool { return together })
		var fresh []string
		for _, p := range q.Parts {
			if p.result() && p.fresh {
				fresh = append(fresh, p.Call)
			}
		}
		if !ok || !slices.Equal(fresh, want) {
			t.Errorf("together %t: %q are fresh, want %q", together, fresh, want)
		}
	}
}

// A ledger counts calls, those without a marker where the provider wants one, and names the last model without a price.
func TestWhatALedgerCounts(t *testing.T) {
	m, l, list := NewMemory(), NewLedger(func(model string) (Price, bool) { return Price{}, model == "known" }), NewList()
	for i, x := range []struct {
		api  provider.API
		body string
	}{
		{provider.Messages, `{"model":"unknown","messages":[{"role":"user","content":"Look."}]}`},
		{provider.Messages, `{"model":"known","messages":[{"role":"user","content":[{"type":"text","text":"Look.","cache_control":{"type":"ephemeral"}}]}]}`},
		{provider.Chat, `{"model":"known","messages":[{"role":"user","content":"Look."}]}`},
		{provider.Messages, `{"model":"known","messages":[{"role":"user","content":"Look there."}]}`},
	} {
		q, ok := m.Read(x.api, "", []byte(x.body), apart)
		if !ok {
			t.Fatal(x.body)
		}
		must(t, q.Follow(list))
		l.Begin(q, time.Unix(int64(i), 0))
		l.End(q, false)
	}
	if got := l.Total(); got.Calls != 4 || got.NoMarker != 2 || got.Unpriced != "unknown" || got.Again != 0 || got.Sent.Sent != got.Asked.Sent {
		t.Errorf("%+v", got)
	}
}
