package manage

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/lifecycle"
)

func compiledRules(t *testing.T, policy string) *Rules {
	t.Helper()
	p, err := lifecycle.ParsePolicy([]byte(policy))
	must(t, err)
	c, err := Compile(&p)
	must(t, err)
	return c
}

// turnOf returns a call with its result, in the API of Anthropic with a thought before it if it is not "".
func turnOf(api provider.API, n int, thought string, result any) []any {
	id := fmt.Sprint("c", n)
	if api == provider.Chat {
		return []any{map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"id": id, "type": "function",
			"function": map[string]any{"name": "read", "arguments": "{}"}}}},
			map[string]any{"role": "tool", "tool_call_id": id, "content": result}}
	}
	said := []any{map[string]any{"type": "tool_use", "id": id, "name": "read", "input": map[string]any{"n": n}}}
	if thought != "" {
		said = append([]any{map[string]any{"type": "thinking", "thinking": thought, "signature": id}}, said...)
	}
	return []any{map[string]any{"role": "assistant", "content": said},
		map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": result}}}}
}

// decisionsOf sends a request after each turn of a conversation and returns what is decided about each, by the calls.
func decisionsOf(t *testing.T, policy string, api provider.API, model string, turns ...[]any) (all []string) {
	t.Helper()
	c, m, l := compiledRules(t, policy), NewMemory(), NewList()
	b := NewLedger(func(string) (Price, bool) { return Price{}, false })
	said := []any{map[string]any{"role": "user", "content": "Look."}}
	for n, turn := range turns {
		said = append(said, turn...)
		body, err := json.Marshal(map[string]any{"model": model, "messages": said})
		must(t, err)
		q, ok := m.Read(api, "", body, apart)
		if !ok {
			t.Fatal(string(body))
		}
		must(t, q.Follow(l))
		b.Begin(q, time.Unix(int64(n), 0))
		list, err := c.Decide(t.Context(), l, q, b, func() bool { return false })
		must(t, err)
		var made []string
		for _, d := range list {
			l.Add(d)
			i := slices.IndexFunc(q.Parts, func(p Part) bool { return p.Key == d.Key })
			of := q.Parts[i].Call
			if q.Parts[i].Kind == "thinking" {
				of = "a thought behind " + q.Parts[i-1].Call
			}
			made = append(made, string(d.What)+" "+of)
		}
		must(t, q.Follow(l))
		b.End(q, len(list) > 0)
		all = append(all, strings.Join(made, ", "))
	}
	return all
}

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
			l.Add(Decision{What: Shaped, Key: "k", ID: "a", Text: canon.String("short"), Block: block})
		}
		l.Add(Decision{What: Raw, Key: "k", Block: "block:2"})
		if n, _ := l.Holds(); n != want+1 {
			t.Errorf("of two decisions in the block %q and one in another there are %d", block, n)
		}
	}
}

var must = testrun.Must
