package calllog

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/api"
	"github.com/contexttree/pact/internal/canon"
)

// runOfAgent reads a file that a run of an agent left. The files are not part of the
// module: without them the test is left out or, where PACT_REQUIRE_SHARED is 1, fails.
func runOfAgent(t *testing.T, name string) []byte {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	places := []string{filepath.Join(os.Getenv("PACT_SHARED"), "data"), os.Getenv("PACT_SHARED")}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		places = append(places, filepath.Join(filepath.Dir(dir), "shared", "data"))
	}
	for _, place := range places {
		if data, err := os.ReadFile(filepath.Join(place, "agents", name)); err == nil {
			return data
		}
	}
	if os.Getenv("PACT_REQUIRE_SHARED") == "1" {
		t.Fatalf("agents/%s is required and was not found", name)
	}
	t.Skipf("agents/%s is not here: the test on it was left out", name)
	return nil
}

// The calls that a rollout gives have the history that Codex sent, as a recording
// of the same run holds it. Only the request for a summary is not in the rollout.
func TestRolloutHoldsWhatCodexSent(t *testing.T) {
	log, err := Read(runOfAgent(t, "codex/rollout-2026-11-22T08-26-32-01a2025d-3599-7713-9bb1-a58b32bb6c16.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	const summary = 3 // the request for a summary among those recorded
	sent := sentBy(t, "wire/codex-tool-compact.jsonl", api.Responses)
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
func history(r *api.Request) string {
	const long = 300
	var list []string
	for _, p := range r.Parts {
		switch {
		case p.Section == api.Tools:
		case p.Kind == "text" && len(p.Content.Text) >= long:
			list = append(list, p.Role+" "+p.Kind)
		default:
			list = append(list, words([]api.Part{p}))
		}
	}
	return strings.Join(list, "\n")
}

// A rollout names its calls, tokens and times; a compaction replaces the history.
func TestCodexRollout(t *testing.T) {
	s := sampleLog(t, "codex-rollout.jsonl").Sessions[0]
	if len(s.Calls) != 3 || s.Rest.Kind != canon.KindAbsent {
		t.Fatalf("%d calls, rest %s; want 3 and none", len(s.Calls), s.Rest.Value())
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
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	calls := whole.Sessions[0].Calls
	lines := bytes.SplitAfter(data, []byte("\n"))
	for n := 1; n < len(lines); n++ {
		part, err := Read(bytes.Join(lines[:n], nil))
		if err != nil {
			continue // it holds no item yet
		}
		for i, c := range part.Sessions[0].Calls {
			if i >= len(calls) || c.ID != calls[i].ID || !bytes.Equal(c.Answer, calls[i].Answer) {
				t.Errorf("after %d lines call %d is %s", n, i, c.ID)
			}
		}
	}
}
