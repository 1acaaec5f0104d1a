package calllog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
)

// TestLinesOfOneIDThatSayDifferentThings: the same line twice is read once; another line with its id is
// read too, behind it, and a finding says so.
func TestLinesOfOneIDThatSayDifferentThings(t *testing.T) {
	line := func(id, above, kind, message string) string {
		return `{"type":"` + kind + `","uuid":"` + id + `","parentUuid":` + above + `,"sessionId":"s",` +
			`"timestamp":"2026-05-04T09:00:00Z","message":` + message + "}\n"
	}
	first := line("1", "null", "user", `{"role":"user","content":"One?"}`)
	other := line("1", "null", "user", `{"role":"user","content":"Two?"}`)
	answer := line("2", `"1"`, "assistant", `{"id":"m","role":"assistant","model":"c","stop_reason":"end_turn",`+
		`"content":[{"type":"text","text":"1"}]}`)
	for _, c := range []struct{ text, request, finding string }{
		{first + first + answer, "user text One?", "line 2: it stands in the file twice and was read once"},
		{first + other + answer, "user text One? | user text Two?", "line 2: it has the id of another line and says " +
			"something else; it was put behind that line"},
		{first + other + first + other + answer, "user text One? | user text Two?", "line 3: it stands in the file twice " +
			"and was read once (and 1 more like it)"},
	} {
		log, err := readWhole([]byte(c.text))
		must(t, err)
		calls := log.Sessions[0].Calls
		if len(calls) != 1 || words(requestOf(t, &calls[0]).Parts) != c.request {
			t.Errorf("%d calls; the first says %s, want %s", len(calls), words(requestOf(t, &calls[0]).Parts), c.request)
		}
		if !strings.Contains(fmt.Sprint(log.Findings), c.finding) {
			t.Errorf("the findings are %v, want one that says %s", log.Findings, c.finding)
		}
	}
}

// TestGenerationsOfLangfuse: answers and tokens, written by hand from the sample. Counts by kind make up
// the sum where the log has none.
func TestGenerationsOfLangfuse(t *testing.T) {
	log := sampleLog(t, "langfuse.json")
	calls := log.Sessions[0].Calls
	want := []struct {
		said            string
		in, out, cached int64
	}{
		{`assistant thinking It looks like Momo. | assistant call call_1 find_book {"arguments":"{\"title\":\"Momo\"}",` +
			`"name":"find_book"}`, 210, 18, 192},
		{"assistant text Momo stands on shelf 4.", 240, 9, -1},
		{"assistant text I do not know.", 260, 5, 192},
		{"", -1, -1, -1},
	}
	if len(calls) != len(want) || len(log.Findings) != 1 {
		t.Fatalf("%d calls, %v", len(calls), log.Findings)
	}
	value := func(n *int64) int64 {
		if n == nil {
			return -1
		}
		return *n
	}
	for i, w := range want {
		a, said := answerOf(&calls[i])
		if words(said) != w.said || value(a.Usage.In) != w.in || value(a.Usage.Out) != w.out ||
			value(a.Usage.Cached) != w.cached {
			t.Errorf("call %d: %s, %d in, %d out, %d cached; want %v", i+1, words(said), value(a.Usage.In), value(a.Usage.Out),
				value(a.Usage.Cached), w)
		}
	}
	if a, _ := answerOf(&calls[3]); a.Failure == "" || !strings.Contains(a.Failure, "Rate limit reached") {
		t.Errorf("the failed call says %q", a.Failure)
	}
	if cost := calls[0].attribute("calculatedTotalCost"); cost.Text != "0.0012" {
		t.Errorf("the cost is %v", cost)
	}
}

// TestOutputsOfGenerations: whatever form the program gave the output, the model's words are the answer.
func TestOutputsOfGenerations(t *testing.T) {
	for _, c := range []struct{ members, output, said string }{
		{`"model":"gpt-5.5","input":[{"role":"user","content":"Hi"}]`, `"Yes."`, "assistant text Yes."},
		{`"model":"gpt-5.5","input":"[{\"role\":\"user\",\"content\":\"Hi\"}]"`, `"Yes."`, "assistant text Yes."},
		{`"model":"gpt-5.5","input":{"messages":[{"role":"user","content":"Hi"}]}`, `{"completion":"Yes."}`,
			"assistant text Yes."},
		{`"model":"gpt-5.5","input":[{"role":"user","content":"Hi"}]`, `[{"role":"assistant","content":"Yes."}]`,
			"assistant text Yes."},
		{`"model":"gpt-5.5","input":[{"role":"user","content":"Hi"}]`, `"{\"answer\":true}"`,
			`assistant text {"answer":true}`},
		{`"model":"gpt-5.5","input":[{"role":"user","content":"Hi"}]`, `{"answer":true}`, `assistant text {"answer":true}`},
		{`"model":"gpt-5.5","input":[{"type":"message","role":"user","content":"Hi"}]`, `"Yes."`, "assistant text Yes."},
		{`"model":"gpt-5.5","input":[{"type":"message","role":"user","content":"Hi"}]`,
			`[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Yes."}]}]`, "assistant text Yes."},
		{`"model":"gpt-5.5","input":[{"type":"message","role":"user","content":"Hi"}]`, `{"content":""}`, "assistant text"},
		{`"model":"claude-sonnet-4-5","modelParameters":{"max_tokens":9},"input":[{"role":"user","content":"Hi"}]`,
			`{"role":"assistant","content":[{"type":"text","text":"Yes."}]}`, "assistant text Yes."},
		{`"model":"gpt-5.5","input":[{"role":"user","content":"Hi"}]`, `[ ]`, ""},
	} {
		log, err := readWhole([]byte(`{"id":"g","type":"GENERATION",` + c.members + `,"output":` + c.output + `}`))
		if err != nil {
			t.Fatalf("%s: %v", c.members, err)
		}
		if _, said := answerOf(&log.Sessions[0].Calls[0]); words(said) != c.said {
			t.Errorf("%s, %s: the answer says %q, want %q", c.members, c.output, words(said), c.said)
		}
	}
}

