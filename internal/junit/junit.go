// Package junit writes the XML form of JUnit, which build servers read.
package junit

import (
	"encoding/xml"
	"io"
)

// Report is a list of suites.
type Report struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`    // Write counts them
	Failures int      `xml:"failures,attr"` // likewise
	Skipped  int      `xml:"skipped,attr,omitempty"`
	Suites   []Suite  `xml:"testsuite"`
}

// Suite is a list of tests.
type Suite struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`    // Write counts them
	Failures int    `xml:"failures,attr"` // likewise
	Skipped  int    `xml:"skipped,attr,omitempty"`
	Cases    []Case `xml:"testcase"`
}

// Case is a test.
type Case struct {
	Class   string    `xml:"classname,attr"`
	Name    string    `xml:"name,attr"`
	Time    string    `xml:"time,attr,omitempty"` // in seconds
	Skipped *struct{} `xml:"skipped,omitempty"`   // not nil if it did not run
	Failure *Failure  `xml:"failure,omitempty"`   // nil if it passed
	Out     string    `xml:"system-out,omitempty"`
}

// Failure says why a test failed.
type Failure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// Write writes the report. It fails if w does.
func (r *Report) Write(w io.Writer) error {
	r.Tests, r.Failures, r.Skipped = 0, 0, 0
	for i := range r.Suites {
		s := &r.Suites[i]
		s.Tests, s.Failures, s.Skipped = len(s.Cases), 0, 0
		for k := range s.Cases {
			if s.Cases[k].Failure != nil {
				s.Failures++
			}
			if s.Cases[k].Skipped != nil {
				s.Skipped++
			}
		}
		r.Tests, r.Failures, r.Skipped = r.Tests+s.Tests, r.Failures+s.Failures, r.Skipped+s.Skipped
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(r); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
