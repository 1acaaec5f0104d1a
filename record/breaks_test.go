package record_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// counted is a past call with what its provider counted; nil numbers were not counted.
type counted struct {
	at                      int // minutes since the first call
	model                   string
	says                    string // what the messages are: a letter a message
	in, read, written, hour any
}

// importedCalls records calls of one conversation as a log has them, without markers.
func importedCalls(t *testing.T, api string, calls []counted) []inspect.CallPrefix {
	t.Helper()
	s := pact.NewDB(store.NewMemory())
	i, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: "chat", Source: map[string]any{"exact": "rebuilt"}})
	must(t, err)
	path := map[string]string{"anthropic.messages": "/v1/messages", "openai.chat": "/v1/chat/completions",
		"gemini.generate": "/v1beta/models/gemini-2.5-pro:generateContent"}[api]
	for k, c := range calls {
		var list []any
		for n, r := range c.says {
			text := strings.Repeat(string(r), 100)
			role := []string{"user", "assistant"}[n%2]
			if api == "gemini.generate" {
				list = append(list, map[string]any{"role": []string{"user", "model"}[n%2], "parts": []any{map[string]any{"text": text}}})
			} else {
				list = append(list, map[string]any{"role": role, "content": text})
			}
		}
		usage := map[string]any{}
		set := func(name string, v any) {
			if v != nil {
				usage[name] = v
			}
		}
		body := map[string]any{"model": c.model, "messages": list, "metadata": map[string]any{"user_id": "u"}}
		answer := map[string]any{"usage": usage, "id": fmt.Sprint("m", k), "type": "message", "role": "assistant", "model": c.model,
			"content": []any{}}
		switch api {
		case "anthropic.messages":
			if c.in != nil {
				set("input_tokens", c.in.(int)-c.read.(int)-c.written.(int))
			}
			set("cache_read_input_tokens", c.read)
			set("cache_creation_input_tokens", c.written)
			if c.hour != nil {
				usage["cache_creation"] = map[string]any{"ephemeral_1h_input_tokens": c.hour, "ephemeral_5m_input_tokens": c.written.(int) - c.hour.(int)}
			}
		case "openai.chat":
			set("prompt_tokens", c.in)
			usage["prompt_tokens_details"] = map[string]any{"cached_tokens": c.read}
			answer = map[string]any{"id": fmt.Sprint("m", k), "object": "chat.completion", "model": c.model, "usage": usage, "choices": []any{
				map[string]any{"index": 0, "message": map[string]any{"role": "assistant", "content": nil}, "finish_reason": "stop"}}}
		default:
			body = map[string]any{"contents": list}
			usage["promptTokenCount"], usage["totalTokenCount"] = c.in, c.in
			if c.read != 0 { // Google leaves out what is 0
				usage["cachedContentTokenCount"] = c.read
			}
			answer = map[string]any{"usageMetadata": usage, "candidates": []any{
				map[string]any{"content": map[string]any{"role": "model", "parts": []any{}}, "finishReason": "STOP"}}}
		}
		text, err := json.Marshal(body)
		must(t, err)
		said, err := json.Marshal(answer)
		must(t, err)
		at := 90000 + int64(c.at)*60
		_, err = i.Add(t.Context(), record.PastCall{ID: fmt.Sprint(k), API: api, Path: path, Body: text, Answer: said, Status: 200,
			Started: at * int64(time.Second), Ended: (at + 2) * int64(time.Second), Rewrites: strings.HasPrefix(c.says, "z")})
		must(t, err)
	}
	prices, err := record.ReadPrices([]byte(`{"as_of":"2026-11-01","currency":"USD","models":[
		{"model":"claude-","input":5,"output":25,"cache_read":0.5,"cache_write":6.25,"cache_write_1h":10},
		{"model":"gpt-","input":2,"output":8,"cache_read":0.2},{"model":"gemini-","input":1,"output":8,"cache_read":0.25}]}`))
	must(t, err)
	c := opened(t, s, "chat")
	last := c.Info().Cycle // without those of other conversations
	between := func(from int) (list []inspect.CallPrefix) {
		for p, err := range record.Prefixes(t.Context(), c, int64(from), last, "", prices) {
			must(t, err)
			list = append(list, p)
		}
		return list
	}
	list := between(1)
	for from := 2; from <= len(list); from++ {
		got, err := json.Marshal(between(from))
		must(t, err)
		if want, err := json.Marshal(list[from-1:]); err != nil || string(got) != string(want) {
			t.Errorf("%+v\nfrom call %d on: %s\nof all calls:   %s", calls, from, got, want)
		}
	}
	return list
}

