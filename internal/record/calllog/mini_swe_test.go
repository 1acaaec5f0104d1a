package calllog

import (
	"strings"
	"testing"
)

// A trajectory of mini-swe-agent has of each answer the model, the tokens, the price and the time, also of one that the
// agent could not use.
func TestATrajectoryOfMiniSWEAgent(t *testing.T) {
	log := sampleLog(t, "mini-swe-agent.traj.json")
	calls := log.Sessions[0].Calls
	want := []string{"claude-sonnet-4-5 400/9/-/-/- user image -> assistant text It looks like Momo.",
		"claude-sonnet-4-5 430/20/390/30/7 user text No tool calls found in the response. -> assistant thinking A tool is needed. | " +
			`assistant call c1 bash {"arguments":"{\"command\":\"find Momo\"}","name":"bash"}`,
		"claude-sonnet-4-5 480/18/430/-/- tool result c1 failed the catalogue is closed -> assistant text I look again. | " +
			`assistant call c2 bash {"arguments":"{\"command\":\"find Momo\"}","name":"bash"}`,
		"claude-sonnet-4-5 500/12/480/-/- tool result c2 shelf 4 -> assistant text Momo stands on shelf 4."}
	if got := strings.Join(said(t, log), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the calls are\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	last := calls[len(calls)-1]
	if log.Sums.Money.Read != 0.0201 || last.Started != 1777885208e9 || last.Ended != 1777885210e9 ||
		last.attribute("exit_status").Text != "Submitted" || len(log.Findings) > 0 {
		t.Errorf("%v, from %d to %d, %v: %v", log.Sums.Money, last.Started, last.Ended, last.Attrs, log.Findings)
	}
}

// With Responses the answers are the responses themselves.
func TestMiniSWEAgentWithResponses(t *testing.T) {
	log, err := readWhole([]byte(`{"trajectory_format":"mini-swe-agent-1.1","info":{},"messages":[{"role":"system","content":"You are."},` +
		`{"role":"user","content":"Fix it."},{"object":"response","id":"resp_1","model":"gpt-5","status":"completed","output":[` +
		`{"type":"reasoning","summary":[]},{"type":"function_call","call_id":"c1","name":"bash","arguments":"{}"}],"usage":` +
		`{"input_tokens":100,"output_tokens":20,"input_tokens_details":{"cached_tokens":64},"output_tokens_details":` +
		`{"reasoning_tokens":12}},"extra":{"cost":0.01,"timestamp":1777885204.0}},{"type":"function_call_output","call_id":"c1",` +
		`"output":"done","extra":{"timestamp":1777885205.0}}]}`))
	must(t, err)
	const want = `gpt-5 100/20/64/-/12 user text Fix it. -> assistant thinking {"summary":[],"type":"reasoning"} | assistant call c1 bash ` +
		`{"arguments":"{}","call_id":"c1","name":"bash","type":"function_call"}`
	if got := strings.Join(said(t, log), "\n"); got != want || len(log.Findings) > 0 {
		t.Errorf("the calls are\n%s\nwant\n%s\nfindings %v", got, want, log.Findings)
	}
}
