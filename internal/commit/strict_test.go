package commit_test

import (
	"errors"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

type eachByte struct{}

func (eachByte) Name() string { return "bytes" }

func (eachByte) Count(text string) int { return len(text) }

// A limit that nothing can meet is reported with what the snapshot has; a strict policy refuses the commit, and the working
// state stays as it was.
func TestALimitIsKeptOrReported(t *testing.T) {
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "chat", &pact.CreateOptions{
		OpenOptions: pact.OpenOptions{Counter: eachByte{}}})
	must(t, err)
	add := func(b *pact.Batch) error {
		b.Add("^sys", pact.Spec{Role: "system", Content: strings.Repeat("x", 162)})
		return nil
	}
	policy := lifecycle.Policy{MaxTokens: 90, Strict: true}
	_, err = c.Commit(t.Context(), &pact.CommitOptions{Edit: add, Pruning: &pact.Pruning{Policy: policy}})
	if !errors.Is(err, fault.Limit) || !strings.Contains(err.Error(), "max_tokens 90 is exceeded by 72") {
		t.Errorf("a strict policy: %v", err)
	}
	if last := c.Info().Cycle; last != 0 {
		t.Errorf("the refused commit made cycle %d", last)
	}
	policy.Strict = false
	s, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: add, Pruning: &pact.Pruning{Policy: policy}})
	must(t, err)
	want := lifecycle.Over{Limit: "max_tokens", Most: 90, Has: 162}
	if over := s.Report.Over; len(over) != 1 || over[0] != want {
		t.Errorf("over: %+v, want %+v", over, want)
	}
}
