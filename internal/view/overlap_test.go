package view

import (
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
)

// The calls that a fork has of its origin count once as long as the origin is there.
func TestAForkOfADeletedContextInheritsNothing(t *testing.T) {
	ctx, db := t.Context(), pact.NewDB(store.NewMemory())
	c, err := pact.Create(ctx, db, "run", nil)
	for range 3 {
		if err == nil {
			_, err = c.Commit(ctx, nil)
		}
	}
	if err == nil {
		_, err = c.Fork(ctx, pact.Cycle(2), "fork", nil)
	}
	if err == nil {
		_, err = pact.Create(ctx, db, "run/summary-1", nil)
	}
	k, err2 := RelationsOf(ctx, db)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	if got := k.Overlap("fork"); got.Inherited != 2 {
		t.Errorf("got %+v", got)
	}
	if got := k.Overlap("run"); got.Inherited != 0 || !slices.Equal(got.Beside, []string{"run/summary-1"}) {
		t.Errorf("got %+v", got)
	}
	must(t, pact.Delete(ctx, db, "run"))
	if k, err = RelationsOf(ctx, db); err != nil || k.Overlap("fork").Inherited != 0 {
		t.Errorf("%+v, %v", k.Overlap("fork"), err)
	}
}

func TestWhichContextStandsForAFile(t *testing.T) {
	for _, c := range []struct {
		names []string
		own   []int64
		want  int
	}{
		{nil, nil, -1},
		{[]string{"run/summary-1"}, []int64{9}, 0},
		{[]string{"run/summary-1", "run"}, []int64{9, 2}, 1},
		{[]string{"run", "run/summary-1", "run-2"}, []int64{2, 9, 3}, 2},
		{[]string{"run", "run-2"}, []int64{3, 3}, 0},
	} {
		if got := Standing(c.names, c.own); got != c.want {
			t.Errorf("%v with %v: got %d, want %d", c.names, c.own, got, c.want)
		}
	}
}

// Of the contexts of a file the one with most calls of its own stands for it: those that a fork has of its origin are
// not its own.
func TestAForkStandsByItsOwnCalls(t *testing.T) {
	db := pact.NewDB(store.NewMemory())
	c, err := pact.Create(t.Context(), db, "run", nil)
	must(t, err)
	say := func(c *pact.Context) {
		_, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Role: "user", Content: "Hello"})
			return nil
		}})
		must(t, err)
	}
	say(c)
	fork, err := c.Fork(t.Context(), pact.Cycle(1), "again", nil)
	must(t, err)
	say(fork)
	for i, list := range [][]*pact.Context{nil, {fork}, {c, fork}} { // one call of one block, against one of two
		if got, err := StandingIn(t.Context(), db, list); err != nil || got != i-1 {
			t.Errorf("of %d contexts the one at %d stands, want %d, %v", len(list), got, i-1, err)
		}
	}
	say(c)
	if got, err := StandingIn(t.Context(), db, []*pact.Context{c, fork}); err != nil || got != 0 { // three blocks against two
		t.Errorf("the context at %d stands, want 0, %v", got, err)
	}
}

var must = testrun.Must