// The reports on the last calls are those of a walk over all calls, whatever was counted of the calls before.
func TestTheLastCallsAreReportedAsInAWholeWalk(t *testing.T) {
	models := []string{"claude-opus-4-8", "claude-sonnet-5", "claude-opus-4-8-20260401", "gpt-5.5", "gemini-2.5-pro"}
	for seed := range uint64(testrun.Size(t, 24, 300, 5000)) {
		r := rand.New(rand.NewPCG(35, seed))
		api, of := "anthropic.messages", models[:1+r.IntN(3)]
		switch r.IntN(5) {
		case 0:
			api, of = "openai.chat", models[3:4]
		case 1:
			api, of = "gemini.generate", models[4:]
		}
		var calls []counted
		says, at, left := "a", 0, 0
		for range 2 + r.IntN(12) {
			c := counted{at: at, model: of[r.IntN(len(of))], says: says}
			if r.IntN(6) > 0 {
				read, written := left, []int{0, 0, 500, 40000}[r.IntN(4)]
				if written == 40000 {
					read = 0
				}
				c.in, c.read, c.written, left = read+written+3, read, written, read+written
				if r.IntN(2) == 0 {
					c.hour = written
				}
			}
			calls = append(calls, c)
			at += []int{1, 7, 7, 90}[r.IntN(4)]
			switch says += "ba"; r.IntN(6) {
			case 0:
				says = says[:2] + "X" + says[3:]
			case 1:
				says = "zb"[:1+r.IntN(2)]
			}
		}
		importedCalls(t, api, calls)
	}
}

