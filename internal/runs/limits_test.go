package runs_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/runs"
	"github.com/contexttree/pact/record"
)

// judged returns a line for each failure of a run, as LIMIT PLACE: CAUSE.
func judged(t *testing.T, c *pact.Context, l runs.Limits) (list []string) {
	t.Helper()
	v, err := runs.Judge(t.Context(), c, l, silent)
	must(t, err)
	for _, limit := range v.Limits {
		for _, f := range limit.Failures {
			list = append(list, limit.Name+" "+f.Place+": "+f.Cause)
		}
	}
	if v.Fails() != (len(list) > 0) {
		t.Errorf("fails is %v with %q", v.Fails(), list)
	}
	return list
}

// fails reports an error unless the failures begin with those that are wanted, one for one.
func fails(t *testing.T, c *pact.Context, l runs.Limits, want ...string) {
	t.Helper()
	got := judged(t, c, l)
	if len(got) != len(want) {
		t.Errorf("got %q, want %q", got, want)
		return
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("got %q, want %q", got[i], want[i])
		}
	}
}

func TestLimitsOfTokensAndCost(t *testing.T) {
	c := recorded(t, "run", growing([]object{user("q")}, called("1", "ls", ".", "a"), called("2", "ls", "..", "b"))...)
	list := &record.Prices{AsOf: "2026-11-01", Currency: "EUR", Models: []record.Price{{Model: "claude-", Input: 1e6, Output: 2e6, CacheRead: 5e5}}}
	whole, cost := int64(10+20+30+3*2), 10.0+10+0.5*10+10+0.5*20+3*2*2 // tokens in full, from the cache and out
	below, less := whole-1, cost-0.1
	fails(t, c, runs.Limits{MaxTokens: &whole, MaxCost: &cost, Prices: list})
	fails(t, c, runs.Limits{MaxTokens: &below, MaxCost: &less, Prices: list},
		"max-tokens run@c3: with this call the run has 60 tokens in and 6 out, more than 65",
		"max-cost run@c3: with this call the run has cost 57 EUR, more than 56.9")
	none := &record.Prices{AsOf: "2026-11-01", Currency: "EUR"}
	fails(t, c, runs.Limits{MaxCost: &cost, Prices: none},
		`max-cost run@c1: the list of prices has none for the model "claude-opus-4-8", so it is unknown what the run costs`)
	unknown := recorded(t, "run", asked{messages: []object{user("q")}})
	fails(t, unknown, runs.Limits{MaxTokens: &whole, MaxCost: &cost, Prices: list},
		"max-tokens run@c1: the provider counted no tokens of this call", "max-cost run@c1: the provider counted no tokens of this call")
}

func TestLimitOfBreaks(t *testing.T) {
	calls := growing([]object{user("q")}, called("1", "ls", ".", "a"))
	calls = append(calls, asked{tools: []string{"Bash"}, messages: append(calls[1].messages, assistant("yes"), user("more"))})
	c := recorded(t, "run", calls...)
	none, one := 0, 1
	fails(t, c, runs.Limits{Breaks: &one})
	fails(t, c, runs.Limits{Breaks: &none}, "breaks run@c3")
	if cause := judged(t, c, runs.Limits{Breaks: &none}); len(cause) == 1 && !strings.Contains(cause[0], "the tools changed: Bash") {
		t.Errorf("the cause is %q", cause)
	}
}

