package conformance

import (
	"encoding/xml"
	"io"
	"slices"
)

type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitFailure `xml:"failure,omitempty"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
	}
)

// JUnit writes the report in the XML form of JUnit, which build servers read: a suite
// for each area, a test for each case. Mended and contradicted cases are tests that
// passed, with the reason as their output. What the documents demand and what house rules do are suites of their own.
// There are no times, so that the same answers make the same bytes. It fails if w does.
func (r *Report) JUnit(w io.Writer) error {
	all := junitSuites{Name: "PACT conformance", Tests: r.Summary.Cases, Failures: r.Summary.Failed}
	for _, c := range r.Cases {
		name := c.Area
		if c.Origin.House() {
			name += ", house rules"
		}
		i := slices.IndexFunc(all.Suites, func(s junitSuite) bool { return s.Name == name })
		if i < 0 {
			i = len(all.Suites)
			all.Suites = append(all.Suites, junitSuite{Name: name})
		}
		suite := &all.Suites[i]
		test := junitCase{Class: c.Area, Name: c.ID}
		suite.Tests++
		switch c.Verdict {
		case Failed:
			suite.Failures++
			test.Failure = &junitFailure{Message: string(c.Origin) + ": " + c.Reason, Type: c.At}
		case Mended, Contradicted:
			test.Out = string(c.Verdict) + ": " + c.Reason
		}
		suite.Cases = append(suite.Cases, test)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
