//go:build unix

package cli_test

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"

	"github.com/contexttree/pact/store/sqlite"
)

// realAgent is an agent that testdata/agents/install.sh installs, and how it is started.
type realAgent struct {
	program []string          // below PACT_AGENTS; what is below testdata stands for itself
	first   []string          // its arguments before what the user says
	next    []string          // the same, to go on with the last session
	shell   string            // the name of its tool that runs commands, and of the argument that takes them
	command string            //
	helper  providertest.Call // the call that begins a sub-agent
}

var realAgents = map[string]realAgent{
	"claude": {program: []string{"node_modules/.bin/claude"}, first: []string{"-p", "--dangerously-skip-permissions"},
		next: []string{"-p", "--dangerously-skip-permissions", "--continue"}, shell: "Bash", command: "command",
		helper: providertest.Call{Name: "Agent", Arguments: `{"description":"look","prompt":"` + helperTask + `",
			"subagent_type":"general-purpose","run_in_background":false}`}},
	"codex": {program: []string{"node_modules/.bin/codex"},
		first: []string{"exec", "-m", "gpt-5.4", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"},
		next: []string{"exec", "-m", "gpt-5.4", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox",
			"resume", "--last"},
		shell: "exec_command", command: "cmd",
		helper: providertest.Call{Name: "spawn_agent", Namespace: "multi_agent_v1", Arguments: `{"message":"` + helperTask + `"}`}},
	"opencode": {program: []string{"node_modules/.bin/opencode"},
		first: []string{"run", "--model", "anthropic/claude-sonnet-4-5"},
		next:  []string{"run", "--model", "anthropic/claude-sonnet-4-5", "--continue"}, shell: "bash", command: "command",
		helper: providertest.Call{Name: "task", Arguments: `{"description":"look","prompt":"` + helperTask + `",
			"subagent_type":"general"}`}},
	"gemini": {program: []string{"node_modules/.bin/gemini"},
		first: []string{"--skip-trust", "--yolo", "-m", "gemini-2.5-pro", "-p"},
		next:  []string{"--skip-trust", "--yolo", "-m", "gemini-2.5-pro", "--resume", "latest", "-p"},
		shell: "run_shell_command", command: "command"},
	"openai-agents": {program: []string{"py/bin/python", "testdata/agents/openai_agents.py"}, shell: "shell",
		command: "command", helper: providertest.Call{Name: "ask_helper", Arguments: `{"input":"` + helperTask + `"}`}},
	"pydantic-ai": {program: []string{"py/bin/python", "testdata/agents/pydantic_agent.py"}, shell: "shell",
		command: "command", helper: providertest.Call{Name: "ask_helper", Arguments: `{"input":"` + helperTask + `"}`}},
}

const helperTask = "Find out what 4711 is and say so."

// say is a call of the agent's shell.
func (a *realAgent) say(id, text string) providertest.Call {
	return providertest.Call{ID: id, Name: a.shell, Arguments: `{"` + a.command + `":"echo ` + text + `","description":"say"}`}
}

// agentRun is a real agent that pact run starts, one time after the other, with a home
// of its own and a provider that answers by a script.
type agentRun struct {
	*testing.T
	realAgent
	name      string
	provider  *providertest.Provider
	db, dir   string
	env, line []string
	flags     []string // of pact run
	bare      bool     // the agent is run without pact
}

// startAgent prepares a run. Without PACT_AGENTS, which names where the agents are
// installed, the test is left out.
func startAgent(t *testing.T, name string, script ...providertest.Turn) *agentRun {
	t.Helper()
	installed := os.Getenv("PACT_AGENTS")
	if installed == "" {
		t.Skip("real agents were left out: CONTRIBUTING.md says how to install and run them")
	}
	a := &agentRun{T: t, realAgent: realAgents[name], name: name, provider: providertest.New(script...)}
	a.provider.ForTools()
	server := httptest.NewServer(a.provider)
	t.Cleanup(server.Close)
	home, err := os.MkdirTemp(installed, "home") // Gemini CLI reads no settings below a folder that all may write, as /tmp
	a.must(err)
	t.Cleanup(func() { os.RemoveAll(home) })
	a.dir = filepath.Join(home, "work")
	a.must(os.Mkdir(a.dir, 0o700))
	a.db = filepath.Join(home, "pact.db")
	for _, part := range a.program {
		if path := filepath.Join(installed, part); filepath.Dir(part) != "testdata/agents" {
			a.line = append(a.line, path)
			continue
		}
		path, err := filepath.Abs(part)
		a.must(err)
		a.line = append(a.line, path)
	}
	a.env = append(agentEnv(home), "OPENAI_BASE_URL="+server.URL+"/v1", "ANTHROPIC_BASE_URL="+server.URL,
		"GOOGLE_GEMINI_BASE_URL="+server.URL)
	return a
}

// agentEnv keeps an agent from all that is not its work.
func agentEnv(home string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CODEX_HOME=" + home, "TERM=dumb", "IS_SANDBOX=1",
		"GIT_CEILING_DIRECTORIES=" + home, // Claude Code tells the model the state of the repository
		"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "OPENCODE_DISABLE_AUTOUPDATE=1",
		"OPENAI_API_KEY=sk-0123456789", "ANTHROPIC_API_KEY=sk-0123456789", "GEMINI_API_KEY=g-0123456789"}
}

