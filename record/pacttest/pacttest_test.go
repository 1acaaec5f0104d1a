package pacttest_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/record/pacttest"
	"github.com/contexttree/pact/store"
)

// noted is a test that notes what fails.
type noted struct {
	testing.TB
	failures []string
}

func (n *noted) Errorf(format string, args ...any) {
	n.failures = append(n.failures, fmt.Sprintf(format, args...))
}

func TestAssertFailsWithALineForEachPlace(t *testing.T) {
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "run", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Hello", "Bye"} {
		_, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: text})
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	n := &noted{TB: t}
	pacttest.Assert(n, c, pacttest.Breaks(0), pacttest.PrefixOf(c), pacttest.NoOrphans(), pacttest.Check("openai"), pacttest.Limit{})
	if n.failures != nil {
		t.Errorf("a run that keeps all limits fails with %q", n.failures)
	}
	pacttest.Assert(n, c, pacttest.MaxTokens(9), pacttest.MaxCost(9), pacttest.Prices(nil))
	want := []string{"run@c1: max-tokens: the provider counted no tokens of this call, so it is unknown how many the run has",
		"run@c1: max-cost: the provider counted no tokens of this call, so it is unknown what the run costs"}
	if !slices.Equal(n.failures, want) {
		t.Errorf("got %q, want %q", n.failures, want)
	}
}
