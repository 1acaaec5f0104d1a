package calllog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
)

// runOfAgent reads a file that a run of an agent left.
func runOfAgent(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(testrun.Shared(t, "data", "agents/"+name)[0])
	must(t, err)
	return data
}

// The calls that a rollout gives have the history that Codex sent, as a recording
// of the same run holds it. Only the request for a summary is not in the rollout.
func TestRolloutHoldsWhatCodexSent(t *testing.T) {
	log, err := readWhole(runOfAgent(t, "codex/rollout-2026-11-22T08-26-32-01a2025d-3599-7713-9bb1-a58b32bb6c16.jsonl"))
	must(t, err)
	const summary = 3 // the request for a summary among those recorded
	sent := sentBy(t, "wire/codex-tool-compact.jsonl", provider.Responses)
	sent = append(sent[:summary:summary], sent[summary+1:]...)
	calls := log.Sessions[0].Calls
	if len(calls) != len(sent) || len(log.Findings) != 1 {
		t.Fatalf("%d calls and findings %v, want %d calls and one finding", len(calls), log.Findings, len(sent))
	}
	for i, want := range sent {
		got := requestOf(t, &calls[i])
		if g, w := history(got), history(want); g != w {
			t.Errorf("call %d has the history\n%.3000s\nwant\n%.3000s", i+1, g, w)
		}
		if got.Model != want.Model || calls[i].Rewrites != (i == summary) {
			t.Errorf("call %d: model %s, rewrites %t", i+1, got.Model, calls[i].Rewrites)
		}
	}
}

// bodyOf reads a body that is an object or a text that holds one.
func bodyOf(body json.RawMessage) canon.Any {
	if text := raw(body).text(); text != "" {
		return raw(text).value()
	}
	return raw(body).value()
}

// history describes the parts of a request that are no tools. Of texts
// of 300 bytes and more it has the role and the kind: the recording has filler for
// the longer texts of Codex.
func history(r *provider.Request) string {
	const long = 300
	var list []string
	for _, p := range r.Parts {
		switch {
		case p.Section == provider.Tools:
		case p.Kind == "text" && len(p.Content.Text) >= long:
			list = append(list, p.Role+" "+p.Kind)
		default:
			list = append(list, words([]provider.Part{p}))
		}
	}
	return strings.Join(list, "\n")
}

// A rollout names its calls, tokens and times; a compaction replaces the history.
func TestCodexRollout(t *testing.T) {
	s := sampleLog(t, "codex-rollout.jsonl").Sessions[0]
	if len(s.Calls) != 3 || s.Unsent.Kind != canon.KindAbsent {
		t.Fatalf("%d calls, rest %s; want 3 and none", len(s.Calls), s.Unsent.Value())
	}
	last := &s.Calls[2]
	const want = "system text You help in a library. | user text Momo is on shelf 4. | user text Thank you."
	if got := words(requestOf(t, last).Parts); got != want || !last.Rewrites || last.ID != "resp_3" {
		t.Errorf("call %s, rewrites %t, says %s, want %s", last.ID, last.Rewrites, got, want)
	}
	a, _ := answerOf(&s.Calls[1])
	if a.Usage.In == nil || *a.Usage.In != 60 || a.Usage.Cached == nil || *a.Usage.Cached != 48 {
		t.Errorf("the second answer has usage %+v, want 60 in of which 48 cached", a.Usage)
	}
}

// TestACodexRolloutGrows: whichever line it was read up to, the calls of a rollout are
// the first calls of the whole, with the same ids: an answer that goes on is no call.
func TestACodexRolloutGrows(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "codex-rollout.jsonl"))
	must(t, err)
	grows(t, data)
	grows(t, []byte(summarized))
}

// grows holds that the calls of the first lines of a log are the first calls of the whole.
func grows(t *testing.T, data []byte) {
	t.Helper()
	whole, err := readWhole(data)
	must(t, err)
	calls := whole.Sessions[0].Calls
	lines := bytes.SplitAfter(data, []byte("\n"))
	for n := 1; n < len(lines); n++ {
		part, err := readWhole(bytes.Join(lines[:n], nil))
		if err != nil {
			continue // nothing was said yet
		}
		for i, c := range part.Sessions[0].Calls {
			if i >= len(calls) || c.ID != calls[i].ID || !bytes.Equal(c.Answer, calls[i].Answer) {
				t.Errorf("after %d lines call %d is %s", n, i, c.ID)
			}
		}
	}
}

