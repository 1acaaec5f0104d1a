package conformance

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Verdict is the outcome of a case.
type Verdict string

// These are all verdicts of a case.
const (
	Passed       Verdict = "passed"
	Failed       Verdict = "failed"
	Mended       Verdict = "mended"       // passed, after the kit corrected a slip in the printed text
	Contradicted Verdict = "contradicted" // no reading gives the printed result; the answer is our reading

	NotClaimed    Verdict = "not claimed"    // the program does not say that it has the profile or the edition
	NotApplicable Verdict = "not applicable" // the same of an optional chapter
)

// Partial is the verdict of an item whose cases passed but do not show a part of
// it. No case has this verdict.
const Partial Verdict = "partial"

// Result is the outcome of one case. Reason says why the case failed, which slip
// the kit corrected, or why no reading gives the printed result.
type Result struct {
	ID       string   `json:"id"`               // of the case
	Area     string   `json:"area"`             // of the case
	Profile  string   `json:"profile"`          // of the case
	Verdict  Verdict  `json:"verdict"`          // of the case
	Origin   Origin   `json:"origin"`           // of the case; of one that failed, that of the demand by which it did
	Reason   string   `json:"reason,omitempty"` // "" for a case that passed
	Edition  string   `json:"edition"`          // in which the case ran
	About    string   `json:"about,omitempty"`  // as in the case
	Sources  []Source `json:"sources"`          // as in the case
	Commands []string `json:"commands"`         // of the program under test that the case ran, each once
	Form     bool     `json:"form,omitempty"`   // it failed by its form alone: another code, or other bytes of the same JSON
	// At is the command after which the runner stopped: in a case that failed, the
	// one whose answer was wrong.
	At string `json:"at"`

	of   Origin        // of the case, whether it failed or not
	took time.Duration // for JUnit alone: the same answers make the same report
}

// Judge turns the outcome of Run into a verdict.
func Judge(c Case, err error) Result {
	r := Result{ID: c.ID, Area: c.Area, Profile: c.Profile(), Verdict: Passed, Origin: c.Origin, Edition: c.Edition,
		About: c.About, Sources: c.Sources, of: c.Origin}
	var short Shortfall
	switch {
	case err != nil:
		r.Verdict, r.Reason = Failed, err.Error()
		if errors.As(err, &short) {
			r.Form, r.Origin = short.Form, cmp.Or(short.Origin, c.Origin)
		}
	case c.Contradicted != nil:
		r.Verdict, r.Reason = Contradicted, c.Contradicted.Reason
	case c.Mended != "":
		r.Verdict, r.Reason = Mended, c.Mended
	}
	return r
}

// Summary counts cases by verdict.
type Summary struct {
	Cases        int `json:"cases"`          // that ran
	Passed       int `json:"passed"`         // as printed
	Failed       int `json:"failed"`         // with another answer
	Mended       int `json:"mended"`         // passed, after a slip was corrected
	Contradicted int `json:"contradicted"`   // with the answer of our reading
	Form         int `json:"form,omitempty"` // of those that failed, by the form alone

	NotClaimed    int `json:"not_claimed,omitempty"`    // that did not run
	NotApplicable int `json:"not_applicable,omitempty"` // that did not run, of an optional chapter
}

// FilledItem is an item of a checklist with its verdict: the worst verdict of its
// cases, in the order failed, contradicted, mended, passed, not claimed. It is Partial if the
// cases passed and Unshown names a part that none of them shows. An item without
// a case has no verdict and says why in Unshown. House rules count for no MUST.
type FilledItem struct {
	Item
	Verdict Verdict `json:"verdict,omitempty"` // "" if no case shows the item
}

// Filled is a checklist with its verdicts.
type Filled struct {
	ID    string       `json:"id"`    // of the checklist
	Title string       `json:"title"` // of the checklist
	Items []FilledItem `json:"items"` // with their verdicts
}

// Report is the outcome of all cases.
type Report struct {
	Kit         int      `json:"kit"`          // version of the form of the report
	Version     string   `json:"version"`      // of the cases
	SpecVersion string   `json:"spec_version"` // of the specification; of both, if cases of both ran
	Summary     Summary  `json:"summary"`      // the cases by verdict
	Checklists  []Filled `json:"checklists"`   // annex 10 first
	Claims      []Claim  `json:"claims"`       // the cases by profile

	Origins []OriginCount `json:"origins"` // the cases by where they come from
	Cases   []Result      `json:"cases"`   // in the order of the kit

	Commands []CommandCount `json:"commands"` // the cases by command of the program under test

	left []Result // the cases of the kit that did not run, without a verdict
}

// RunOptions says how RunAll runs cases.
type RunOptions struct {
	// Scope is what the program has; other cases do not run.
	Scope Scope
	// First ends the run after the first case of the kit that fails. The report
	// then has the cases up to this one.
	First bool
	// Progress, if not nil, is called after each case, from one goroutine.
	Progress func(done, total int)
}

