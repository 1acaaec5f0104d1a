package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// event is one line of go test -json (go doc test2json).
type event struct {
	Action     string
	Package    string
	ImportPath string // the package that is built
	Test       string
	Output     string
	Elapsed    float64 // seconds
}

// report turns events into lines for people.
type report struct {
	out     io.Writer
	written map[string]map[string]*strings.Builder // output of tests that have not passed, by package and test
	skipped map[string][]string                    // names of skipped tests, by the reason
}

func newReport(out io.Writer) *report {
	return &report{out, map[string]map[string]*strings.Builder{}, map[string][]string{}}
}

// read prints events as they arrive, until they end.
func (r *report) read(events io.Reader) error {
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) != nil {
				e = event{Action: "build-output", Output: line} // a message of the go command itself
			}
			r.take(e)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) take(e event) {
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		tests := r.written[e.Package]
		if tests == nil {
			tests = map[string]*strings.Builder{}
			r.written[e.Package] = tests
		}
		if tests[e.Test] == nil {
			tests[e.Test] = &strings.Builder{}
		}
		tests[e.Test].WriteString(e.Output)
	case "pass", "skip", "fail":
		if e.Test == "" {
			r.packageDone(e)
		} else if e.Action != "fail" {
			r.testDone(e)
		}
	}
}

// testDone forgets the output of a test that did not fail, and keeps the reason
// of a skipped one.
func (r *report) testDone(e event) {
	if wrote := r.written[e.Package][e.Test]; wrote != nil && e.Action == "skip" {
		why := reason(wrote.String())
		r.skipped[why] = append(r.skipped[why], e.Package+"."+e.Test)
	}
	delete(r.written[e.Package], e.Test)
}

func (r *report) packageDone(e event) {
	wrote := r.written[e.Package]
	delete(r.written, e.Package)
	switch e.Action {
	case "pass":
		fmt.Fprintf(r.out, "ok    %7.1f s  %s\n", e.Elapsed, e.Package)
	case "fail":
		for _, test := range slices.Sorted(maps.Keys(wrote)) {
			if test != "" {
				fmt.Fprint(r.out, wrote[test])
			}
		}
		if whole := wrote[""]; whole != nil {
			fmt.Fprint(r.out, whole)
		}
		fmt.Fprintf(r.out, "FAIL  %7.1f s  %s\n", e.Elapsed, e.Package)
	}
}

// leftOut prints the skipped tests, grouped by reason.
func (r *report) leftOut() {
	for _, why := range slices.Sorted(maps.Keys(r.skipped)) {
		fmt.Fprintf(r.out, "\n%s\n", why)
		for _, test := range slices.Sorted(slices.Values(r.skipped[why])) {
			fmt.Fprintf(r.out, "  %s\n", test)
		}
	}
}

var logged = regexp.MustCompile(`(?m)^ +\S+\.go:\d+: (.*)$`)

// reason returns the last line that a skipped test wrote.
func reason(wrote string) string {
	said := logged.FindAllStringSubmatch(wrote, -1)
	if len(said) == 0 {
		return "left out without a reason:"
	}
	return said[len(said)-1][1]
}
