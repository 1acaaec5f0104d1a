package conformance_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/contexttree/pact/conformance"
)

// TestChecklists holds every item to cases that are there, or to a reason.
func TestChecklists(t *testing.T) {
	lists, err := conformance.Checklists()
	must(t, err)
	if len(lists) == 0 || lists[0].ID != "10" {
		t.Fatal("annex 10 is not the first list")
	}
	known, seen, published := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, c := range cases(t) {
		known[c.ID], published[c.ID] = true, c.Edition == "1.0"
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
			delete(published, id)
		}
		for _, test := range item.Tests {
			if !testExists(t, test) {
				t.Errorf("%s is held by %s, which is not there", item.ID, test)
			}
		}
	}
	for id, is := range published {
		if is {
			t.Errorf("the case %s is in no list", id)
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
		question := c.Check
		if len(c.Checks) > 0 {
			question = c.Checks[0]
		}
		refused := len(question.Error) > 0 // what is printed is a question, which is answered with an error
		if c.Mended != "" || c.Contradicted.Reason == "" || !refused && slices.Equal(c.Contradicted.Printed, question.Expect) {
			t.Errorf("%s: printed %q, expected %q", c.ID, c.Contradicted.Printed, question.Expect)
		}
		if err := conformance.Run(t.Context(), c, t.TempDir(), answering(question.Selector,
			c.Contradicted.Printed)); err == nil {
			t.Errorf("%s is not failed by what is printed", c.ID)
		}
		if refused {
			continue
		}
		if err := conformance.Run(t.Context(), c, t.TempDir(), answering(question.Selector, question.Expect)); err != nil {
			t.Error(err)
		}
	}
	if found != 10 {
		t.Errorf("%d cases are contradicted, and the documents have 5, the published ones 5", found)
	}
}

// answering is this implementation with these ids as its answer to a selector.
func answering(selector string, ids []string) conformance.Command {
	return func(ctx context.Context, args ...string) (conformance.Answer, error) {
		if args[len(args)-1] != selector {
			return command(ctx, args...)
		}
		out, err := json.Marshal(append([]string{}, ids...))
		return conformance.Answer{Out: out}, err
	}
}

// TestPartial: an item is never passed where a part of it, or all, is shown by
// no case.
func TestPartial(t *testing.T) {
	var behind []string
	for _, item := range items(t) {
		if item.Unshown != "" {
			behind = append(behind, item.Cases...)
		}
	}
	some := slices.DeleteFunc(cases(t), func(c conformance.Case) bool { return !slices.Contains(behind, c.ID) })
	report, err := conformance.RunAll(t.Context(), some, command, conformance.RunOptions{})
	must(t, err)
	partial, unshown := 0, 0
	for _, list := range report.Checklists {
		for _, item := range list.Items {
			switch {
			case len(item.Cases) == 0:
				unshown++
				if item.Verdict != "" {
					t.Errorf("%s is %s without a case", item.ID, item.Verdict)
				}
			case item.Unshown != "":
				partial++
				if item.Verdict != conformance.Partial {
					t.Errorf("%s is %q where a part of it is not shown", item.ID, item.Verdict)
				}
			case item.Verdict == conformance.Partial:
				t.Errorf("%s is partial without a reason", item.ID)
			}
		}
	}
	if partial == 0 || unshown == 0 {
		t.Errorf("%d items are partial and %d not shown", partial, unshown)
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
		{conformance.Case{}, errWrong, conformance.Failed}, {slip, errWrong, conformance.Failed},
		{con, errWrong, conformance.Failed},
	} {
		if r := conformance.Judge(x.c, x.err); r.Verdict != x.want || (r.Reason == "") != (x.want == conformance.Passed) {
			t.Errorf("got %s for %q, want %s", r.Verdict, r.Reason, x.want)
		}
	}
}
