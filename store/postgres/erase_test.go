package postgres_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/postgrestest"
)

// TestErasureReachesOtherPools erases through one pool of connections what a context
// that was opened through another one holds in memory.
func TestErasureReachesOtherPools(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	one, other := open(t, address), open(t, address)
	c, err := pact.Create(t.Context(), one, "chat", nil)
	must(t, err)
	say := func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: "I am Jane Doe"})
		return nil
	}
	_, err = c.Commit(t.Context(), &pact.CommitOptions{Edit: say})
	must(t, err)
	err = c.Edit(t.Context(), say, nil)
	must(t, err)
	var held []*pact.Context
	for range 2 {
		x, err := pact.Open(t.Context(), other, "chat", nil)
		must(t, err)
		for _, a := range []pact.Address{pact.Latest, pact.Working} {
			if text := thread(t, x, a); !strings.Contains(text, "Jane") {
				t.Fatalf("%v before the erasure: %s", a, text)
			}
		}
		held = append(held, x)
	}
	of := pact.Erasure{Texts: []string{"Jane Doe"}, Reason: "asked for", Random: rand.Reader}
	_, err = c.Erase(t.Context(), of)
	must(t, err)
	if err := held[0].Edit(t.Context(), say, nil); !errors.Is(err, fault.Conflict) {
		t.Errorf("a writer who did not notice: %v", err)
	}
	for _, x := range held {
		for _, a := range []pact.Address{pact.Working, pact.Latest} {
			if text := thread(t, x, a); strings.Contains(text, "Jane") || !strings.Contains(text, "[erased]") {
				t.Errorf("%v after the erasure: %s", a, text)
			}
		}
	}
}

func thread(t *testing.T, c *pact.Context, a pact.Address) string {
	t.Helper()
	s, err := c.At(t.Context(), a)
	must(t, err)
	text, err := s.Thread(t.Context())
	must(t, err)
	return string(text)
}