// What the provider counted decides whether the cache broke, and the requests and times say why.
func TestBreaksAreThoseThatTheProviderCounted(t *testing.T) {
	const claude, gpt, gemini = "claude-opus-4-8", "gpt-5.5", "gemini-2.5-pro"
	breaks := 0
	for _, c := range []struct {
		what, api string
		calls     []counted
		want      string // of each break: cycle, evidence, left, read, again, cause, its evidence
	}{
		{"read less though the log shows no change", "anthropic.messages", []counted{{0, claude, "a", 60003, 20000, 40000, nil},
			{1, claude, "aba", 60503, 60000, 500, nil}, {2, claude, "ababa", 60703, 20000, 40700, nil}},
			"3 counted 60500 20000 40500 unknown unknown"},
		{"idle over five minutes", "anthropic.messages", []counted{{0, claude, "a", 60003, 0, 60000, nil}, {7, claude, "aba", 60503, 0, 60500, nil}},
			"2 counted 60000 0 60000 idle computed"},
		{"idle, but for an hour", "anthropic.messages", []counted{{0, claude, "a", 60003, 0, 60000, 60000}, {7, claude, "aba", 60503, 0, 60500, 60500},
			{70, claude, "ababa", 60603, 0, 60600, 60600}}, "2 counted 60000 0 60000 unknown unknown; 3 counted 60500 0 60500 idle computed"},
		{"idle, and read all the same", "anthropic.messages", []counted{{0, claude, "a", 60003, 0, 60000, nil}, {7, claude, "aba", 60503, 60000, 500, nil}}, ""},
		{"another model and back", "anthropic.messages", []counted{{0, claude, "a", 60003, 0, 60000, nil}, {1, "claude-sonnet-5", "aba", 60503, 0, 60500, nil},
			{2, claude, "ababa", 60603, 60000, 600, nil}}, "2 counted 60000 0 60000 model seen"},
		{"another model for long", "anthropic.messages", []counted{{0, claude, "a", 60003, 0, 60000, nil}, {1, "claude-sonnet-5", "aba", 60503, 0, 60500, nil},
			{9, claude, "ababa", 60603, 0, 60600, nil}}, "2 counted 60000 0 60000 model seen; 3 counted 60500 0 60500 model seen"},
		{"a message changed", "anthropic.messages", []counted{{0, claude, "ababababab", 60003, 0, 60000, nil}, {1, claude, "abXbababababa", 60503, 15000, 45500, nil}},
			"2 counted 60000 15000 45000 block seen"},
		{"a message at the end changed, which explains a tenth", "anthropic.messages", []counted{{0, claude, "abababababababababa", 60003, 0, 60000, nil},
			{1, claude, "ababababababababaXa", 60503, 5000, 55500, nil}}, "2 counted 60000 5000 55000 unknown unknown"},
		{"counts missing between a change and its effect", "anthropic.messages", []counted{{0, claude, "ababa", 60003, 0, 60000, nil},
			{1, claude, "aXabaXa", nil, nil, nil, nil}, {2, claude, "aXabaXaba", 60503, 0, 60500, nil}}, "3 counted 60000 0 60000 block seen"},
		{"compacted", "anthropic.messages", []counted{{0, claude, "ababababab", 60003, 0, 60000, nil}, {1, claude, "zb", 20503, 11000, 9500, nil}},
			"2 counted 60000 11000 9503 compaction seen"},
		{"compacted, and most of the messages stay", "anthropic.messages", []counted{{0, claude, "ababababab", 60003, 0, 60000, nil},
			{1, claude, "zbababababa", 60503, 11000, 49000, nil}}, "2 counted 60000 11000 49000 compaction seen"},
		{"compacted, and all that the log has stays", "anthropic.messages", []counted{{0, claude, "z", 60003, 0, 60000, nil},
			{1, claude, "zaz", 20503, 11000, 9500, nil}}, "2 counted 60000 11000 9503 compaction seen"},
		{"less was asked, and all of it read", "anthropic.messages", []counted{{0, claude, "ababababab", 60003, 0, 60000, nil}, {1, claude, "aba", 20503, 20500, 0, nil}}, ""},
		{"too little to be cached", "anthropic.messages", []counted{{0, claude, "a", 903, 0, 0, nil}, {1, claude, "aba", 953, 0, 0, nil}}, ""},
		{"no caching at all", "anthropic.messages", []counted{{0, claude, "a", 60003, 0, 0, nil}, {1, claude, "aba", 60503, 0, 0, nil}}, ""},
		{"a fiftieth less", "anthropic.messages", []counted{{0, claude, "a", 60003, 0, 60000, nil}, {1, claude, "aba", 60503, 58800, 1700, nil}}, ""},
		{"OpenAI counts steps of 128", "openai.chat", []counted{{0, gpt, "a", 50000, 0, nil, nil}, {1, gpt, "aba", 50300, 49920, nil, nil},
			{2, gpt, "ababa", 50600, 50176, nil, nil}}, ""},
		{"OpenAI reads nothing of what it was sent", "openai.chat", []counted{{0, gpt, "a", 50000, 0, nil, nil}, {1, gpt, "aba", 50300, 0, nil, nil}},
			"2 computed 49920 0 49920 unknown unknown"},
		{"a server whose rules nobody knows", "openai.chat", []counted{{0, "qwen3", "a", 50000, 0, nil, nil}, {1, "qwen3", "aba", 50300, 0, nil, nil},
			{2, "qwen3", "ababa", 50600, 40000, nil, nil}, {3, "qwen3", "abababa", 50900, 0, nil, nil}}, "4 counted 40000 0 40000 unknown unknown"},
		{"Gemini's reads fall", "gemini.generate", []counted{{0, gemini, "a", 50000, 0, nil, nil}, {1, gemini, "aba", 50300, 45000, nil, nil},
			{2, gemini, "ababa", 50600, 0, nil, nil}}, "3 counted 45000 0 45000 unknown unknown"},
	} {
		if c.want != "" {
			breaks += strings.Count(c.want, ";") + 1
		}
		t.Run(c.what, func(t *testing.T) {
			var got []string
			for _, p := range importedCalls(t, c.api, c.calls) {
				if p.Expected != nil && c.api == "anthropic.messages" {
					t.Errorf("cycle %d: a rebuilt request has no markers, and the report expects %+v", p.Cycle, p.Expected)
				}
				if p.Cost != nil && p.Cost.BreakCost != nil && *p.Cost.BreakCost > p.Cost.Paid {
					t.Errorf("cycle %d lost %g of %g", p.Cycle, *p.Cost.BreakCost, p.Cost.Paid)
				}
				if b := p.CacheBreak; b != nil {
					got = append(got, fmt.Sprint(p.Cycle, " ", b.Evidence, " ", b.Left, " ", b.Read, " ", b.Again, " ", b.Cause.Kind, " ", b.Cause.Evidence))
				}
			}
			if strings.Join(got, "; ") != c.want {
				t.Errorf("got  %q\nwant %q", strings.Join(got, "; "), c.want)
			}
		})
	}
	page, err := os.ReadFile("../docs/providers.md")
	must(t, err)
	if row := fmt.Sprintf("| %d | %d | counted by hand: `go test -run BreaksAreThose", breaks, breaks); !strings.Contains(string(page), row) {
		t.Errorf("docs/providers.md lacks %q", row)
	}
}

