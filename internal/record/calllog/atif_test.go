package calllog

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// A trajectory tells of each call its tokens and price, ends with a compaction what was before, and has its sub-agents
// as sessions that a call of a tool began.
func TestATrajectoryInATIF(t *testing.T) {
	log := sampleLog(t, "atif.json")
	want := []string{
		`claude-opus-4-8 400/21/0/390/- user image -> assistant thinking {"thinking":"It looks like Momo.","type":"thinking"} | ` +
			`assistant call call_1 find_book {"id":"call_1","input":{"title":"Momo"},"name":"find_book","type":"tool_use"} | ` +
			`assistant call call_2 ask {"id":"call_2","input":{"who":"searcher"},"name":"ask","type":"tool_use"}`,
		"claude-opus-4-8 450/9/390/-/- tool result call_2 shelf 4 -> assistant text Momo stands on shelf 4.",
		"claude-opus-4-8 60/4/0/-/- user text The book is Momo, on shelf 4. Who wrote it? -> assistant text Michael Ende.",
	}
	if got := strings.Join(said(t, log), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the calls are\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	calls := log.Sessions[0].Calls
	if got := words(requestOf(t, &calls[1]).Parts); !strings.Contains(got, "tool result call_1 failed the catalogue is closed") {
		t.Errorf("the second call was sent %s", got)
	}
	const after = "tool find_book | system text You help in a library. | user text The book is Momo, on shelf 4. Who wrote it?"
	if got := words(requestOf(t, &calls[2]).Parts); got != after || !calls[2].Rewrites || calls[1].Rewrites {
		t.Errorf("after the compaction it was sent %s", got)
	}
	sub := log.Sessions[1]
	if b := sub.BegunBy; len(log.Sessions) != 2 || b == nil || *b != (ParentCall{"main-1", "call_2"}) || sub.Name != "sub-1" {
		t.Errorf("%d sessions, the second is %s, begun by %v", len(log.Sessions), sub.Name, b)
	}
	if got := strings.Join(sub.Missing, ", "); got != "the system prompt, tool definitions, parameters" {
		t.Errorf("the sub-agent lacks %s", got)
	}
}

// Steps that stand for no call of their own, and sums that are none, are told.
func TestOddTrajectories(t *testing.T) {
	const head = `{"schema_version":"ATIF-v1.7","agent":{"name":"a","version":"1","model_name":"gpt-5"},"steps":[` +
		`{"step_id":1,"source":"user","message":"Is Momo here?"},`
	for name, test := range map[string]struct {
		steps, rest string
		calls       int
		says        string
	}{
		"an answer in two steps": {`{"step_id":2,"source":"agent","message":"I look.","metrics":{"prompt_tokens":9,"completion_tokens":3}},` +
			`{"step_id":3,"source":"agent","message":"","tool_calls":[{"tool_call_id":"c","function_name":"find","arguments":{}}],` +
			`"observation":{"results":[{"source_call_id":"c","content":"shelf 4"}]}}`, "", 1, ""},
		"a step without a model": {`{"step_id":2,"source":"agent","message":"find","llm_call_count":0},` +
			`{"step_id":3,"source":"agent","message":"It is.","llm_call_count":1}`, "", 1, ""},
		"a copied step": {`{"step_id":2,"source":"agent","message":"I look.","is_copied_context":true,"metrics":{"prompt_tokens":9}},` +
			`{"step_id":3,"source":"user","message":"And now?"},{"step_id":4,"source":"agent","message":"It is."}`, "", 1, ""},
		"a wrong sum": {`{"step_id":2,"source":"agent","message":"It is.","metrics":{"prompt_tokens":9}}`,
			`,"final_metrics":{"total_prompt_tokens":12}`, 1, "12 of total_prompt_tokens, its steps add up to 9"},
		"money that is not that of its steps": {`{"step_id":2,"source":"agent","message":"It is.","metrics":{"cost_usd":0.01}}`,
			`,"final_metrics":{"total_cost_usd":"0.03"}`, 1, "0.03 of total_cost_usd, its steps add up to 0.01"},
		"money that is": {`{"step_id":2,"source":"agent","message":"It is.","metrics":{"cost_usd":"0.03"}}`,
			`,"final_metrics":{"total_cost_usd":0.03,"total_steps":2}`, 1, ""},
		"a step that is not there": {`{"step_id":2,"source":"agent","message":"It is."}`, `,"final_metrics":{"total_steps":3}`, 1,
			"3 of total_steps, it has 2"},
		"more steps, and why": {`{"step_id":2,"source":"agent","message":"It is."}`,
			`,"notes":"two steps failed","final_metrics":{"total_steps":4}`, 1, ""},
		"a second file": {`{"step_id":2,"source":"agent","message":"It is."}`, `,"continued_trajectory_ref":"b.json"`, 1,
			`another file, "b.json"`},
		"audio": {`{"step_id":2,"source":"user","message":[{"type":"audio","source":{"media_type":"audio/wav","path":"a.wav"}}]},` +
			`{"step_id":3,"source":"agent","message":"A song."}`, "", 1, ""},
	} {
		log, err := readWhole([]byte(head + test.steps + `]` + test.rest + `}`))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		found := fmt.Sprint(log.Findings)
		if calls(log) != test.calls || !strings.Contains(found, test.says) || test.says == "" && len(log.Findings) > 0 {
			t.Errorf("%s: %d calls, findings %s\n%s", name, calls(log), found, strings.Join(callLines(t, log), "\n"))
		}
	}
}

// Programs put several trajectories into one list.
func TestSeveralTrajectories(t *testing.T) {
	const one = `{"schema_version":"ATIF-v1.7","session_id":"run","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"user",` +
		`"message":"Is Momo here?"},{"step_id":2,"source":"agent","message":"It is."}]}`
	for _, text := range []string{`[` + one + `,` + one + `]`, `{"trajectories":[` + one + `,` + one + `]}`, one + "\n" + one + "\n"} {
		log, err := readWhole([]byte(text))
		if err != nil || len(log.Sessions) != 2 || log.Sessions[0].Name != "run" || log.Sessions[1].Name != "run-2" {
			t.Errorf("%.20s: %v, %v", text, err, log)
		}
	}
}

// Sub-agents within sub-agents are read down to a level, and what is below is in a finding: each level is looked
// through once for every one around it.
func TestSubAgentsFarDown(t *testing.T) {
	text := ""
	for n := deepestAgent + 9; n >= 0; n-- {
		below := ""
		if text != "" {
			below = `,"subagent_trajectories":[` + text + `]`
		}
		text = `{"schema_version":"ATIF-v1.7","trajectory_id":"a` + strconv.Itoa(n) + `","agent":{"name":"a"},"steps":[` +
			`{"step_id":1,"source":"user","message":"level ` + strconv.Itoa(n) + `"}]` + below + `}`
	}
	log, err := readWhole([]byte(text))
	must(t, err)
	found := fmt.Sprint(log.Findings)
	if len(log.Sessions) != deepestAgent+1 || !strings.Contains(found, "17 levels down was left out") ||
		strings.Contains(found, "nothing was read") {
		t.Errorf("%d sessions, and the findings are %s", len(log.Sessions), found)
	}
}

// A sub-agent that a call names by its session alone is in no other file if this one has it.
func TestASubAgentOfATIFIsFoundByItsSession(t *testing.T) {
	const log = `{"schema_version":"ATIF-v1.8","session_id":"s","agent":{"name":"h","version":"1","model_name":"gpt-4o"},"steps":[
{"step_id":1,"source":"user","message":"fix"},{"step_id":2,"source":"agent","message":"","tool_calls":[{"tool_call_id":"c1","function_name":"task","arguments":{}}],
"observation":{"results":[{"source_call_id":"c1","content":"found","subagent_trajectory_ref":[{"session_id":"sub"}]}]}},{"step_id":3,"source":"agent","message":"done"}],
"subagent_trajectories":[{"schema_version":"ATIF-v1.8","session_id":"sub","agent":{"name":"s","version":"1","model_name":"gpt-4o-mini"},
"steps":[{"step_id":1,"source":"user","message":"x?"},{"step_id":2,"source":"agent","message":"found"}]}]}`
	read, err := readWhole([]byte(log))
	must(t, err)
	if by := read.Sessions[1].BegunBy; by == nil || by.Call != "c1" || len(read.Findings) > 0 {
		t.Errorf("it is begun by %+v, the findings are %v", by, read.Findings)
	}
}
