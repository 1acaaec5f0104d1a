package enginetest

import (
	"fmt"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
)

// testAttemptsOfChanges writes attempts in one step with changes: both are there, or neither.
func testAttemptsOfChanges(t *testing.T, s Suite) {
	d := drive(t, s, "steps")
	said := func(text string) func(x *tree.Editor) {
		return func(x *tree.Editor) {
			_, err := x.Add("^ah", tree.Spec{Content: text})
			must(t, err)
		}
	}
	with := func(c engine.Change, a history.Attempt) engine.Change {
		c.Attempt = &a
		return c
	}
	titled := func(x *tree.Editor) { must(t, x.SetRoot("data_title", fmt.Sprint("of revision ", d.state.Revision))) }
	asked := with(d.edited(func(x *tree.Editor) { said("asked")(x); titled(x) }), call(1))
	d.apply(asked)
	first := *asked.Attempt
	if first.ID != "attempt:1-1" {
		t.Fatalf("the attempt is %q", first.ID)
	}
	d.attempts = append(d.attempts, &first)
	d.check()

	// the attempt ends and its cycle is published, and the next one begins with the answer
	end := history.Attempt{ID: first.ID, Status: history.Completed, EndedNS: 3000, Request: "told"}
	sealed := with(d.committed(d.edited(titled), commit.Input{Before: d.state.Head}), end)
	x := tree.Edit(background, sealed.After, sealed.Sealed, sealed.Stamps, d.env())
	said("answered")(x)
	answered := engine.Change{Before: sealed.After, After: x.Tree(), Stamps: x.Stamps,
		Entry: history.Entry{Cycle: x.Stamps.Cycle, TimeNS: d.clock}}
	next := with(answered, call(2))
	refused := map[fault.Code][]engine.Change{
		fault.AttemptNotFound: {with(sealed, history.Attempt{ID: "attempt:1-2", Status: history.Completed}), answered},
		fault.Conflict:        {sealed, with(answered, call(1))}, // cycle 1 is over then
		fault.DocumentInvalid: {sealed, with(answered, history.Attempt{Cycle: 2, Status: history.Running})},
	}
	for code, changes := range refused {
		wantCode(t, d.store.Apply(background, d.state.Key, d.guard(), changes...), code)
		d.check()
	}
	twice := with(answered, end)
	wantCode(t, d.store.Apply(background, d.state.Key, d.guard(), sealed, twice), fault.Conflict)
	wantCode(t, d.store.Apply(background, d.state.Key, engine.Guard{Cycle: 7, Revision: 7}, sealed, next), fault.Conflict)
	d.check()
	d.apply(sealed, next)
	first, second := *sealed.Attempt, *next.Attempt
	if first.Status != history.Completed || first.Request != "told" || first.StartedNS != 1000 || second.ID != "attempt:2-1" {
		t.Errorf("%+v, %+v", first, second)
	}
	d.attempts = append(d.attempts, &second)
	d.check()
}