func TestLimitOfThePrefixOfAnotherRun(t *testing.T) {
	first, ls := []object{user("q")}, called("1", "ls", ".", "a")
	base := recorded(t, "base", growing(first, ls, called("2", "cat", "a", "text"))...)
	for name, c := range map[string]*pact.Context{
		"the same":       recorded(t, "run", growing(first, ls, called("2", "cat", "a", "text"))...),
		"with other ids": recorded(t, "run", growing(first, called("x", "ls", ".", "a"), called("y", "cat", "a", "text"))...),
		"shorter":        recorded(t, "run", growing(first, ls)...),
		"longer":         recorded(t, "run", growing(first, ls, called("2", "cat", "a", "text"), called("3", "ls", "/", "b"))...),
	} {
		if got := judged(t, c, runs.Limits{PrefixOf: base}); got != nil {
			t.Errorf("%s: got %q", name, got)
		}
	}
	fails(t, recorded(t, "run", growing(first, ls, called("2", "cat", "a", "other text"))...), runs.Limits{PrefixOf: base},
		`prefix-of run@c3 block:3-2: it parts from base@c3: it sends the result of cat "other text", and it sends the result of cat "text" in base`)
	long := strings.Repeat("line of the file\n", 9)
	for _, c := range []struct{ run, base, want string }{
		{long + "the end", long + "an end", `"…of the file\nthe end", and it sends the result of cat "…of the file\nan end" in base`},
		{long, long + "an end", `"…of the file\n", and it sends the result of cat "…of the file\nan end" in base`},
		{"a b", "a  b", `"a b", and it sends the result of cat "a  b" in base`},
		{long + "ä" + long, long + "ö" + long, `"…of the file\näline of the file\nline of the file\nline of the f…", and `},
	} {
		ends := func(name, text string) *pact.Context {
			return recorded(t, name, growing(first, ls, called("2", "cat", "a", text))...)
		}
		fails(t, ends("run", c.run), runs.Limits{PrefixOf: ends("base", c.base)},
			"prefix-of run@c3 block:3-2: it parts from base@c3: it sends the result of cat "+c.want)
	}
	several, more := []object{user("one"), assistant("x"), user("two")}, []object{assistant("yes"), user("three")}
	swap := growing(several, more)
	swap[1].messages[0], swap[1].messages[2] = swap[1].messages[2], swap[1].messages[0]
	fails(t, recorded(t, "run", swap...), runs.Limits{PrefixOf: recorded(t, "base", growing(several, more)...)},
		"prefix-of run@c2: it parts from base@c2: it sends 2 blocks in another order, and it sends the assistant message ")
	model := growing(first, ls)
	model[1].model = "claude-sonnet-4-5"
	fails(t, recorded(t, "run", model...), runs.Limits{PrefixOf: base},
		"prefix-of run@c2: it parts from base@c2: the model is claude-sonnet-4-5, and claude-opus-4-8 in base")
	system := growing(first, ls)
	system[0].system, system[1].system = "be brief", "be brief"
	fails(t, recorded(t, "run", system...), runs.Limits{PrefixOf: base}, "prefix-of run@c1 ")
}

func TestLimitsOfRequests(t *testing.T) {
	calls := growing([]object{user("q")}, called("1", "ls", ".", "a"))
	fails(t, recorded(t, "run", calls...), runs.Limits{Check: "anthropic", NoOrphans: true})
	half := called("2", "ls", ".", "a")[:1]
	alone := append(calls, asked{messages: append(append(calls[1].messages, half...), user("so?"))})
	alone = append(alone, asked{messages: append(alone[2].messages, assistant("yes"), user("and?"))})
	c := recorded(t, "run", alone...)
	fails(t, c, runs.Limits{NoOrphans: true}, "no-orphans run@c3 block:3-1: ")
	fails(t, c, runs.Limits{Check: "anthropic"}, `check run@c3 messages[3].content[0]: no result follows the call "2" (pairs, https://`)
	if got := judged(t, c, runs.Limits{Check: "anthropic"}); len(got) == 1 && !strings.HasSuffix(got[0], "; so in 1 later request") {
		t.Errorf("got %q", got)
	}
	if _, err := runs.Judge(t.Context(), c, runs.Limits{Check: "telegraph"}, silent); err == nil {
		t.Error("an API that is not known was checked")
	}
}

// The tokens of a real session are those that its lines have, each answer counted once, and a limit of one less is
// passed with its last call.
func TestTokensOfARealSession(t *testing.T) {
	db, text := shared(t, "agents/claude-code/0b549a55-cbb8-4a18-a71c-f4e90c8e271f.jsonl")
	sums := map[string]int64{}
	for line := range bytes.Lines(text) {
		var said struct {
			Message struct {
				ID    string
				Usage struct {
					In      int64 `json:"input_tokens"`
					Read    int64 `json:"cache_read_input_tokens"`
					Written int64 `json:"cache_creation_input_tokens"`
					Out     int64 `json:"output_tokens"`
				}
			}
		}
		if json.Unmarshal(line, &said) == nil && said.Message.Usage.Out > 0 {
			u := said.Message.Usage
			sums[said.Message.ID] = u.In + u.Read + u.Written + u.Out
		}
	}
	whole := int64(0)
	for _, n := range sums {
		whole += n
	}
	below := whole - 1
	c := opened(t, db, "run")
	fails(t, c, runs.Limits{MaxTokens: &whole, Check: "anthropic", NoOrphans: true})
	fails(t, c, runs.Limits{MaxTokens: &below}, "max-tokens run@c"+number(len(sums))+": ")
}
