package calllog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
)

// sentTo says of each call how many messages it was sent, then how many there are in the end.
func sentTo(s *Session) string {
	var list []string
	for i := range s.Calls {
		sent, _ := s.Calls[i].Request.Get("messages")
		list = append(list, fmt.Sprint(len(sent.Elems)))
	}
	return strings.Join(list, " ") + " | " + fmt.Sprint(len(finalOf(s)))
}

// A run of SWE-agent says in one of three ways what each call was sent.
func TestEachVersionOfSWEAgentTellsItsCalls(t *testing.T) {
	const system, task = `{"role":"system","content":"You are."}`, `{"role":"user","content":"fix it"}`
	const first, seen = `{"role":"assistant","content":"I list.","action":"ls"}`, `{"role":"user","content":"a.py"}`
	const second = `{"role":"assistant","content":"I read.","action":"cat a.py"}`
	const history = `"history":[` + system + `,` + task + `,` + first + `,` + seen + `,` + second + `]`
	for name, test := range map[string]struct{ file, want string }{
		"from 1.1 on, with the query": {`{"trajectory":[{"response":"I list.","observation":"a.py","query":[` + system + `,` + task +
			`]},{"response":"I read.","observation":"x","query":[` + system + `,` + task + `,` + first + `,` + seen + `]}],` + history + `}`,
			"2 4 | 5"},
		"with a query but no history": {`{"trajectory":[{"response":"I list.","observation":"a.py","query":[` + system + `,` + task + `]}]}`,
			"2 | 4"},
		"1.0, with the messages after each step": {`{"trajectory":[{"messages":[` + system + `,` + task + `,` + first + `,` + seen +
			`]},{"messages":[` + system + `,` + task + `,` + first + `,` + seen + `,` + second + `]}],` + history + `}`, "2 4 | 5"},
		"1.0, with the messages before each step": {`{"trajectory":[{"response":"I list.","observation":"a.py","messages":[` + system + `,` +
			task + `]},{"response":"I read.","observation":"x","messages":[` + system + `,` + task + `,` + first + `,` + seen + `]}],` + history +
			`}`, "2 4 | 5"},
		"older, with the history alone": {`{"trajectory":[{"action":"ls","response":"I list."}],` + history + `}`, "2 4 | 5"},
		"older, the history without the last answer": {`{"trajectory":[{"response":"I list."},{"response":"I read.","observation":"x"}],` +
			strings.Replace(history, `,`+second, "", 1) + `}`, "2 4 | 6"},
		"a demonstration of the history": {`{` + strings.Replace(history, `"action":"ls"`, `"is_demo":true`, 1) + `}`, "4 | 5"},
		"an end without a call": {`{"trajectory":[{"response":"I list.","observation":"a.py","query":[` + system + `,` + task +
			`]},{"response":"","observation":"Exited","query":[{}]}]}`, "2 | 4"},
	} {
		log, err := readWhole([]byte(test.file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := sentTo(&log.Sessions[0]); got != test.want || len(log.Sessions) != 1 || log.Format != "run of SWE-agent" {
			t.Errorf("%s: %s in %d conversations, want %s", name, got, len(log.Sessions), test.want)
		}
		if says := strings.Contains(fmt.Sprint(log.Findings), "are no calls: 1"); says != (name == "an end without a call") {
			t.Errorf("%s: the findings are %v", name, log.Findings)
		}
	}
}

// Each attempt of a run is read once: the file repeats the one that was chosen.
func TestAttemptsOfARun(t *testing.T) {
	attempt := func(said string) string {
		return `{"trajectory":[{"response":"` + said + `","query":[{"role":"user","content":"fix it"}]}],"info":{}}`
	}
	text := `{"attempts":[` + attempt("one") + `,` + attempt("two") + `],` + strings.TrimPrefix(attempt("two"), "{")
	log, err := readWhole([]byte(text))
	must(t, err)
	var said []string
	for _, s := range log.Sessions {
		final := finalOf(&s)
		content, _ := final[len(final)-1].Get("content")
		said = append(said, s.Name+" "+content.Text)
	}
	if got := strings.Join(said, ", "); got != "0 one, 1 two" {
		t.Errorf("the attempts say %s", got)
	}
}

// The answer of the last call is the history's, with the calls of tools that a step lacks.
func TestTheLastAnswerKeepsItsCalls(t *testing.T) {
	log, err := readWhole([]byte(`{"trajectory":[{"response":"I list.","observation":"a.py","query":[{"role":"user","content":"fix it"}]}],` +
		`"history":[{"role":"user","content":"fix it"},{"role":"assistant","content":"I list.","tool_calls":[{"id":"c1","type":` +
		`"function","function":{"name":"bash","arguments":"{}"}}]},{"role":"tool","content":"a.py","tool_call_ids":["c1"]}]}`))
	must(t, err)
	final := finalOf(&log.Sessions[0])
	if calls, _ := final[1].Get("tool_calls"); len(final) != 3 || len(calls.Elems) != 1 || roleOf(final[2]) != "tool" {
		t.Errorf("the messages are %s", canon.ArrayOf(final...).Value())
	}
}

// What a run counts of all its calls together is held against its answers, which have no counts; a run of several
// attempts is held to what stands beside them.
func TestTheTotalsOfARunAreCompared(t *testing.T) {
	run := func(stats string) string {
		return `{"trajectory":[{"response":"one","query":[{"role":"user","content":"fix it"}]}],"info":{"model_stats":` + stats + `}}`
	}
	const stats = `{"instance_cost":0.5,"tokens_sent":9000,"tokens_received":300}`
	for text, want := range map[string]string{
		run(stats): "9000 tokens in|300 tokens out|0.5 dollars",
		`{"attempts":[` + run(stats) + `,` + run(`{"tokens_sent":1}`) + `],` + strings.TrimPrefix(run(`{"tokens_sent":9001}`), "{"): "9001 tokens in",
		run(`{"tokens_sent":0,"instance_cost":null}`): "",
	} {
		log, err := readWhole([]byte(text))
		must(t, err)
		said := fmt.Sprint(log.Findings)
		for part := range strings.SplitSeq(want, "|") {
			if part != "" && !strings.Contains(said, "altogether the file says "+part) {
				t.Errorf("%s: the findings are %s, want %s", text, said, part)
			}
		}
		if n := strings.Count(said, "altogether"); n != strings.Count(want, "|")+min(len(want), 1) {
			t.Errorf("%s: the findings are %s", text, said)
		}
	}
}