// TestALogOfNothingIsRefused: a file of a known format in which nothing was said imports as nothing.
func TestALogOfNothingIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"Vercel AI": `[{"role":"assistant","parts":[{"type":"data-weather","data":{}}]}]`,
		"notes":     `{"type":"summary","sessionId":"s","summary":"x"}`,
		"ChatGPT":   `[{"id":"1","title":"x","mapping":{"a":{"id":"a","message":null,"parent":null,"children":[]}}}]`,
		"a line of an unknown type": `{"type":"alien","uuid":"u1","parentUuid":null,"sessionId":"s","message":{"role":` +
			`"alien","content":"x"}}`,
		"attachment": `{"type":"attachment","uuid":"1","parentUuid":null,"sessionId":"s","attachment":{"type":"hook"}}`,
	} {
		if log, err := readWhole([]byte(text)); fault.CodeOf(err) != fault.DocumentInvalid {
			t.Errorf("%s: %v, %v", name, log, err)
		}
	}
}

// TestAnswersThatAreKeptAsTheyCameHaveTheirCounts: programs put the answer of Anthropic's API itself into the history.
func TestAnswersThatAreKeptAsTheyCameHaveTheirCounts(t *testing.T) {
	const answer = `{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-4-8","content":[{"type":"text","text":"a"}],` +
		`"stop_reason":"end_turn","usage":{"input_tokens":5,"cache_read_input_tokens":90,"cache_creation_input_tokens":7,"output_tokens":3}}`
	const ask = `{"role":"user","content":"q"}`
	for _, text := range []string{`[` + ask + `,` + answer + `]`, ask + "\n" + answer + "\n", `{"messages":[` + ask + `,` + answer + `]}`} {
		log, err := readWhole([]byte(text))
		must(t, err)
		if got := strings.Join(said(t, log), "\n"); got != " 102/3/90/7/- user text q -> assistant text a" || len(log.Findings) > 0 {
			t.Errorf("%s: %s, %v", text, got, log.Findings)
		}
	}
}

// TestMessagesThatNoRequestSeparatesAreOneAnswer: of each form of lists two messages of the model behind one another are
// one call.
func TestMessagesThatNoRequestSeparatesAreOneAnswer(t *testing.T) {
	for name, text := range map[string]string{
		"chat": `[{"role":"user","content":"q"},{"role":"assistant","content":"a"},{"role":"assistant","content":"b"},` +
			`{"role":"user","content":"on"},{"role":"assistant","content":"c"}]`,
		"Anthropic": `[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"s"}]},` +
			`{"role":"assistant","content":"b"},{"role":"user","content":"on"},{"role":"assistant","content":"c"}]`,
		"Gemini": `[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"text":"a"}]},{"role":"model","parts":[{"text":"b"}]},` +
			`{"role":"user","parts":[{"text":"on"}]},{"role":"model","parts":[{"text":"c"}]}]`,
		"Responses": `[{"role":"user","content":"q"},{"type":"reasoning","summary":[]},{"type":"message","role":"assistant",` +
			`"content":[{"type":"output_text","text":"b"}]},{"role":"user","content":"on"},{"type":"message","role":"assistant","content":"c"}]`,
		"LangChain": `[{"type":"human","data":{"content":"q","type":"human"}},{"type":"ai","data":{"content":"a","type":"ai"}},` +
			`{"type":"ai","data":{"content":"b","type":"ai"}},{"type":"human","data":{"content":"on","type":"human"}},` +
			`{"type":"ai","data":{"content":"c","type":"ai"}}]`,
		"Gemini CLI": `{"sessionId":"s","projectHash":"h","messages":[{"id":"1","type":"user","content":"q"},` +
			`{"id":"2","type":"gemini","content":"a","model":"g"},{"id":"3","type":"gemini","content":"b","model":"g","tokens":{"input":9,` +
			`"output":2}},{"id":"4","type":"user","content":"on"},{"id":"5","type":"gemini","content":"c","model":"g","tokens":{"input":20,"output":3}}]}`,
		"Cline": `{"version":1,"updated_at":"x","agent":"lead","sessionId":"s","system_prompt":"S","messages":[{"id":"1","role":"user",` +
			`"content":"q","ts":1},{"id":"2","role":"assistant","content":"a","ts":2},{"id":"3","role":"assistant","content":"b","ts":3,` +
			`"modelInfo":{"id":"m"},"metrics":{"inputTokens":9,"outputTokens":2}},{"id":"4","role":"user","content":"on","ts":4},` +
			`{"id":"5","role":"assistant","content":"c","ts":5,"metrics":{"inputTokens":20,"outputTokens":3}}]}`,
	} {
		log, err := readWhole([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if n := calls(log); n != 2 || name != "Responses" && name != "Gemini CLI" && len(log.Findings) == 0 {
			t.Errorf("%s: %d calls, findings %v\n%s", name, n, log.Findings, strings.Join(callLines(t, log), "\n"))
		}
	}
}
