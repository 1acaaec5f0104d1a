package record_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store/sqlite"
)

const (
	childManages = "PACT_MANAGE_FILE"
	childSaid    = "PACT_MANAGE_SAID" // the file in which the agent keeps its conversation, as agents do
	childCuts    = "PACT_MANAGE_CUTS" // whether results leave after two calls
)

const managedCalls = 5

// TestManagingChild is the process that is killed while it manages: it goes on where its file ends.
func TestManagingChild(t *testing.T) {
	if os.Getenv(childManages) == "" {
		t.Skip("the kill tests start it")
	}
	s, err := dbtest.Engine(sqlite.Open(t.Context(), os.Getenv(childManages)))
	must(t, err)
	at, err := strconv.Atoi(os.Getenv(childWrite))
	must(t, err)
	policy, model := capped(t, ""), "claude-fable-5-1" // it refuses thinking behind a change
	if os.Getenv(childCuts) != "" {
		policy, model = policyOf(t, `{"when":"now","rules":[{"select":".cb[kind='result']","ttl":2,"stub":true}]}`), "claude-opus-5"
	}
	rec := record.New(dbtest.Of(&dying{Contexts: s, at: at}), record.Options{Context: "chat", Strict: true, Policy: policy, Manage: true})
	a := newAgent(t, provider.Messages, os.Getenv(childURL), rec.Transport(atTheWire(func() { fmt.Println("sent") })), true)
	a.body["model"] = model
	if text, err := os.ReadFile(os.Getenv(childSaid)); err == nil {
		must(t, json.Unmarshal(text, &a.said))
	}
	for len(a.said) < 2*managedCalls {
		if n := len(a.said) / 2; n == 0 {
			a.ask("Look.")
		} else {
			content := a.said[2*n-1].(map[string]any)["content"].([]any)
			a.result(content[len(content)-1].(map[string]any)["id"].(string), "ls", long(100+n))
		}
		a.call()
		text, err := json.Marshal(a.said)
		must(t, err)
		must(t, os.WriteFile(os.Getenv(childSaid)+".new", text, 0o600))
		must(t, os.Rename(os.Getenv(childSaid)+".new", os.Getenv(childSaid)))
		fmt.Println("answered")
	}
	rec.Close()
	must(t, s.Close())
	if got := rec.Stats(); got.Managed.Open+got.Managed.Ended+got.NotRecorded > 0 {
		t.Fatalf("%+v", got)
	}
	fmt.Println("done")
}

// A recorder that manages is killed at each of its writes, and anywhere between them. Another goes on: what was sent once is
// sent again byte for byte, the provider refuses nothing, and every result that was new is shaped.
func TestAKilledManagerSendsTheSameAgain(t *testing.T) {
	for _, cuts := range []string{"", "yes"} {
		for at := 1; manageKilledAt(t, cuts, at, 0); at += testrun.Size(t, 5, 2, 1) {
		}
		for range testrun.Size(t, 2, 5, 100) {
			manageKilledAt(t, cuts, 0, 1+rand.IntN(2*managedCalls))
		}
	}
}

// manageKilledAt kills a child at a write or a line of its output, has another go on, and reports whether the first was killed.
func manageKilledAt(t *testing.T, cuts string, write, line int) (killed bool) {
	t.Helper()
	script := callTurns(3 * managedCalls)
	for n := range script {
		script[n].Thinking = fmt.Sprint("thought ", n)
	}
	p, url := startProvider(t, script...)
	dir := t.TempDir()
	for round, at := range []string{strconv.Itoa(write), "0"} {
		child := exec.Command(os.Args[0], "-test.run", "^TestManagingChild$")
		child.Env = append(os.Environ(), childManages+"="+filepath.Join(dir, "pact.db"), childURL+"="+url,
			childSaid+"="+filepath.Join(dir, "said"), childWrite+"="+at, childCuts+"="+cuts)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		must(t, err)
		must(t, child.Start())
		done := false
		for lines, n := bufio.NewScanner(out), 1; lines.Scan(); n++ {
			done = done || lines.Text() == "done"
			if round == 0 && n == line {
				must(t, child.Process.Kill())
			}
		}
		_ = child.Wait() // it was killed
		if round == 0 {
			killed = !done
		} else if !done {
			t.Fatalf("killed at write %d, line %d: the next did not come to its end", write, line)
		}
	}
	if where := fmt.Sprintf("killed at write %d, line %d", write, line); cuts == "" {
		sameAgain(t, p, where)
	} else {
		staysAway(t, p, where)
	}
	s, err := dbtest.Open(sqlite.Open(t.Context(), filepath.Join(dir, "pact.db")))
	must(t, err)
	defer s.Close()
	received := p.Received()
	last := string(received[len(received)-1].Body)
	kept := false // a recorder that was killed before its first attempt left an empty context
	for _, name := range []string{"chat", "chat-2"} {
		if _, err := s.Find(t.Context(), name); err == nil {
			kept = kept || slices.Contains(ownBodies(t, s, name), last)
		}
	}
	if !kept {
		t.Errorf("killed at write %d, line %d: no context has the last body", write, line)
	}
	return killed
}

// staysAway checks that each result that left stays away, with the same note.
func staysAway(t *testing.T, p *providertest.Provider, where string) {
	t.Helper()
	notes := map[string]string{}
	for k, r := range p.Received() {
		for _, m := range said(t, provider.Messages, r.Body) {
			var result struct {
				Content []struct {
					Call    string `json:"tool_use_id"`
					Content string `json:"content"`
				}
			}
			if json.Unmarshal(m, &result) != nil || len(result.Content) == 0 || result.Content[0].Call == "" {
				continue
			}
			one := result.Content[0]
			switch note := strings.HasPrefix(one.Content, "[Left out after 2 calls; "+one.Call+" is its id."); {
			case note && notes[one.Call] == "":
				notes[one.Call] = one.Content
			case notes[one.Call] != "" && notes[one.Call] != one.Content:
				t.Fatalf("%s: request %d sent the result of %s as %s, before as %s", where, k, one.Call, one.Content, notes[one.Call])
			}
		}
	}
	if len(notes) < managedCalls-3 {
		t.Fatalf("%s: %d results left", where, len(notes))
	}
}

// sameAgain checks that each result was sent shaped, and in the same bytes in every request.
func sameAgain(t *testing.T, p *providertest.Provider, where string) {
	t.Helper()
	seen := map[string]json.RawMessage{}
	for k, r := range p.Received() {
		for _, m := range said(t, provider.Messages, r.Body) {
			var result struct {
				Content []struct {
					Call string `json:"tool_use_id"`
				}
			}
			if json.Unmarshal(m, &result) != nil || len(result.Content) == 0 || result.Content[0].Call == "" {
				continue // a question, or an answer
			}
			call := result.Content[0].Call
			if seen[call] == nil {
				seen[call] = m
			}
			if !bytes.Equal(seen[call], m) || !bytes.Contains(m, []byte(commit.OnlyPact)) {
				t.Fatalf("%s: request %d sent the result of %s as %s, before as %s", where, k, call, m, seen[call])
			}
		}
	}
	if len(seen) < managedCalls-1 {
		t.Fatalf("%s: %d results were sent", where, len(seen))
	}
}
