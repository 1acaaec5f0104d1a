package calllog

import (
	"slices"
	"testing"
)

// The requests of the sample, written by hand from it: the results of tools
// follow their answer, and after a compaction the summary stands for all before.
func TestOpencodeExport(t *testing.T) {
	const asks = "user text Which book is this, and is it here? | user image"
	const looked = asks + ` | assistant thinking It looks like Momo. | ` +
		`assistant call call_1 find_book {"arguments":"{\"title\":\"Momo\"}","name":"find_book"} | ` +
		"tool result call_1 find_book failed the catalogue is closed"
	const compacts = `user compaction {"type":"compaction"}`
	want := []string{asks, looked, looked + " | assistant text I cannot look now. | " + compacts,
		compacts + " | assistant text The user looks for Momo. | user text Try again."}
	s := sampleLog(t, "opencode-export.json").Sessions[0]
	var got []string
	for i := range s.Calls {
		got = append(got, words(requestOf(t, &s.Calls[i]).Parts))
		if a, _ := answerOf(&s.Calls[i]); a.Failure != "" {
			t.Errorf("call %d failed: %s", i+1, a.Failure)
		}
		if s.Calls[i].Rewrites != (i == len(want)-1) {
			t.Errorf("call %d: rewrites %t", i+1, s.Calls[i].Rewrites)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the requests say\n%q\nwant\n%q", got, want)
	}
}

// A real export of one turn. Its recorded requests are of another run.
func TestARealOpencodeExport(t *testing.T) {
	log, err := readWhole(runOfAgent(t, "opencode/export.json"))
	must(t, err)
	calls := log.Sessions[0].Calls
	if len(calls) != 1 || len(log.Findings) > 0 {
		t.Fatalf("%d calls and findings %v, want 1 call and none", len(calls), log.Findings)
	}
	if got := words(requestOf(t, &calls[0]).Parts); got != `user text "say hello <ünï>"` {
		t.Errorf("the request says %s", got)
	}
	a, said := answerOf(&calls[0])
	if words(said) != "assistant text Hello from chat" || *a.Usage.In != 10 || *a.Usage.Out != 3 || *a.Usage.Cached != 4 {
		t.Errorf("the answer says %s with %+v", words(said), a.Usage)
	}
}

// Where the total of an answer counts its reasoning beside its output, the model wrote both.
func TestOpencodeCountsReasoning(t *testing.T) {
	for text, want := range map[string]int64{
		`{"input":10,"output":5,"reasoning":3,"cache":{"read":2,"write":0},"total":20}`: 8,
		`{"input":10,"output":5,"reasoning":3,"cache":{"read":2,"write":0},"total":17}`: 5,
		`{"input":10,"output":5,"reasoning":3,"cache":{"read":2,"write":0}}`:            5,
	} {
		if u := opencodeUsage(raw(text).fields()); u.Out == nil || *u.Out != want || *u.In != 12 {
			t.Errorf("%s: %+v, want %d tokens out", text, u, want)
		}
	}
}
