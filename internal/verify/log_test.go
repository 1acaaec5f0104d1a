package verify

import (
	"iter"
	"testing"

	"github.com/contexttree/pact/store"
)

// TestLogs checks logs of a new context with two snapshots, in all the ways in
// which one can be wrong: each case says the first defect by hand.
func TestLogs(t *testing.T) {
	create := store.Entry{Revision: 1, Kind: store.Create, Cycle: 0}
	edit := store.Entry{Revision: 2, Kind: store.Edit, Cycle: 1}
	first := store.Entry{Revision: 3, Kind: store.Commit, Cycle: 1}
	erased := store.Entry{Revision: 4, Kind: store.Erasing, Cycle: 2}
	second := store.Entry{Revision: 5, Kind: store.Commit, Cycle: 2}
	with := func(e store.Entry, change func(*store.Entry)) store.Entry {
		change(&e)
		return e
	}
	anEdit := func(e *store.Entry) { e.Kind = store.Edit }
	of := func(cycle int64) func(*store.Entry) { return func(e *store.Entry) { e.Cycle = cycle } }
	whole := store.Info{First: 1, Cycle: 2, Revision: 5}
	const (
		short       = "the log ends early"
		twice       = "the log publishes the cycle twice"
		unpublished = "the log does not say who published the cycle"
		miscounted  = "the log does not count its revisions"
	)
	cases := map[string]struct {
		log   []store.Entry
		of    store.Info
		what  string // of the defect, "" where the log holds
		cycle int64
	}{
		"whole": {[]store.Entry{create, edit, first, erased, second}, whole, "", 0},
		"an import": {
			[]store.Entry{{Revision: 1, Kind: store.Create, Cycle: 7}}, store.Info{First: 7, Cycle: 7, Revision: 1}, "", 0,
		},
		"nothing":     {nil, store.Info{First: 1}, short, 0},
		"no end":      {[]store.Entry{create, edit, first, erased}, whole, short, 2},
		"twice":       {[]store.Entry{create, edit, first, erased, with(second, of(1))}, whole, twice, 1},
		"a gap":       {[]store.Entry{create, edit, with(first, of(2))}, whole, unpublished, 1},
		"no commit":   {[]store.Entry{create, edit, first, erased, with(second, anEdit)}, whole, unpublished, 2},
		"no creation": {[]store.Entry{with(create, anEdit)}, whole, miscounted, 0},
		"created anew": {[]store.Entry{create, with(edit, func(e *store.Entry) { e.Kind = store.Create })}, whole,
			miscounted, 1},
		"a revision lost": {[]store.Entry{create, first}, whole, miscounted, 1},
		"another kind": {[]store.Entry{create, with(edit, func(e *store.Entry) { e.Kind = "merge" })}, whole,
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
			t.Errorf("%s: erasures %+v", name, erasures)
		}
	}
}

func yielding(log []store.Entry) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for _, e := range log {
			if !yield(e, nil) {
				return
			}
		}
	}
}
