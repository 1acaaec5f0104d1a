//go:build unix

package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/splice"
)

// managedPolicy cuts when that pays, because it does not say when.
const managedPolicy = `{"rules":[{"select":".cb[kind='result'][bytes>8000]","head":2000,"tail":1000,"ttl":4,"stub":true},
	{"select":".cb[kind='result']","ttl":4,"stub":true}]}`

const (
	scriptedCalls = 30
	printTask     = "Print some numbers."
	allPrinted    = "All numbers are printed."
)

// Real agents call their shell 30 times through pact run --manage: large results, two streams that break off, a sub-agent, and
// kill -9 of pact in the middle. The provider refuses nothing, the store has every request as it was sent and as it was asked
// for, each result keeps its bytes but where the store says that a batch went, and the run costs no more than the same
// run without a policy.
func TestAgentsManaged(t *testing.T) {
	for _, one := range []struct {
		agent string
		more  []string
	}{
		{"claude", []string{"--model", "claude-opus-4-8"}},
		{"claude", []string{"--model", "claude-fable-5-1"}}, // it binds thinking to what stands before it
		{"codex", nil},
		{"opencode", nil},
		{"openai-agents", []string{"--stream"}},
	} {
		name := strings.Join(append([]string{one.agent}, one.more...), " ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			with := printsNumbers(t, one.agent, one.more, "--manage")
			without := printsNumbers(t, one.agent, one.more)
			t.Logf("| %s | | tokens sent | read from the cache | written | dollars |", name)
			for _, run := range []struct {
				how string
				of  spending
			}{{"as it came", without}, {"managed", with}} {
				t.Logf("| | %s | %d | %d | %d | %.3f |", run.how, run.of.sent, run.of.read, run.of.written, run.of.money)
			}
			t.Logf("%s: %+.1f %% of the money, %+.1f %% of the tokens", name, 100*(with.money/without.money-1),
				100*(float64(with.sent)/float64(without.sent)-1))
			if with.money > without.money {
				t.Errorf("managed it cost %.4f dollars, as it came %.4f", with.money, without.money)
			}
		})
	}
}

// spending is what the provider counted of a run.
type spending struct {
	calls, sent, read, written int
	beside                     int // of what was sent, by requests that offer no tool: they are no part of the conversation
	money                      float64
}

// printsNumbers has an agent print numbers, checks what was sent and recorded, and returns what it cost.
func printsNumbers(t *testing.T, name string, more []string, flags ...string) spending {
	t.Helper()
	a := startAgent(t, name)
	manages := len(flags) > 0
	if manages {
		policy := filepath.Join(a.dir, "..", "policy.json")
		a.must(os.WriteFile(policy, []byte(managedPolicy), 0o600))
		a.flags = append([]string{"--policy", policy}, flags...)
	}
	script := a.numbers("call", scriptedCalls)
	call := a.helper
	call.ID = "helper_1"
	broken := func(turn providertest.Turn) providertest.Turn { turn.Cut = true; return turn }
	script = slices.Concat(script[:5], []providertest.Turn{broken(script[5])}, script[5:10], []providertest.Turn{{Calls: []providertest.Call{call}}},
		script[10:20], []providertest.Turn{broken(script[20])}, script[20:], []providertest.Turn{{Text: allPrinted}})
	const middle = 17
	held := providertest.Turn{Text: strings.Repeat("I think of it. ", 30), Hold: true}
	a.provider.Then(append(slices.Clone(script[:middle]), held, held)...)
	a.provider.Aside(func(body []byte) bool {
		return strings.Contains(string(body), helperTask) && !strings.Contains(string(body), printTask)
	}, append(a.numbers("aside", 3), providertest.Turn{Text: "4711 is a number."})...)
	a.killedInTheMiddle(more)
	a.provider.Then(script[middle:]...)
	last := a.run(a.goesOn(), "Go on.", more...)
	for try := 0; try < 5 && !strings.Contains(last, allPrinted); try++ {
		last = a.run(a.goesOn(), "Go on.", more...)
	}
	if !strings.Contains(last, allPrinted) || a.provider.Left() > 0 {
		t.Errorf("%s did not come to its end: %d turns are left", name, a.provider.Left())
	}
	a.check()
	a.sameForms()
	if n := a.provider.Dropped(); n > 0 {
		t.Errorf("the provider left out %d thoughts", n)
	}
	return a.spent()
}

