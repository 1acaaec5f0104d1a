//go:build unix

package cli_test

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/providertest"
)

// inGroup gives a program a group of processes, as a shell does.
func inGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// eachAgent runs a test with every agent at once.
func eachAgent(t *testing.T, test func(t *testing.T, name string)) {
	for _, name := range slices.Sorted(maps.Keys(realAgents)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, name)
		})
	}
}

// goOn has an agent go on until the script is at its end. Not every agent survives every
// trouble; its user then starts it again.
func (a *agentRun) goOn(said string) string {
	a.Helper()
	for range 9 {
		if a.provider.Left() == 0 {
			return said
		}
		said = a.run(a.next, "Go on.")
	}
	a.Errorf("%d turns of the script are left", a.provider.Left())
	return said
}

// A provider that refuses, is overloaded, breaks off, waits and asks for tools in parallel.
func TestAgentsInTrouble(t *testing.T) {
	eachAgent(t, func(t *testing.T, name string) {
		agent := realAgents[name]
		a := startAgent(t, name,
			providertest.Turn{Status: 500}, providertest.Turn{Status: 529}, providertest.Turn{Status: 429},
			providertest.Turn{Text: strings.Repeat("I look. ", 20), Cut: true}, providertest.Turn{Text: "I look.", Overload: true},
			providertest.Turn{Calls: []providertest.Call{agent.say("call_1", "4711"), agent.say("call_2", "4712")}},
			providertest.Turn{Text: "It says 4711 and 4712.", After: 90 * time.Second}, // Gemini CLI waits for 60
			providertest.Turn{Text: "It says 4711 and 4712."})
		said := a.goOn(a.run(a.first, "Print 4711 and 4712."))
		if !strings.Contains(said, "It says 4711 and 4712.") {
			t.Errorf("%s did not come to its end", name)
		}
		a.check()
	})
}

// Ctrl-C in the middle of an answer, then kill -9 of pact in the middle of the next, and the
// session goes on.
func TestAgentsInterrupted(t *testing.T) {
	eachAgent(t, func(t *testing.T, name string) {
		held := providertest.Turn{Text: strings.Repeat("I think of it. ", 30), Hold: true}
		a := startAgent(t, name, providertest.Turn{Text: "Hello."})
		a.run(a.first, "Hello?")
		for _, end := range []func(*exec.Cmd) error{
			func(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) },
			func(cmd *exec.Cmd) error { return cmd.Process.Kill() },
		} {
			a.provider.Then(held, held, held) // some agents ask again
			before := a.provider.Held()
			cmd, said := a.start(a.next, "Remember 4711.")
			ended := make(chan struct{})
			go func() {
				_ = cmd.Wait()
				close(ended)
			}()
			for a.provider.Held() == before || !a.underWay() { // a request may go out before it is on the disk
				select {
				case <-ended:
					t.Fatalf("%s ended before it was interrupted:\n%s", name, said)
				case <-time.After(10 * time.Millisecond):
				}
			}
			a.must(end(cmd))
			<-ended
			t.Logf("%s: %v\n%.2000s", name, cmd.ProcessState, said)
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what an agent left behind
		}
		a.provider.Then(providertest.Turn{Text: "It was 4711."})
		if said := a.goOn(""); !strings.Contains(said, "It was 4711.") {
			t.Errorf("%s did not go on", name)
		}
		a.check()
	})
}

// underWay reports whether an attempt is recorded that has not ended.
func (a *agentRun) underWay() (found bool) {
	a.Helper()
	a.eachContext(func(_ history.Info, c *pact.Context) {
		last := c.Info().Cycle
		attempts, err := c.Attempts(a.Context(), last+1, last+1)
		a.must(err)
		found = found || slices.ContainsFunc(attempts, func(t history.Attempt) bool { return t.Status == history.Running })
	})
	return found
}

// Codex and Claude Code put a summary in the place of a conversation.
func TestAgentsCompact(t *testing.T) {
	for name, how := range map[string]struct {
		say  string
		more []string
	}{"claude": {say: "/compact"}, "codex": {say: "And now?", more: []string{"-c", "model_auto_compact_token_limit=10"}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := func(n string) providertest.Turn {
				return providertest.Turn{Text: "The user spoke of 4711, which is a number that was printed, " + n + "."}
			}
			a := startAgent(t, name, said("once"), said("twice"), said("three times"), said("often"), said("always"))
			a.run(a.first, "Print 4711.")
			a.run(a.next, "What was it?")
			a.run(a.next, how.say, how.more...)
			a.run(a.next, "Go on.")
			if _, logs := a.check(); logs["agent/summary-1"] == "" ||
				!strings.Contains(logs["agent"], "the agent compacted the conversation") {
				t.Errorf("the contexts are %v", logs)
			}
		})
	}
}

// A sub-agent's requests are a context of their own, which names the one that began it.
func TestAgentsHaveHelpers(t *testing.T) {
	eachAgent(t, func(t *testing.T, name string) {
		call := realAgents[name].helper
		if call.Name == "" {
			t.Skip(name + " has no tool that begins a sub-agent")
		}
		call.ID = "call_1"
		a := startAgent(t, name, providertest.Turn{Calls: []providertest.Call{call}},
			providertest.Turn{Text: "4711 is a number."}, providertest.Turn{Text: "The helper calls it a number."},
			providertest.Turn{Text: "A number."})
		a.goOn(a.run(a.first, "Ask a helper what 4711 is."))
		begun, logs := a.check()
		if !slices.ContainsFunc(slices.Collect(maps.Keys(begun)), func(name string) bool {
			return begun[name] != "" && strings.Contains(logs[name], "began it")
		}) {
			t.Errorf("no call began the context of a sub-agent: %v\n%v", begun, logs)
		}
	})
}
