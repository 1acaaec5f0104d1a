package record_test

import (
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/record"
)

func mustAddress(t testing.TB, text string) pact.Address {
	t.Helper()
	a, err := pact.ParseAddress(text, "")
	must(t, err)
	return a
}

// ownBodies returns the bodies of the calls that a context does not share with
// its origin.
func ownBodies(t *testing.T, s *pact.DB, name string) (bodies []string) {
	t.Helper()
	c := opened(t, s, name)
	first, last := c.Info().First, c.Info().Cycle
	if origins, err := c.Origins(t.Context()); err != nil {
		t.Fatal(err)
	} else if len(origins) > 0 {
		first = origins[0].Cycle + 1
	}
	attempts, err := c.Attempts(t.Context(), last+1, last+1)
	must(t, err)
	if len(attempts) > 0 { // a call that did not end its cycle
		last++
	}
	for cycle := max(1, first); cycle <= last; cycle++ {
		body, err := record.Request(t.Context(), c, cycle, 0)
		if err != nil {
			t.Fatalf("%s@c%d: %v", name, cycle, err)
		}
		bodies = append(bodies, string(body.Bytes))
	}
	return bodies
}