// summarized is a rollout in which Codex asks for a summary between two turns. event_msg repeats
// what was said.
const summarized = `{"timestamp":"2026-05-04T09:00:00.1Z","type":"session_meta","payload":{"id":"s"}}
{"timestamp":"2026-05-04T09:00:00.2Z","type":"turn_context","payload":{"model":"gpt-5.5"}}
{"timestamp":"2026-05-04T09:00:00.3Z","type":"response_item","payload":{"type":"message","role":"user","content":"one"}}
{"timestamp":"2026-05-04T09:00:00.4Z","type":"event_msg","payload":{"type":"user_message","message":"one"}}
{"timestamp":"2026-05-04T09:00:00.5Z","type":"event_msg","payload":{"type":"agent_message","message":"1"}}
{"timestamp":"2026-05-04T09:00:00.6Z","type":"response_item","payload":{"type":"message","role":"assistant","content":"1"}}
{"timestamp":"2026-05-04T09:00:00.7Z","type":"token_usage_record","payload":{"response_id":"r1","usage":{"input_tokens":9}}}
{"timestamp":"2026-05-04T09:00:00.8Z","type":"event_msg","payload":{"type":"token_count","info":{}}}
{"timestamp":"2026-05-04T09:00:00.9Z","type":"event_msg","payload":{"type":"task_complete"}}
{"timestamp":"2026-05-04T09:00:01.1Z","type":"response_item","payload":{"type":"message","role":"assistant","content":"sum"}}
{"timestamp":"2026-05-04T09:00:01.2Z","type":"token_usage_record","payload":{"response_id":"r2","usage":{"input_tokens":9}}}
{"timestamp":"2026-05-04T09:00:01.3Z","type":"event_msg","payload":{"type":"token_count","info":{}}}
{"timestamp":"2026-05-04T09:00:01.4Z","type":"compacted","payload":{"compaction_response_id":"r2","replacement_history":` +
	`[{"type":"message","role":"user","content":"sum"}]}}
{"timestamp":"2026-05-04T09:00:01.5Z","type":"response_item","payload":{"type":"message","role":"user","content":"two"}}
{"timestamp":"2026-05-04T09:00:01.6Z","type":"response_item","payload":{"type":"message","role":"assistant","content":"2"}}
{"timestamp":"2026-05-04T09:00:01.7Z","type":"token_usage_record","payload":{"response_id":"r3","usage":{"input_tokens":9}}}
{"timestamp":"2026-05-04T09:00:01.8Z","type":"event_msg","payload":{"type":"task_complete"}}
`

// The call for a summary is left out, what event_msg repeats too, and the history goes on with
// what the compaction left.
func TestASummaryOfARolloutIsNoCall(t *testing.T) {
	log := mustRead(t, summarized)
	list := log.Sessions[0].Calls
	if ids := idsOf(log); !slices.Equal(ids, []string{"r1", "r3"}) || list[0].Rewrites || !list[1].Rewrites {
		t.Fatalf("the calls are %v", ids)
	}
	for i, want := range []string{"user text one", "user text sum | user text two"} {
		if got := words(requestOf(t, &list[i]).Parts); got != want {
			t.Errorf("call %d says %s, want %s", i+1, got, want)
		}
	}
	// An answer without a question is a call if the rollout goes on without a compaction.
	lines := strings.SplitAfter(summarized, "\n")
	log = mustRead(t, strings.Join(slices.Delete(slices.Clone(lines), 12, 13), ""))
	if ids := idsOf(log); !slices.Equal(ids, []string{"r1", "r2", "r3"}) {
		t.Errorf("without the compaction the calls are %v", ids)
	}
}

// The lines of a rollout may stand in any order: their times put them right, and a finding says so.
func TestARolloutInAnotherOrder(t *testing.T) {
	want := mustRead(t, summarized)
	lines := strings.SplitAfter(strings.TrimSuffix(summarized, "\n"), "\n")
	lines[len(lines)-1] += "\n"
	turn := func(what string) {
		got := mustRead(t, strings.Join(lines, ""))
		found := fmt.Sprint(got.Findings)
		if !slices.Equal(idsOf(got), idsOf(want)) || !strings.Contains(found, "not in the order of their times") {
			t.Errorf("%s: the calls are %v, the findings %v", what, idsOf(got), found)
		}
		for i, c := range got.Sessions[0].Calls {
			if of := want.Sessions[0].Calls[i]; c.Request.Value() != of.Request.Value() || !bytes.Equal(c.Answer, of.Answer) {
				t.Errorf("%s: call %d is %s", what, i, c.Request.Value())
			}
		}
	}
	slices.Reverse(lines)
	turn("reversed")
	random := rand.New(rand.NewPCG(1, 1))
	for range testrun.Size(t, 20, 200, 2000) {
		random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		turn("shuffled")
	}
}

// TestARealCodexRolloutGrows is TestACodexRolloutGrows for the rollouts of real runs.
func TestARealCodexRolloutGrows(t *testing.T) {
	for _, name := range []string{"08-25-25-01a2025c-2ff4-7770-9af5-e3c44f261b82",
		"08-26-32-01a2025d-3599-7713-9bb1-a58b32bb6c16", "08-46-43-01a2026f-b044-7ec2-8350-bfaab38aa684"} {
		grows(t, runOfAgent(t, "codex/rollout-2026-11-22T"+name+".jsonl"))
	}
}
