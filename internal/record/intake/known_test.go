package intake

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
)

// TestImportingTheSameLogAgainIsLinear: of a call that is recorded the request is not made, so twice the calls allocate
// about twice the bytes.
func TestImportingTheSameLogAgainIsLinear(t *testing.T) {
	testrun.OneGoroutine(t)
	testrun.CountsAllocations(t)
	again := func(calls int) uint64 {
		to := pact.NewDB(store.NewMemory())
		defer to.Close()
		var before, after runtime.MemStats
		for range 2 {
			log, err := calllog.Read(dbtest.Session(calls))
			must(t, err)
			s := Session{Name: "s", Format: log.Format, Session: &log.Sessions[0]}
			runtime.ReadMemStats(&before)
			_, _, _, err = s.Record(t.Context(), to, "me", nil, func(int) {})
			runtime.ReadMemStats(&after)
			must(t, err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := again(150), again(600); many > 6*few {
		t.Errorf("150 calls allocate %d bytes, 600 calls %d", few, many)
	}
}

// TestCallsThatAreRecordedAreLetGo: a session never holds more recorded calls than it has left, beside a few.
func TestCallsThatAreRecordedAreLetGo(t *testing.T) {
	const calls = 5000
	s := Session{Session: &calllog.Session{}}
	for i := range calls {
		s.Calls = append(s.Calls, calllog.Call{Line: i})
	}
	for i := range calls {
		if c := s.next(calls - i); c.Line != i {
			t.Fatalf("call %d is call %d", i, c.Line)
		}
		if held, left := cap(s.Calls), calls-i; held > 2*left+2*mostRecorded && held != calls {
			t.Fatalf("room for %d calls is held at call %d", held, i)
		}
	}
	if len(s.Calls) > 2*mostRecorded {
		t.Errorf("%d calls are held at the end", len(s.Calls))
	}
}

// TestBranchesThatTakeTurnsAreLinear: each call costs what is new in it, also where the calls of a transcript belong to
// two branches in turns, which are a context each.
func TestBranchesThatTakeTurnsAreLinear(t *testing.T) {
	testrun.OneGoroutine(t)
	testrun.CountsAllocations(t)
	imported := func(written func(calls, branches int) []byte, calls int) uint64 {
		log, err := calllog.Read(written(calls, 2))
		must(t, err)
		to := pact.NewDB(store.NewMemory())
		defer to.Close()
		s := Session{Name: "s", Format: log.Format, Session: &log.Sessions[0]}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		contexts, _, _, err := s.Record(t.Context(), to, "me", nil, func(int) {})
		runtime.ReadMemStats(&after)
		if err != nil || len(contexts) != 2 {
			t.Fatalf("%q, %v", contexts, err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	for format, written := range map[string]func(int, int) []byte{"Claude Code": dbtest.Branches, "ChatGPT": dbtest.ChatGPT} {
		if few, many := imported(written, 150), imported(written, 600); many > 6*few {
			t.Errorf("%s: 150 calls allocate %d bytes, 600 calls %d", format, few, many)
		}
	}
}

// TestTheCallThatBeganASubAgentIsFoundInOnePass: more sub-agents do not read the answers more often.
func TestTheCallThatBeganASubAgentIsFoundInOnePass(t *testing.T) {
	testrun.OneGoroutine(t)
	testrun.CountsAllocations(t)
	const size = 1 << 20
	finding := func(agents int) (took int) {
		folder := t.TempDir()
		var answer, ask strings.Builder
		fmt.Fprintf(&ask, `{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"go"}}`+"\n")
		fmt.Fprintf(&answer, `{"type":"text","text":"%s"}`, strings.Repeat("x", size))
		beside := filepath.Join(folder, "s", "subagents")
		must(t, os.MkdirAll(beside, 0o700))
		for n := range agents {
			fmt.Fprintf(&answer, `,{"type":"tool_use","id":"call_%d","name":"Task","input":{}}`, n)
			for name, text := range map[string]string{".jsonl": "", ".meta.json": fmt.Sprintf(`{"toolUseId":"call_%d"}`, n)} {
				must(t, os.WriteFile(filepath.Join(beside, fmt.Sprint("agent-", n, name)), []byte(text), 0o600))
			}
		}
		log, err := calllog.Read([]byte(ask.String() + `{"type":"assistant","uuid":"a","parentUuid":"u","sessionId":"s","message":` +
			`{"role":"assistant","id":"m","model":"m","content":[` + answer.String() + "]}}\n" +
			`{"type":"user","uuid":"r","parentUuid":"a","sessionId":"s","message":{"role":"user","content":"and?"}}` + "\n"))
		if err != nil || len(log.Sessions[0].Calls) != 1 {
			t.Fatalf("%v, %+v", err, log)
		}
		log.Sessions[0].Name = "main"
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err = AddSubAgents(filepath.Join(folder, "s.jsonl"), log, func(string) (*calllog.Log, error) {
			return calllog.Read([]byte(ask.String()))
		})
		runtime.ReadMemStats(&after)
		if err != nil || len(log.Sessions) != agents+1 {
			t.Fatalf("%v, %d sessions", err, len(log.Sessions))
		}
		for _, s := range log.Sessions[1:] {
			if s.BegunBy == nil || s.BegunBy.Session != "main" {
				t.Errorf("%s was begun by %+v", s.Name, s.BegunBy)
			}
		}
		return int(after.TotalAlloc - before.TotalAlloc)
	}
	if few, many := finding(2), finding(22); many > few+10*size {
		t.Errorf("2 sub-agents allocate %d bytes, 22 allocate %d", few, many)
	}
}
