package conformance_test

import (
	"slices"
	"testing"

	"github.com/contexttree/pact/conformance"
)

// TestChecklists holds every item to cases that are there, or to a reason.
func TestChecklists(t *testing.T) {
	lists, err := conformance.Checklists()
	if err != nil {
		t.Fatal(err)
	}
	if len(lists) == 0 || lists[0].ID != "10" {
		t.Fatal("annex 10 is not the first list")
	}
	known, seen := map[string]bool{}, map[string]bool{}
	for _, c := range cases(t) {
		known[c.ID] = true
	}
	for _, item := range items(t) {
		if seen[item.ID] {
			t.Errorf("the id %s is there twice", item.ID)
		}
		seen[item.ID] = true
		if len(item.Cases) == 0 && item.Unshown == "" {
			t.Errorf("%s has neither a case nor a reason", item.ID)
		}
		if !slices.Contains([]string{"MUST", "SHOULD", "MAY"}, item.Level) || item.Text == "" {
			t.Errorf("%s has the level %q and the text %q", item.ID, item.Level, item.Text)
		}
		for _, id := range item.Cases {
			if !known[id] {
				t.Errorf("%s names the case %s, which is not there", item.ID, id)
			}
		}
	}
}

// TestContradictions: what is printed differs from what is expected, so that a
// program that gives the print fails.
func TestContradictions(t *testing.T) {
	found := 0
	for _, c := range cases(t) {
		if c.Contradicted == nil {
			continue
		}
		found++
		if c.Mended != "" || c.Contradicted.Reason == "" || slices.Equal(c.Contradicted.Printed, c.Expect) {
			t.Errorf("%s: printed %q, expected %q", c.ID, c.Contradicted.Printed, c.Expect)
		}
		if err := conformance.Run(t.Context(), c, t.TempDir(), answering(c.Contradicted.Printed)); err == nil {
			t.Errorf("%s is not failed by what is printed", c.ID)
		}
		if err := conformance.Run(t.Context(), c, t.TempDir(), answering(c.Expect)); err != nil {
			t.Error(err)
		}
	}
	if found != 3 {
		t.Errorf("%d cases are contradicted, and the documents have 3", found)
	}
}

// TestVerdicts: a case that errs is failed, whatever else it is.
func TestVerdicts(t *testing.T) {
	slip := conformance.Case{Mended: "a slip"}
	con := conformance.Case{Contradicted: &conformance.Contradiction{Reason: "no reading"}}
	for _, x := range []struct {
		c    conformance.Case
		err  error
		want conformance.Verdict
	}{
		{conformance.Case{}, nil, conformance.Passed}, {slip, nil, conformance.Mended}, {con, nil, conformance.Contradicted},
		{conformance.Case{}, errWrong, conformance.Failed}, {slip, errWrong, conformance.Failed}, {con, errWrong, conformance.Failed},
	} {
		if r := conformance.Judge(x.c, x.err); r.Verdict != x.want || (r.Reason == "") != (x.want == conformance.Passed) {
			t.Errorf("got %s for %q, want %s", r.Verdict, r.Reason, x.want)
		}
	}
}
