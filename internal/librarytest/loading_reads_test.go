package librarytest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// hello commits turn n of a context that every call is made to.
func hello(t *testing.T, c *pact.Context, n int, text string) {
	t.Helper()
	_, err := c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: fmt.Sprint("hello-", n), Role: "user", Content: text, Key: "k"})
		call := b.Add("^ah", pact.Spec{ID: fmt.Sprint("call-", n), Role: "assistant", Kind: "call", Content: "look"})
		b.AddResult(call, pact.Spec{Content: "seen"})
		return nil
	}})
	must(t, err)
}

// settledBytes returns what a store holds of a context whose early turns stand in checkpoints, in
// batches that write it into another store.
func settledBytes(t *testing.T) []*store.Batch {
	t.Helper()
	medium := store.NewMemory()
	db := dbtest.Of(engine.NewHasty(medium, store.Packing{}))
	c := create(t, db, pact.CreateOptions{Edition: selector.Canonical})
	for i := range 12 {
		hello(t, c, i+1, "hello")
	}
	start(t, c)
	_, err := db.Compact(background)
	must(t, err)
	all, gaps := &store.Batch{}, &store.Batch{}
	for space := range store.Space(8) {
		last := int64(0)
		for p, err := range medium.Range(background, store.Span{Space: space, From: "", To: "\xff"}, store.Ascending) {
			must(t, err)
			all.Put = append(all.Put, p)
		}
		for r, err := range medium.Log(background, store.Cut{Space: space, First: 1, Last: store.MaxNumber}, store.Ascending) {
			must(t, err)
			for last++; last < r.Number; last++ { // a log has gaps where cycles were joined
				all.Append = append(all.Append, store.Record{Space: space, Number: last})
				gaps.Cut = append(gaps.Cut, store.Cut{Space: space, First: last, Last: last})
			}
			all.Append = append(all.Append, r)
		}
	}
	return []*store.Batch{all, gaps}
}

// workDone are the calls that read something back after their work is durable. Only these return an error with the
// work done; repeating the call with the same request token is safe.
var workDone = []string{"Context.Erase", "Context.Fork", "Context.Undo"}

// TestEveryReadThatFailsIsAnError makes every exported call on a store of which read n fails, for every
// n: the call returns that error and changes nothing, or what it returns while no read fails. Nothing panics.
func TestEveryReadThatFailsIsAnError(t *testing.T) {
	held := settledBytes(t)
	open := func() (*pact.Context, *pact.Snapshot, *dbtest.Failing) {
		medium := store.NewMemory()
		for _, b := range held {
			must(t, medium.Write(background, b))
		}
		s := &dbtest.Failing{Store: medium}
		c, err := pact.Open(background, pact.NewDB(s), "c", &pact.OpenOptions{Clock: steps()})
		must(t, err)
		older, err := c.At(background, pact.Cycle(3))
		must(t, err)
		return c, older, s
	}
	listed := func(s *dbtest.Failing) string {
		list, err := pact.List(background, pact.NewDB(s.Store))
		must(t, err)
		return fmt.Sprintf("%+v", list)
	}
	_, older, s := open()
	before := listed(s)
	for name := range callsOfAll(t, older) {
		c, older, _ := open()
		readable := failure(callsOfAll(t, older)[name](c))
		for n := int64(1); ; n++ {
			c, older, s := open()
			s.From.Store(n)
			panicked, got := panicOf(func() error { return failure(callsOfAll(t, older)[name](c)) })
			if panicked != nil {
				t.Errorf("%s panics where read %d fails: %v", name, n, panicked)
			} else if s.Failed() && fault.CodeOf(got) != fault.Store {
				t.Errorf("%s returns %v where read %d fails, and %v of a store that can be read", name, got, n, readable)
			} else if after := listed(s); got != nil && after != before && !slices.Contains(workDone, name) {
				t.Errorf("%s returns %v where read %d fails, and left %s", name, got, n, after)
			}
			if !s.Failed() {
				break
			}
		}
	}
}

// panicOf calls f and returns its error, or its panic.
func panicOf(f func() error) (panicked any, err error) {
	defer func() { panicked = recover() }()
	return nil, f()
}
