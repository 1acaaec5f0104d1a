package cli_test

import (
	"bytes"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store/sqlite"
)

// agentRun is a real agent that pact run starts, one time after the other, with a home
// of its own and a provider that answers by a script.
type agentRun struct {
	*testing.T
	provider *providertest.Provider
	db, home string
	env      []string
}

// startAgent prepares a run. Without PACT_AGENTS, which names where the agents are
// installed, the test is left out.
func startAgent(t *testing.T, script ...providertest.Turn) (*agentRun, string) {
	t.Helper()
	dir := os.Getenv("PACT_AGENTS")
	if dir == "" {
		t.Skip("real agents were left out: make agents installs and runs them")
	}
	a := &agentRun{T: t, provider: providertest.New(script...), home: t.TempDir()}
	server := httptest.NewServer(a.provider)
	t.Cleanup(server.Close)
	a.db = filepath.Join(t.TempDir(), "pact.db")
	a.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + a.home, "CODEX_HOME=" + a.home, "TERM=dumb",
		"OPENAI_API_KEY=sk-0123456789", "ANTHROPIC_API_KEY=sk-0123456789",
		"OPENAI_BASE_URL=" + server.URL + "/v1", "ANTHROPIC_BASE_URL=" + server.URL}
	return a, filepath.Join(dir, "node_modules", ".bin")
}

func (a *agentRun) must(err error) {
	a.Helper()
	if err != nil {
		a.Fatal(err)
	}
}

// run has pact run start a program in an empty directory, and returns what both said.
func (a *agentRun) run(program string, args ...string) string {
	a.Helper()
	var said bytes.Buffer
	line := append([]string{"run", "--db", a.db, "--name", "agent", "--", program}, args...)
	code := cli.Run(a.Context(), line, cli.Streams{In: strings.NewReader(""), Out: &said, Err: &said, Env: a.env})
	if code != 0 {
		a.Fatalf("%s ended with %d:\n%s", program, code, said.Bytes())
	}
	return said.String()
}

// check holds what was recorded to what the provider received: each request once, byte
// for byte. It returns the log of each context, a line for each commit.
func (a *agentRun) check() map[string]string {
	a.Helper()
	s, err := sqlite.Open(a.Context(), a.db)
	a.must(err)
	defer s.Close()
	var received [][]byte
	for _, r := range a.provider.Received() {
		received = append(received, r.Body)
	}
	if len(received) == 0 {
		a.Fatal("the agent sent nothing")
	}
	logs := map[string]string{}
	contexts, err := pact.List(a.Context(), s)
	a.must(err)
	for _, info := range contexts {
		c, err := pact.Open(a.Context(), s, info.Name, nil)
		a.must(err)
		for e, err := range c.Log(a.Context()) {
			a.must(err)
			logs[info.Name] += string(e.Kind) + ": " + e.Message + "\n"
		}
		_, last := c.Cycles()
		attempts, err := c.Attempts(a.Context(), info.Origin.Cycle+1, last+1)
		a.must(err)
		for _, attempt := range attempts {
			body, err := record.Request(a.Context(), c, attempt.Cycle)
			if err != nil {
				a.Errorf("%s@c%d: %v", info.Name, attempt.Cycle, err)
				continue
			}
			at := slices.IndexFunc(received, func(b []byte) bool { return bytes.Equal(b, body.Bytes) })
			if at < 0 {
				a.Errorf("%s@c%d is no request that the provider received", info.Name, attempt.Cycle)
				continue
			}
			received = slices.Delete(received, at, at+1)
		}
	}
	if len(received) > 0 {
		a.Errorf("%d requests come back from no cycle, the first is\n%.500s", len(received), received[0])
	}
	return logs
}

// Codex calls a tool, is resumed and, when its history is longer than it may be, compacts
// it. All of that is one conversation; what asks for the summary stands aside of it.
func TestCodex(t *testing.T) {
	a, bin := startAgent(t,
		providertest.Turn{Thinking: "I look.", Calls: []providertest.Call{
			{ID: "call_1", Name: "exec_command", Arguments: `{"cmd":"echo 4711"}`}}},
		providertest.Turn{Text: "It says 4711."},
		providertest.Turn{Text: "It was 4711."},
		providertest.Turn{Text: "The user had a number printed, and it was 4711."},
		providertest.Turn{Text: "Still 4711."})
	codex := filepath.Join(bin, "codex")
	common := []string{"--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"}
	a.run(codex, slices.Concat([]string{"exec"}, common, []string{"Print 4711."})...)
	a.run(codex, slices.Concat([]string{"exec"}, common, []string{"resume", "--last", "What was it?"})...)
	said := a.run(codex, slices.Concat([]string{"exec", "-c", "model_auto_compact_token_limit=10"}, common,
		[]string{"resume", "--last", "And now?"})...)
	if !strings.Contains(said, "Still 4711.") {
		t.Errorf("codex and pact said\n%s", said)
	}
	logs := a.check()
	if n := len(a.provider.Received()); n != 5 {
		t.Errorf("codex sent %d requests", n)
	}
	if len(logs) != 2 || !strings.Contains(logs["agent-2"], "aside") {
		t.Errorf("the contexts are %v", logs)
	}
}

// opencode asks for a title beside its first turn, in the same session.
func TestOpencode(t *testing.T) {
	a, bin := startAgent(t, providertest.Turn{Text: "4711"}, providertest.Turn{Text: "4711"})
	a.run(filepath.Join(bin, "opencode"), "run", "--model", "anthropic/claude-sonnet-4-5", "Say 4711.")
	if logs := a.check(); len(logs) != 2 {
		t.Errorf("the contexts are %v", logs)
	}
}

// opencode goes on with a session and has a sub-agent do part of the work, in a session of its own. The sub-agent's
// context names the call that began it.
func TestOpencodeSubAgent(t *testing.T) {
	a, bin := startAgent(t, providertest.Turn{Text: "Hello."}, providertest.Turn{Text: "Hello."},
		providertest.Turn{Calls: []providertest.Call{{ID: "toolu_1", Name: "task", Arguments: `{"description":"look",
			"prompt":"Find out what 4711 is and say so.","subagent_type":"general"}`}}},
		providertest.Turn{Text: "4711 is a number."}, providertest.Turn{Text: "The helper calls it a number."})
	opencode := filepath.Join(bin, "opencode")
	a.run(opencode, "run", "--model", "anthropic/claude-sonnet-4-5", "Hello?")
	said := a.run(opencode, "run", "--continue", "--model", "anthropic/claude-sonnet-4-5", "Ask a helper what 4711 is.")
	if !strings.Contains(said, "The helper calls it a number.") {
		t.Errorf("opencode and pact said\n%s", said)
	}
	logs, begun := a.check(), 0
	for _, log := range logs {
		begun += strings.Count(log, "began it")
	}
	if len(logs) != 3 || begun != 1 {
		t.Errorf("the contexts are %v", logs)
	}
}

// Claude Code is run where the user has it.
func TestClaudeCode(t *testing.T) {
	a, _ := startAgent(t, providertest.Turn{Text: "4711"})
	claude, err := exec.LookPath("claude")
	if err != nil {
		t.Skip("Claude Code is not installed here")
	}
	a.run(claude, "-p", "Say 4711.")
	a.check()
}
