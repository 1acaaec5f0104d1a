package lifecycle_test

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/lifecycle"
)

// Every file of the directory is a ready policy, which can be read, has no limit and takes
// one without complaint.
func TestReadyPoliciesCanBeUsed(t *testing.T) {
	files, err := os.ReadDir("policies")
	must(t, err)
	var names []string
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".json")
		names = append(names, name)
		p, err := lifecycle.Ready(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if p.MaxTokens+p.MaxBytes+p.MaxNodes+p.MaxTurns+len(p.Parts) > 0 {
			t.Errorf("%s has a limit of its own", name)
		}
		p.MaxTokens = 1000
		if err := p.Check(); err != nil {
			t.Errorf("%s with a limit: %v", name, err)
		}
	}
	if known := lifecycle.ReadyNames(); !slices.Equal(names, known) {
		t.Errorf("the names are %q, not %q", known, names)
	}
	_, err = lifecycle.Ready("agnet")
	if !errors.Is(err, fault.DocumentInvalid) || !strings.Contains(err.Error(), "agnet") {
		t.Errorf("an unknown name: %v", err)
	}
}

// There is one table, which docs/policies.md explains; chat leaves out that the user's words
// outlast the assistant's, and strict has none.
func TestReadyPoliciesShareOneTable(t *testing.T) {
	ready := func(name string) lifecycle.Policy {
		p, err := lifecycle.Ready(name)
		must(t, err)
		return p
	}
	standard := ready(lifecycle.ReadyDefault)
	if agent := ready(lifecycle.ReadyAgent); !reflect.DeepEqual(agent.Ranks, standard.Ranks) || !agent.ProtectTask {
		t.Errorf("agent has the table %v, default %v", agent.Ranks, standard.Ranks)
	}
	for _, lower := range [][2]string{{"result", "call"}, {"call", "assistant"}, {"assistant", "user"}} {
		if standard.Ranks[lower[0]] >= standard.Ranks[lower[1]] {
			t.Errorf("%s does not go before %s: %v", lower[0], lower[1], standard.Ranks)
		}
	}
	chat := ready(lifecycle.ReadyChat)
	if chat.Ranks["user"] != chat.Ranks["assistant"] || chat.Ranks["result"] >= chat.Ranks["user"] {
		t.Errorf("chat has the table %v", chat.Ranks)
	}
	if strict := ready(lifecycle.ReadyStrict); !strict.Empty() {
		t.Errorf("strict says %+v", strict)
	}
}