// RunAll runs cases, several at once, and fills in the checklists. It fails if ctx
// ends, if the kit is broken or if it cannot write its files; a failed case is not
// an error.
func RunAll(ctx context.Context, cases []Case, command Command, o RunOptions) (*Report, error) {
	dir, err := os.MkdirTemp("", "pact-conformance-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	report := &Report{Kit: 1, Version: Version, SpecVersion: versions(cases, o.Scope), Cases: make([]Result, len(cases))}
	next, done := make(chan int), make(chan error)
	var failed atomic.Bool
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				place := filepath.Join(dir, strconv.Itoa(i))
				err := os.Mkdir(place, 0o700)
				if err == nil {
					report.Cases[i] = judged(ctx, cases[i], place, command, o.Scope.leavesOut(&cases[i]))
					os.RemoveAll(place)
				}
				if report.Cases[i].Verdict == Failed {
					failed.Store(true)
				}
				done <- err
			}
		})
	}
	go func() {
		defer close(next)
		for i := range cases {
			if ctx.Err() != nil || o.First && failed.Load() {
				return
			}
			next <- i
		}
	}()
	go func() {
		workers.Wait()
		close(done)
	}()
	n := 0
	for e := range done {
		if e != nil && err == nil {
			err = e
		}
		n++
		if o.Progress != nil {
			o.Progress(n, len(cases))
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if first := slices.IndexFunc(report.Cases, Result.failed); o.First && first >= 0 {
		report.Cases = report.Cases[:first+1] // the cases before it have all run
	}
	report.count()
	all, err := Cases()
	for _, c := range all {
		if !slices.ContainsFunc(report.Cases, func(ran Result) bool { return ran.ID == c.ID }) {
			report.left = append(report.left, Result{ID: c.ID, Area: c.Area, Origin: c.Origin})
		}
	}
	if err != nil {
		return nil, err
	}
	return report, report.fill()
}

// versions names the versions of the specification that have the cases which run.
func versions(cases []Case, scope Scope) string {
	of := map[string]bool{}
	for _, c := range cases {
		if !scope.Has(&c) {
			continue
		}
		of[map[bool]string{true: "PACT/1.0.0", false: "PACT/0.1.0"}[c.Edition == "1.0"]] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(of)), ", ")
}

func (r Result) failed() bool { return r.Verdict == Failed }

// judged runs a case, if no verdict is there without, and notes which commands it ran.
func judged(ctx context.Context, c Case, place string, command Command, without Verdict) Result {
	if without != "" {
		r := Judge(c, nil)
		r.Verdict, r.Reason, r.Commands = without, "", []string{}
		return r
	}
	var ran []string
	began := time.Now()
	err := Run(ctx, c, place, func(ctx context.Context, args ...string) (Answer, error) {
		ran = append(ran, args[0])
		return command(ctx, args...)
	})
	r := Judge(c, err)
	r.took = time.Since(began)
	// the directory has another name in every run, and is gone when a person reads the report
	r.Reason = strings.ReplaceAll(r.Reason, place+string(filepath.Separator), "")
	r.Commands = []string{}
	for _, verb := range ran {
		if r.At = verb; !slices.Contains(r.Commands, verb) {
			r.Commands = append(r.Commands, verb)
		}
	}
	return r
}

func (r *Report) count() {
	r.Commands, r.Claims, r.Origins = r.byCommand(), r.claims(), r.byOrigin()
	for _, c := range r.Cases {
		if c.ran() {
			r.Summary.Cases++
		}
		switch c.Verdict {
		case NotClaimed:
			r.Summary.NotClaimed++
		case NotApplicable:
			r.Summary.NotApplicable++
		case Passed:
			r.Summary.Passed++
		case Failed:
			r.Summary.Failed++
			if c.Form {
				r.Summary.Form++
			}
		case Mended:
			r.Summary.Mended++
		case Contradicted:
			r.Summary.Contradicted++
		}
	}
}

// badness ranks the verdicts: the highest is the verdict of an item.
var badness = map[Verdict]int{"": 0, NotApplicable: 1, NotClaimed: 2, Passed: 3, Mended: 4,
	Contradicted: 5, Failed: 6}

func (r *Report) fill() error {
	lists, err := Checklists()
	if err != nil {
		return err
	}
	verdicts, inMeaning := make(map[string]Verdict, len(r.Cases)), make(map[string]Verdict, len(r.Cases))
	for _, c := range r.Cases {
		verdicts[c.ID], inMeaning[c.ID] = c.Verdict, c.inMeaning()
	}
	for _, list := range lists {
		f := Filled{ID: list.ID, Title: list.Title}
		for _, item := range list.Items {
			filled := FilledItem{Item: item}
			for _, id := range item.Cases {
				v := verdicts[id]
				if item.Level == "MUST" {
					v = inMeaning[id]
				}
				if badness[v] > badness[filled.Verdict] {
					filled.Verdict = v
				}
			}
			if filled.Verdict == Passed && item.Unshown != "" {
				filled.Verdict = Partial
			}
			f.Items = append(f.Items, filled)
		}
		r.Checklists = append(r.Checklists, f)
	}
	return nil
}