func (a *agentRun) must(err error) {
	a.Helper()
	must(a, err)
}

// start has a pact of its own run the agent, in a group of processes of its own.
func (a *agentRun) start(arguments []string, say string, more ...string) (*exec.Cmd, *bytes.Buffer) {
	a.Helper()
	line := slices.Concat([]string{"run", "--db", a.db, "--name", "agent"}, a.flags, []string{"--"}, a.line, arguments, more, []string{say})
	if a.bare {
		line = slices.Concat(a.line[1:], arguments, more, []string{say})
	}
	cmd, said := exec.CommandContext(a.Context(), "pact", line...), &bytes.Buffer{}
	if a.bare {
		cmd = exec.CommandContext(a.Context(), a.line[0], line...)
	}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = a.dir, a.env, said, said
	cmd.WaitDelay = 10 * time.Second // of an agent that outlives pact
	inGroup(cmd)
	a.must(cmd.Start())
	return cmd, said
}

// run has the agent answer, and returns what it and pact said.
func (a *agentRun) run(arguments []string, say string, more ...string) string {
	a.Helper()
	cmd, said := a.start(arguments, say, more...)
	err := cmd.Wait()
	a.Logf("%s %q: %v\n%.3000s", a.name, say, err, said)
	return said.String()
}

// isCall tells the requests that pact records from others that agents make.
func isCall(r providertest.Received) bool { return provider.APIOf(http.MethodPost, r.Path) != "" }

// eachContext calls visit with each recorded context.
func (a *agentRun) eachContext(visit func(history.Info, *pact.Context)) {
	a.Helper()
	s, err := dbtest.Open(sqlite.Open(a.Context(), a.db))
	a.must(err)
	defer s.Close()
	contexts, err := pact.List(a.Context(), s)
	a.must(err)
	for _, info := range contexts {
		c, err := pact.Open(a.Context(), s, info.Name, nil)
		a.must(err)
		visit(info, c)
	}
}

// check holds what was recorded to what the provider received: each request once, byte
// for byte, those of retries too. It returns what each context was begun by, and the log of each.
func (a *agentRun) check() (begun, logs map[string]string) {
	a.Helper()
	var received [][]byte
	for _, r := range a.provider.Received() {
		if isCall(r) {
			received = append(received, r.Body)
		}
	}
	if len(received) == 0 {
		a.Fatal("the agent sent nothing")
	}
	sent := len(received)
	begun, logs = map[string]string{}, map[string]string{}
	a.eachContext(func(info history.Info, c *pact.Context) {
		for e, err := range c.Log(a.Context(), 0) {
			a.must(err)
			logs[info.Name] += string(e.Kind) + ": " + e.Message + "\n"
		}
		begun[info.Name], _ = record.BegunBy(c.Working())
		last := c.Info().Cycle
		attempts, err := c.Attempts(a.Context(), info.Origin.Cycle+1, last+1)
		a.must(err)
		for _, attempt := range attempts {
			_, number, _, _ := history.ParseAttemptID(attempt.ID)
			body, err := record.Request(a.Context(), c, attempt.Cycle, number)
			if err != nil {
				a.Errorf("%s of %s: %v", attempt.ID, info.Name, err)
				continue
			}
			at := slices.IndexFunc(received, func(b []byte) bool { return bytes.Equal(b, body.Bytes) })
			if at < 0 {
				a.Errorf("%s of %s is no request that the provider received", attempt.ID, info.Name)
				continue
			}
			received = slices.Delete(received, at, at+1)
		}
	})
	if len(received) > 0 {
		a.Errorf("%d requests come back from no attempt, the first is\n%.500s", len(received), received[0])
	}
	a.Log(a.name+": requests that come back byte for byte: "+strconv.Itoa(sent-len(received))+" of "+strconv.Itoa(sent)+
		", contexts:", slices.Sorted(maps.Keys(logs)))
	return begun, logs
}
