package verify

import (
	"iter"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
)

// TestLogs checks logs of a new context with two snapshots, in all the ways in
// which one can be wrong: each case says the first defect by hand.
func TestLogs(t *testing.T) {
	create := history.Entry{Revision: 1, Kind: history.Create, Cycle: 0}
	edit := history.Entry{Revision: 2, Kind: history.Edit, Cycle: 1}
	first := history.Entry{Revision: 3, Kind: history.Commit, Cycle: 1}
	erased := history.Entry{Revision: 4, Kind: history.Erasing, Cycle: 2}
	second := history.Entry{Revision: 5, Kind: history.Commit, Cycle: 2}
	with := func(e history.Entry, change func(*history.Entry)) history.Entry {
		change(&e)
		return e
	}
	anEdit := func(e *history.Entry) { e.Kind = history.Edit }
	of := func(cycle int64) func(*history.Entry) { return func(e *history.Entry) { e.Cycle = cycle } }
	whole := engine.Info{Info: history.Info{First: 1, Cycle: 2, Revision: 5}}
	const (
		short       = "the log ends early"
		twice       = "the log publishes the cycle twice"
		unpublished = "the log does not say who published the cycle"
		miscounted  = "the log does not count its revisions"
	)
	cases := map[string]struct {
		log   []history.Entry
		of    engine.Info
		what  string // of the defect, "" where the log holds
		cycle int64
	}{
		"whole": {[]history.Entry{create, edit, first, erased, second}, whole, "", 0},
		"an import": {
			[]history.Entry{{Revision: 1, Kind: history.Create, Cycle: 7}}, engine.Info{Info: history.Info{First: 7, Cycle: 7, Revision: 1}}, "", 0,
		},
		"nothing":     {nil, engine.Info{Info: history.Info{First: 1}}, short, 0},
		"no end":      {[]history.Entry{create, edit, first, erased}, whole, short, 2},
		"twice":       {[]history.Entry{create, edit, first, erased, with(second, of(1))}, whole, twice, 1},
		"a gap":       {[]history.Entry{create, edit, with(first, of(2))}, whole, unpublished, 1},
		"no commit":   {[]history.Entry{create, edit, first, erased, with(second, anEdit)}, whole, unpublished, 2},
		"no creation": {[]history.Entry{with(create, anEdit)}, whole, miscounted, 0},
		"created anew": {[]history.Entry{create, with(edit, func(e *history.Entry) { e.Kind = history.Create })}, whole,
			miscounted, 1},
		"a revision lost": {[]history.Entry{create, first}, whole, miscounted, 1},
		"another kind": {[]history.Entry{create, with(edit, func(e *history.Entry) { e.Kind = "merge" })}, whole,
			"the log has an entry of an unknown kind", 1},
	}
	for name, c := range cases {
		erasures, defect, err := checkLog(yielding(c.log), c.of)
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case defect == nil && c.what != "" || defect != nil && (defect.What != c.what || defect.Cycle != c.cycle):
			t.Errorf("%s: %+v, want %q at cycle %d", name, defect, c.what, c.cycle)
		case name == "whole" && (len(erasures) != 1 || erasures[0].Revision != 4):
			t.Errorf("%s: %+v", name, erasures)
		}
	}
}

func yielding(log []history.Entry) iter.Seq2[history.Entry, error] {
	return func(yield func(history.Entry, error) bool) {
		for _, e := range log {
			if !yield(e, nil) {
				return
			}
		}
	}
}
