package pact_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
)

// neededBy says which calls of callsOfAll need a part of the store.
var neededBy = map[string]string{
	// HistoryExtension is called with a backup of the context.
	"Attempts": "Context.Attempts Context.Export Context.HistoryExtension",
	"List":     "Context.Fork",
	"Find":     "Context.Undo",
	"Has":      "Context.Edit",
	"Request":  "Context.Commit Context.Edit Context.Undo",
	// What answers from memory asks Info for erasures, and after one loads the context again.
	"Info": "Context.At Context.Export Context.Blame Context.Copy Context.Diff Context.Erase Context.Explain " +
		"Context.ExportSnapshots Context.Extension Context.Find Context.History Context.HistoryExtension Context.PlanPruning " +
		"Context.Prepare Context.RichDiff Context.Select Context.SelectAll " +
		"Context.Send Context.StartAttempt Context.Timeline",
	"Load": "Context.At Context.Export Context.Blame Context.Copy Context.Diff Context.Explain Context.Extension " +
		"Context.Find Context.History Context.HistoryExtension Context.PlanPruning Context.Prepare Context.Refresh Context.RichDiff " +
		"Context.Select Context.SelectAll Context.Send Context.StartAttempt Context.Timeline",
	"History": "Context.At Context.Export Context.Blame Context.Copy Context.Diff Context.ExportSnapshots " +
		"Context.Extension Context.Fork Context.History Context.HistoryExtension Context.Occurrences " +
		"Context.Prefixes Context.RangeDiffLatest Context.RichDiff Context.Timeline",
	"Deltas": "Context.Occurrences",
	"Log": "Context.Export Context.Blame Context.Copy Context.Extension Context.Fork Context.HistoryExtension " +
		"Context.Log Context.PlanFork Context.Prefixes Context.RichDiff Context.Undo",
	"Trace": "Context.Timeline",
}

// withoutTurns are the calls of callsOfAll that need no turn of the latest snapshot: all others
// look into one.
var withoutTurns = strings.Fields("Batch.Edition Batch.Err Batch.KeepPolicy Context.At Context.Attempts " +
	"Context.CycleAt Context.Cycles Context.Edition Context.EndAttempt Context.Erase " +
	"Context.Fork Context.History Context.Log Context.Name Context.Origins Context.ParseAddress Context.Refresh " +
	"Context.Revision Context.String Context.Undo Context.Working Snapshot.At " +
	"Snapshot.Cycle Snapshot.Digest Snapshot.Edition Snapshot.Len Snapshot.Policy Snapshot.String Snapshot.ThreadSize")

// workDone are the calls that read something back after their work is durable. Only these
// return an error with the work done; repeating the call with the same request token is safe.
var workDone = map[string]string{"Context.Erase": "Info", "Context.Fork": "Log", "Context.Undo": "Log"}

// threeCycles makes a context of three cycles with an attempt, and does elsewhere what makes
// calls need a part of the store that they do without otherwise.
func threeCycles(t *testing.T, part string) (*pact.Context, *unreadable) {
	t.Helper()
	s := &unreadable{Contexts: engine.InMemory()}
	c := create(t, dbtest.Of(s), pact.CreateOptions{})
	for i := range 3 {
		_, err := c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{ID: fmt.Sprint("hello-", i+1), Role: "user", Content: "hello"})
			return nil
		}})
		must(t, err)
	}
	start(t, c)
	other, err := pact.Open(background, dbtest.Of(s), c.Name(), nil)
	must(t, err)
	switch part {
	case "Load":
		_, err = other.Erase(background, pact.Erasure{IDs: []string{"hello-2"}, Reason: "r", Random: chance()})
	case "Find":
		_, err = other.Undo(background, &pact.Note{Request: "r"})
	}
	must(t, err)
	return c, s
}

// TestWhatCannotBeReadIsAnError calls every exported method of Context, Snapshot and Batch, each
// on contexts of whose store one part after the other cannot be read. A call that comes upon
// that part returns its error and writes nothing. Any other call returns what it returns of a
// store that can be read. Nothing panics.
func TestWhatCannotBeReadIsAnError(t *testing.T) {
	c, _ := threeCycles(t, "")
	older, err := c.At(background, pact.Cycle(2))
	must(t, err)
	calls := callsOfAll(t, older)
	parts := map[string][]string{"turns": nil}
	for part, names := range neededBy {
		parts[part] = strings.Fields(names)
	}
	for name := range calls {
		if !slices.Contains(withoutTurns, name) {
			parts["turns"] = append(parts["turns"], name)
		}
	}
	for part, want := range parts {
		var met []string
		for name, call := range calls {
			like, _ := threeCycles(t, part)
			c, s := threeCycles(t, part)
			before, err := s.Contexts.List(background)
			must(t, err)
			s.part = part
			if part == "turns" { // of what is loaded from now on
				c, err = pact.Open(background, dbtest.Of(s), c.Name(), nil)
				must(t, err)
			}
			got, readable := call(c), call(like)
			if s.failed == 0 {
				if fault.CodeOf(got) != fault.CodeOf(readable) {
					t.Errorf("%s does not need %s, and returned %v, not %v", name, part, got, readable)
				}
				continue
			}
			met = append(met, name)
			if !errors.Is(got, errUnread) {
				t.Errorf("%s came upon %s, and returned %v", name, part, got)
			}
			after, err := s.Contexts.List(background)
			must(t, err)
			if done := !reflect.DeepEqual(before, after); done != (workDone[name] == part) {
				t.Errorf("%s came upon %s, and left:\n%+v\n%+v", name, part, before, after)
			} else if s.part = ""; done && name != "Context.Erase" {
				must(t, call(c))
				again, err := s.Contexts.List(background)
				must(t, err)
				if !reflect.DeepEqual(after, again) {
					t.Errorf("%s was done twice:\n%+v\n%+v", name, after, again)
				}
			}
		}
		slices.Sort(met)
		slices.Sort(want)
		if !slices.Equal(met, want) {
			t.Errorf("%s is needed by\n%s, not by\n%s", part, met, want)
		}
	}
}
