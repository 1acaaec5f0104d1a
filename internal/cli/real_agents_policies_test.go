//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/providertest"
)

// The ready policies for five agents, each with two tasks of its shell: to print 24 texts of 4 to 25 kB and to work with each
// afterwards, once without looking again, and once looking again at each that the request does not have whole. Managed by
// its policy, an agent costs no more than without, also if it looks again, and a simulation of the run without expects what
// the provider counts within 2 %.
func TestAgentsUnderTheirReadyPolicies(t *testing.T) {
	for agent, policy := range map[string]string{"claude": "claude-code", "codex": "codex", "gemini": "gemini-cli",
		"openai-agents": "openai-agents", "opencode": "opencode"} {
		for _, again := range []bool{false, true} {
			task := map[bool]string{false: "looks once", true: "looks again"}[again]
			t.Run(agent+" "+task, func(t *testing.T) {
				without, plain, _ := looks(t, agent, again)
				with, _, says := looks(t, agent, again, "--policy", policy, "--manage")
				t.Logf("| %s | %s | %d | %d | %.3f | %d | %d | %.3f (%+.0f %%) |", agent, task, without.calls, without.sent, without.money,
					with.calls, with.sent, with.money, 100*(with.money/without.money-1))
				for line := range strings.Lines(says) {
					if strings.Contains(line, "asked again") || strings.Contains(line, "sent as they came") {
						t.Log(strings.TrimSpace(line))
					}
				}
				if !again {
					plain.expects(policy, with)
				}
				if with.money > 1.001*without.money {
					t.Errorf("managed it costs %.4f dollars, as it came %.4f", with.money, without.money)
				}
			})
		}
	}
}

// notStuck answers the question that Gemini CLI asks another model in each turn of the user from the thirtieth call on. It
// repeats the question for four minutes where the answer is no JSON.
const notStuck = `{"unproductive_state_analysis":"It works on.","unproductive_state_confidence":0.1}`

// looks has an agent print texts and work with each, and returns what the provider counted.
func looks(t *testing.T, name string, again bool, flags ...string) (spending, *agentRun, string) {
	t.Helper()
	const texts = 24
	a := startAgent(t, name)
	a.flags = flags
	if name == "gemini" {
		a.provider.Aside(func(body []byte) bool { return bytes.Contains(body, []byte("unproductive_state_confidence")) },
			slices.Repeat([]providertest.Turn{{Text: notStuck}}, 2*texts)...)
		// At an address of one's own it asks how to sign in.
		settings := filepath.Join(a.dir, "..", ".gemini")
		a.must(os.Mkdir(settings, 0o700))
		a.must(os.WriteFile(filepath.Join(settings, "settings.json"), []byte(`{"security":{"auth":{"selectedType":"gemini-api-key"}}}`), 0o600))
	}
	var script []providertest.Turn
	calls := 0
	call := func(command, unless string) {
		line, err := json.Marshal(map[string]string{a.command: command, "description": "work"})
		a.must(err)
		calls++
		script = append(script, providertest.Turn{Unless: unless, Calls: []providertest.Call{{ID: fmt.Sprint("call_", calls), Name: a.shell, Arguments: string(line)}}})
	}
	first := func(i int) int { return 100_000 + 10_000*i }
	size := func(i int) int { return 600 + i%3*1500 }
	for i := range texts {
		call(fmt.Sprintf("seq %d %d", first(i), first(i)+size(i)), "")
	}
	for i := range texts {
		if again {
			call(fmt.Sprintf("seq %d %d", first(i), first(i)+size(i)), fmt.Sprint(first(i)+size(i)/2))
		}
		call(fmt.Sprint("echo wrote ", i), "")
	}
	a.provider.Then(append(script, providertest.Turn{Text: allPrinted})...)
	says := a.run(a.first, printTask)
	if !strings.Contains(says, allPrinted) {
		t.Errorf("%s did not come to its end: %d turns are left", name, a.provider.Left())
	}
	a.check()
	return a.spent(), a, says
}

// expects compares what a simulation of the run expects of a policy with what the provider counted of the run under it.
func (a *agentRun) expects(policy string, counted spending) {
	a.Helper()
	text, err := exec.CommandContext(a.Context(), "pact", slices.Concat([]string{"simulate", "agent", "--db", a.db, "--policy", policy, "--json"})...).Output()
	a.must(err)
	var would struct {
		Outcomes []struct {
			Sent int
			Cost *float64
		}
		Sentences []string
	}
	a.must(json.Unmarshal(text, &would))
	if len(would.Outcomes) < 2 {
		a.Logf("forecast: none: %q", would.Sentences)
		return
	}
	sent := counted.sent - counted.beside
	off := 100 * (float64(would.Outcomes[1].Sent)/float64(sent) - 1)
	a.Logf("forecast: %d tokens, %+.1f %%", would.Outcomes[1].Sent, off)
	if off < -2 || off > 2 {
		a.Errorf("forecast %d tokens, counted %d", would.Outcomes[1].Sent, sent)
	}
}