// spent returns what the provider counted, and requires that it refused nothing.
func (a *agentRun) spent() (s spending) {
	a.Helper()
	for _, r := range a.provider.Received() {
		if r.Refused != "" {
			a.Errorf("the provider refused a request: %s", r.Refused)
		}
		if r.Sent == 0 {
			continue
		}
		var of struct {
			Model string
			Tools []any
		}
		a.must(json.Unmarshal(r.Body, &of))
		if _, rest, found := strings.Cut(r.Path, "/models/"); found {
			of.Model, _, _ = strings.Cut(rest, ":")
		}
		in, read, written, out := int64(r.Sent), int64(r.Read), int64(r.Written), int64(r.Out)
		paid := prices.BuiltIn().Paid(of.Model, &inspect.ProviderCache{In: &in, Read: &read, Written: &written, Out: &out})
		if paid == nil {
			a.Fatalf("%s has no price", of.Model)
		}
		if len(of.Tools) == 0 {
			s.beside += r.Sent
		}
		s.calls, s.sent, s.read, s.written, s.money = s.calls+1, s.sent+r.Sent, s.read+r.Read, s.written+r.Written, s.money+*paid
	}
	return s
}

// killedInTheMiddle has the agent work until its provider holds an answer, and then kills pact. Not every agent survives
// a stream that breaks off; its user then starts it again.
func (a *agentRun) killedInTheMiddle(more []string) {
	a.Helper()
	arguments, say := a.first, printTask
	for range 5 {
		cmd, said := a.start(arguments, say, more...)
		ended := make(chan struct{})
		go func() {
			_ = cmd.Wait()
			close(ended)
		}()
		for alive := true; alive; {
			select {
			case <-ended:
				alive = false
				a.Logf("%s ended before it was killed:\n%.2000s", a.name, said)
			case <-time.After(10 * time.Millisecond):
				if a.provider.Held() > 0 && a.underWay() {
					a.must(cmd.Process.Kill())
					<-ended
					_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what the agent left behind
					return
				}
			}
		}
		arguments, say = a.goesOn(), "Go on."
	}
	a.Fatalf("%s did not come to the middle", a.name)
}

// goesOn returns the arguments with which the agent goes on with its own session. The last one of Codex may be that of
// its sub-agent, so the session that it began first is named.
func (a *agentRun) goesOn() []string {
	begun, err := filepath.Glob(filepath.Join(a.dir, "..", "sessions", "*", "*", "*", "rollout-*.jsonl"))
	a.must(err)
	if a.name != "codex" || len(begun) == 0 {
		return a.next
	}
	name := strings.TrimSuffix(filepath.Base(begun[0]), ".jsonl")
	const id = len("00000000-0000-0000-0000-000000000000")
	return append(slices.Clone(a.next[:len(a.next)-1]), name[len(name)-id:])
}

// numbers returns turns that call the shell. A third of the results are long, and a third of the answers think.
func (a *agentRun) numbers(id string, n int) (script []providertest.Turn) {
	for i := range n {
		first, last := 1000+i, 1800+i
		if i%3 == 0 {
			first, last = 10_000+i, 14_000+i
		}
		line, err := json.Marshal(map[string]string{a.command: fmt.Sprintf("seq %d %d", first, last), "description": "count"})
		a.must(err)
		turn := providertest.Turn{Calls: []providertest.Call{{ID: fmt.Sprintf("%s_%d", id, i), Name: a.shell, Arguments: string(line)}}}
		if i%3 == 1 {
			turn.Thinking = fmt.Sprintf("After %d comes %d, as far as I know.", first, first+1)
		}
		script = append(script, turn)
	}
	return script
}

// sameForms requires that each result was sent in one form, and in one more, a note, in the requests that have the call
// since which the store says that it was left out. Every request as the agent asked for it comes back.
func (a *agentRun) sameForms() {
	a.Helper()
	since := map[string]string{} // by call
	shaped := 0
	a.eachContext(func(info history.Info, c *pact.Context) {
		if !strings.HasSuffix(info.Name, "/originals") {
			return
		}
		for n, err := range c.Working().Nodes() {
			a.must(err)
			if n.Kind != "result" {
				continue
			}
			call, _ := n.Attrs["wire:call"].(string)
			if of, left := n.Attrs["wire:since"].(string); left {
				since[call] = of
			} else {
				shaped++
			}
		}
	})
	forms := map[string]string{}
	for i, r := range a.provider.Received() {
		root, ok := splice.Parse(r.Body)
		if !ok || !isCall(r) {
			continue
		}
		for _, one := range provider.Results(provider.APIOf(http.MethodPost, r.Path), root, 0) {
			of, left := since[one.Call]
			key := one.Call
			if left = left && strings.Contains(string(r.Body), `"`+of+`"`); left {
				key += " left out"
			}
			if isNote := strings.Contains(string(one.Content.Raw), "[Left out after"); isNote != left {
				a.Errorf("request %d: the result of %s is a note: %v, by the store %v", i, one.Call, isNote, left)
			}
			if was := forms[key]; was != "" && was != string(one.Content.Raw) {
				a.Errorf("request %d: the result of %s was sent as\n%.300s\nand now is\n%.300s", i, one.Call, was, one.Content.Raw)
			}
			forms[key] = string(one.Content.Raw)
		}
	}
	a.Logf("%s: originals kept: %d, results left out later: %d", a.name, shaped, len(since))
	if len(a.flags) > 0 && shaped == 0 {
		a.Error("nothing was managed")
	}
}
