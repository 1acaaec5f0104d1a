package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store/sqlite"
)

// callsOfTheRun is how many calls of the model the recorded run has.
const callsOfTheRun = 60

var runOnce []byte // a store with the recorded run, once it is made

// recordedRun leaves a store in dir of a coding agent that works on a failing test, in calls a minute apart: it reads files
// and runs commands, of which some fail. It shortens its largest result before call 31, gets another tool before call 41, and
// is asked something else after each ten calls.
func recordedRun(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "pact.db")
	if runOnce == nil {
		recordRun(t, path)
		var err error
		if runOnce, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	must(t, os.WriteFile(path, runOnce, 0o600))
}

func recordRun(t *testing.T, path string) {
	t.Helper()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	script := make([]providertest.Turn, callsOfTheRun)
	for i := range script {
		if script[i].Text = fmt.Sprintf("Step %d is next.", i+2); (i+1)%10 == 0 {
			continue // it answers, and the user goes on
		}
		name, arguments := "read_file", fmt.Sprintf(`{"path":"src/part%d.py"}`, i)
		if i%3 == 1 {
			name, arguments = "bash", fmt.Sprintf(`{"command":"pytest -k case%d"}`, i)
		}
		script[i].Calls = []providertest.Call{{ID: fmt.Sprint("call_", i+1), Name: name, Arguments: arguments}}
	}
	provider := providertest.New(script...)
	provider.Clock(clock)
	server := httptest.NewServer(provider)
	defer server.Close()
	s, err := dbtest.Open(sqlite.Open(t.Context(), path))
	must(t, err)
	defer s.Close()
	r := record.New(s, record.Options{Context: "run", Strict: true, Clock: func() int64 { return now.UnixNano() }})
	defer r.Close()
	agent := codingAgent{T: t, client: &http.Client{Transport: r.Transport(nil)}, url: server.URL + "/v1/messages"}
	agent.ask("Please make the tests pass. Do not touch the public names.")
	tools := []any{tool("bash", "runs a command"), tool("read_file", "prints a file")}
	for i := range callsOfTheRun {
		switch i + 1 {
		case 31:
			agent.results[7]["content"] = "def part(): ... (400 lines were left out)"
		case 41:
			tools = append(tools, tool("write_file", "writes a file"))
		}
		agent.call(tools, i+1)
		now = now.Add(time.Minute)
	}
}

func tool(name, description string) any {
	description += strings.Repeat(", as its manual says", 100) // a prefix has to be long to be cached
	return map[string]any{"name": name, "description": description, "input_schema": map[string]any{"type": "object"}}
}

// codingAgent is the client of the recorded run.
type codingAgent struct {
	*testing.T
	client  *http.Client
	url     string
	said    []any
	results []map[string]any // in the order of the calls
}

func (a *codingAgent) ask(text string) {
	a.said = append(a.said, map[string]any{"role": "user", "content": text})
}

// call sends the conversation, adds the answer and the results of the tools that
// the model called.
func (a *codingAgent) call(tools []any, number int) {
	a.Helper()
	body, err := json.Marshal(map[string]any{"model": "claude-sonnet-4-5", "max_tokens": 1000, "tools": tools,
		"system": "You are a careful engineer. Read before you write.", "messages": a.said,
		"cache_control": map[string]any{"type": "ephemeral"}})
	must(a, err)
	req, err := http.NewRequest(http.MethodPost, a.url, strings.NewReader(string(body)))
	must(a, err)
	req.Header.Set("X-Api-Key", "sk-test")
	req.Header.Set("Anthropic-Version", "2023-06-01")
	resp, err := a.client.Do(req)
	must(a, err)
	defer resp.Body.Close()
	var answer struct {
		Content []map[string]any `json:"content"`
		Error   any              `json:"error"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.Error != nil {
		a.Fatalf("call %d: %v, %v", number, answer.Error, err)
	}
	a.said = append(a.said, map[string]any{"role": "assistant", "content": answer.Content})
	var results []any
	for _, part := range answer.Content {
		if part["type"] != "tool_use" {
			continue
		}
		result := map[string]any{"type": "tool_result", "tool_use_id": part["id"], "content": resultOf(number)}
		if number%9 == 2 {
			result["content"], result["is_error"] = fmt.Sprintf("exit status 1: case%d is not found", number-1), true
		}
		a.results = append(a.results, result)
		results = append(results, result)
	}
	if results == nil {
		a.ask(fmt.Sprintf("Good. Now look at chapter %d.", number/10+1))
		return
	}
	a.said = append(a.said, map[string]any{"role": "user", "content": results})
}

// resultOf is the output of a tool; that of call 8 is long.
func resultOf(number int) string {
	lines := 40 + number%5*10
	if number == 8 {
		lines = 400
	}
	var text strings.Builder
	for n := range lines {
		fmt.Fprintf(&text, "%d: line %d of what call %d prints\n", n+1, n+1, number)
	}
	return text.String()
}