// Where an agent tells that it compacted its conversation, by a header or by asking aside for a summary, that is the
// cause, although much of the conversation stays and comes in another order.
func TestACompactionOfALiveAgentIsNamed(t *testing.T) {
	const tools = `"tools":[{"name":"ls","input_schema":{"type":"object"}}],`
	const summary = "So far the user has asked for a list of files and got it."
	said := func(texts ...string) (list []string) {
		for i, text := range texts {
			list = append(list, fmt.Sprintf(`{"role":%q,"content":[{"type":"text","text":%q}]}`, []string{"user", "assistant"}[i%2], text))
		}
		return list
	}
	for name, calls := range map[string][]struct {
		header, window, tools string
		said                  []string
		answer                string
	}{
		"Codex": {{"Session-Id", "t:0", tools, said("rules", "yes", "list"), "a.txt"},
			{"Session-Id", "t:1", tools, said("list", "yes", "rules", "a.txt", "more"), "b.txt"}},
		"Claude Code": {{"X-Claude-Code-Session-Id", "", tools, said("rules", "yes", "list"), "a.txt"},
			{"X-Claude-Code-Session-Id", "", "", said("rules", "yes", "list", "a.txt", "Write a summary of all this."), summary},
			{"X-Claude-Code-Session-Id", "", tools, said("rules", "yes", summary, "a.txt", "more"), "b.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := pact.NewDB(store.NewMemory())
			i, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: "chat"})
			must(t, err)
			for k, c := range calls {
				_, err = i.Add(t.Context(), record.PastCall{ID: fmt.Sprint(k), API: "anthropic.messages", Path: "/v1/messages", Status: 200,
					Header: http.Header{c.header: {"s"}, "X-Codex-Window-Id": {c.window}},
					Body:   []byte(`{"model":"claude-opus-4-8","max_tokens":9,` + c.tools + `"messages":[` + strings.Join(c.said, ",") + `]}`),
					Answer: []byte(fmt.Sprintf(`{"type":"message","role":"assistant","content":[{"type":"text","text":%q}]}`, c.answer))})
				must(t, err)
			}
			var got []string
			for p, err := range prefixesOf(t.Context(), opened(t, s, "chat"), "", nil) {
				must(t, err)
				if p.Cut != nil {
					got = append(got, fmt.Sprint(p.Cycle, " ", p.Cut.Cause))
				}
			}
			if strings.Join(got, ", ") != "2 compaction" {
				t.Errorf("%q", got)
			}
		})
	}
}
