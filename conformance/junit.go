package conformance

import (
	"fmt"
	"io"
	"slices"

	"github.com/contexttree/pact/internal/junit"
)

// JUnit writes the report in the XML form of JUnit, which build servers read: a suite
// for each area, a test for each case. Mended and contradicted cases are tests that
// passed, with the reason as their output. What the documents demand and what house rules do are suites of their own.
// The cases of the kit that did not run are skipped. It fails if w does.
func (r *Report) JUnit(w io.Writer) error {
	all := junit.Report{Name: "PACT conformance"}
	for _, c := range slices.Concat(r.Cases, r.left) {
		name := c.Area
		if c.Origin.House() {
			name += ", house rules"
		}
		i := slices.IndexFunc(all.Suites, func(s junit.Suite) bool { return s.Name == name })
		if i < 0 {
			i = len(all.Suites)
			all.Suites = append(all.Suites, junit.Suite{Name: name})
		}
		test := junit.Case{Class: c.Area, Name: c.ID, Time: fmt.Sprintf("%.3f", c.took.Seconds())}
		switch c.Verdict {
		case "", NotClaimed, NotApplicable:
			test.Time, test.Skipped = "", new(struct{})
		case Failed:
			test.Failure = &junit.Failure{Message: string(c.Origin) + ": " + c.Reason, Type: c.At}
		case Mended, Contradicted:
			test.Out = string(c.Verdict) + ": " + c.Reason
		}
		all.Suites[i].Cases = append(all.Suites[i].Cases, test)
	}
	return all.Write(w)
}
