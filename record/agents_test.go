package record_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// sentRequest is a request of a real agent.
type sentRequest struct {
	URL     string
	Headers map[string]string
	Body    json.RawMessage
}

func sentIn(t *testing.T, path string) (list []sentRequest) {
	t.Helper()
	file, err := os.Open(path)
	must(t, err)
	defer file.Close()
	scan := bufio.NewScanner(file)
	scan.Buffer(nil, 4<<20)
	for scan.Scan() {
		var sent sentRequest
		must(t, json.Unmarshal(scan.Bytes(), &sent))
		list = append(list, sent)
	}
	must(t, scan.Err())
	return list
}

// again sends a request of a real agent again.
func (r *sentRequest) again(t *testing.T, client *http.Client, url string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url+r.URL, bytes.NewReader(r.Body))
	must(t, err)
	for name, value := range r.Headers {
		req.Header.Set(name, value)
	}
	resp := wholeOf(t)(client.Do(req))
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the provider refuses a request of a real agent: %s", resp.Status)
	}
}

// at walks into decoded JSON.
func at(t *testing.T, body json.RawMessage, path ...any) string {
	t.Helper()
	var v any
	must(t, json.Unmarshal(body, &v))
	for _, step := range path {
		switch step := step.(type) {
		case int:
			v = v.([]any)[step]
		case string:
			v = v.(map[string]any)[step]
		}
	}
	if text, ok := v.(string); ok {
		return text
	}
	text, err := json.Marshal(v)
	must(t, err)
	return string(text)
}

// What three agents sent, answered as their next requests say it was, comes back
// byte for byte from the lines that it was put into: a sub-agent, what was asked
// aside and a title have lines of their own, and what was compacted goes on.
func TestRequestsOfRealAgents(t *testing.T) {
	type turns = []providertest.Turn
	for name, run := range map[string]struct {
		answers func(sent []sentRequest) turns
		names   []string // of the lines
		lines   [][]int  // the requests of each
		says    map[string]string
	}{
		"claude-code-subagent-compact.jsonl": {
			func(sent []sentRequest) turns {
				agent := at(t, sent[3].Body, "messages", 2, "content", 1, "input")
				bash := at(t, sent[2].Body, "messages", 2, "content", 1, "input")
				return turns{
					{Thinking: "hm", Calls: []providertest.Call{{ID: "toolu_agent", Name: "Agent", Arguments: agent}}},
					{Calls: []providertest.Call{{ID: "toolu_bash", Name: "Bash", Arguments: bash}}},
					{Thinking: "hm", Text: "Hello from messages"}, {Thinking: "hm", Text: "Hello from messages"},
					{Text: at(t, sent[5].Body, "messages", 0, "content", 1, "text")},
					{Calls: []providertest.Call{{ID: "toolu_bash", Name: "Bash", Arguments: bash}}},
				}
			},
			[]string{"run", "run-2", "run/aside-1"},
			[][]int{{0, 3, 5, 6}, {1, 2}, {4}},
			map[string]string{
				"run":   "X-Claude-Code-Session-Id; the agent compacted the conversation: it quotes the last answer",
				"run-2": "of run began it", "run/aside-1": "it leaves the answer out: it asks something aside",
			},
		},
		"codex-tool-compact.jsonl": {
			func([]sentRequest) turns {
				said := providertest.Turn{Thinking: "x", Text: "Hello from responses"}
				exec := []providertest.Call{{ID: "call_1", Name: "exec_command", Arguments: `{"cmd":"echo hi"}`}}
				return turns{{Thinking: "x", Calls: exec}, said, said, said}
			},
			[]string{"run", "run/summary-1"},
			[][]int{{0, 1, 2, 4}, {3}},
			map[string]string{"run": "the agent compacted the conversation: its window was counted up", "run/summary-1": "it has no tools: it asks something aside"},
		},
		"opencode-title-and-turn.jsonl": {
			func([]sentRequest) turns { return nil },
			[]string{"run/aside-1", "run"},
			[][]int{{0}, {1}},
			map[string]string{"run": "grouped by X-Session-Id; no conversation of this group begins alike"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			sent := sentIn(t, testrun.Shared(t, "data", "agents/wire/"+name)[0])
			_, url := startProvider(t, run.answers(sent)...)
			s := pact.NewDB(store.NewMemory())
			rec := recorder(t, s, record.Options{Context: "run"})
			client := &http.Client{Transport: rec.Transport(nil)}
			for i := range sent {
				sent[i].again(t, client, url)
			}
			rec.Close()
			if got := rec.Stats(); got.Calls != len(sent) || got.NotRecorded > 0 || got.KeptRaw > 0 {
				t.Fatalf("%+v", got)
			}
			if !slices.Equal(rec.Contexts(), run.names) {
				t.Errorf("contexts are %v, want %v", rec.Contexts(), run.names)
			}
			for i, name := range rec.Contexts() {
				var got []int
				for _, body := range ownBodies(t, s, name) {
					got = append(got, slices.IndexFunc(sent, func(r sentRequest) bool { return string(r.Body) == body }))
				}
				if i < len(run.lines) && !slices.Equal(got, run.lines[i]) {
					t.Errorf("%s has the requests %v, want %v", name, got, run.lines[i])
				}
				if log := logOf(t, s, name); !strings.Contains(log, run.says[name]) {
					t.Errorf("the log of %s does not say %q:\n%s", name, run.says[name], log)
				}
			}
		})
	}
}

// logOf returns the messages of the log of a context, a line each.
func logOf(t *testing.T, s *pact.DB, name string) string {
	t.Helper()
	var all strings.Builder
	for e, err := range opened(t, s, name).Log(t.Context(), 0) {
		must(t, err)
		all.WriteString(string(e.Kind) + ": " + e.Message + "\n")
	}
	return all.String()
}
