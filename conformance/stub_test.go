package conformance_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/conformance"
	"github.com/contexttree/pact/internal/testrun"
)

// hashCases is how many cases of the kit are of kind hash.
const hashCases = 12

// First ends the run after the first of the kit that fails, although several run at once.
func TestFirstEndsTheRun(t *testing.T) {
	some := cases(t)
	slices.SortStableFunc(some, func(a, b conformance.Case) int { return rank(a) - rank(b) })
	onlyHashes := func(ctx context.Context, args ...string) (conformance.Answer, error) {
		if args[0] == "hash" {
			return command(ctx, args...)
		}
		return conformance.Answer{Exit: 1}, nil
	}
	report, err := conformance.RunAll(t.Context(), some, onlyHashes, conformance.RunOptions{First: true})
	must(t, err)
	if n := len(report.Cases); n != hashCases+1 || report.Cases[hashCases].ID != some[hashCases].ID || report.Summary.Failed != 1 {
		t.Errorf("%d cases ran, %d failed; %d pass before the first failure", n, report.Summary.Failed, hashCases)
	}
}

// rank puts the hashes first.
func rank(c conformance.Case) int {
	if c.Kind == "hash" {
		return 0
	}
	return 1
}

// TestReportOfManyFailures: a tiny implementation that answers every question with an empty list fails
// every case, also those about what is not there. The groups hold every failed case once, and so does
// the JUnit form, where each area is a suite.
func TestReportOfManyFailures(t *testing.T) {
	some := cases(t)[:testrun.Size(t, 20, 80, 150)]
	report, err := conformance.RunAll(t.Context(), some, against(t, program(t, "empty"), time.Minute),
		conformance.RunOptions{})
	must(t, err)
	s := report.Summary
	if s.Failed != len(some) || s.Cases != len(some) || s.Passed+s.Mended+s.Contradicted != 0 {
		t.Errorf("the summary is %+v", s)
	}
	for _, item := range report.Checklists[0].Items {
		if item.Verdict != "" && item.Verdict != conformance.Failed {
			t.Errorf("%s is %s, and nothing passed", item.ID, item.Verdict)
		}
	}
	var grouped, failed []string
	groups := report.Failures()
	for i, g := range groups {
		if i > 0 && len(g.Cases) > len(groups[i-1].Cases) {
			t.Errorf("group %d is larger than the one before", i)
		}
		for _, c := range g.Cases {
			grouped = append(grouped, c.ID)
			if c.At != g.Command {
				t.Errorf("%s failed at %s, its group at %s", c.ID, c.At, g.Command)
			}
		}
	}
	for _, c := range report.Cases {
		if c.Verdict == conformance.Failed {
			failed = append(failed, c.ID)
		}
	}
	slices.Sort(grouped)
	slices.Sort(failed)
	if !slices.Equal(grouped, failed) || len(groups) > len(failed)/4 {
		t.Errorf("%d failed cases, %d in %d groups", len(failed), len(grouped), len(groups))
	}

	var b bytes.Buffer
	must(t, report.JUnit(&b))
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Name    string    `xml:"name,attr"`
				Skipped *struct{} `xml:"skipped"`
				Failure *struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	must(t, xml.Unmarshal(b.Bytes(), &suites))
	var names, red []string
	for _, s := range suites.Suites {
		for _, c := range s.Cases {
			area, _, _ := strings.Cut(s.Name, ",")
			if c.Skipped != nil {
				continue
			}
			names = append(names, area+" "+c.Name)
			if c.Failure != nil {
				red = append(red, c.Name)
			}
		}
	}
	var want []string
	for _, c := range some {
		want = append(want, c.Area+" "+c.ID)
	}
	slices.Sort(red)
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) || !slices.Equal(red, failed) || suites.Tests != len(cases(t)) ||
		suites.Failures != len(failed) {
		t.Errorf("%d tests, %d failures; %d and %d in the suites", suites.Tests, suites.Failures, len(names), len(red))
	}
}
