package conformance_test

import (
	"os"
	"testing"

	"github.com/contexttree/pact/conformance"
	"github.com/contexttree/pact/internal/testrun"
)

// TestGeneratedCases: this implementation agrees with the naive evaluator of generated cases in all editions, and the stub
// in its own.
func TestGeneratedCases(t *testing.T) {
	stub, err := os.ReadFile("stub/pact_stub.py")
	must(t, err)
	editions := conformance.Editions
	n := testrun.Size(t, 15, 100, 4000)
	texts := map[string]bool{}
	found := 0
	for seed := range uint64(2) {
		some := conformance.Generate(n, seed, editions)
		for _, c := range some {
			for _, check := range c.Checks {
				texts[check.Selector] = true
				found += min(1, len(check.Expect))
			}
		}
		report := ran(t, some, command)
		if report.Summary.Passed != n {
			t.Errorf("seed %d: %+v", seed, report.Failures())
		}
	}
	if found < 2*n || len(texts) < 4*n {
		t.Errorf("of %d selectors %d are different, and %d find something", 8*n, len(texts), found)
	}
	report := ran(t, conformance.Generate(n, 3, editions[:1]), stubOf(t, string(stub)))
	if report.Summary.Passed != n {
		t.Errorf("the stub: %+v", report.Failures())
	}
}

func ran(t *testing.T, some []conformance.Case, command conformance.Command) *conformance.Report {
	t.Helper()
	report, err := conformance.RunAll(t.Context(), some, command, conformance.RunOptions{})
	must(t, err)
	return report
}
