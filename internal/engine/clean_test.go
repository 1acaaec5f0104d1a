package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/store"
)

// untidy is a medium whose clean-up ends as it is told.
type untidy struct {
	*store.Memory
	remains string
	err     error
	cleaned int
}

func (u *untidy) Clean(context.Context) (string, error) {
	u.cleaned++
	return u.remains, u.err
}

// An erasure has the medium clean up, and what could not be cleaned is found and cleaned later.
func TestErasureCleansUp(t *testing.T) {
	medium := &untidy{Memory: store.NewMemory()}
	e := engine.New(medium, store.Packing{})
	t.Cleanup(func() { e.Close() })
	w := begin(t, e, "c")
	erase := func(text string, only bool) *history.Erased {
		t.Helper()
		info, err := e.Info(background, w.key)
		must(t, err)
		order := engine.Erase{DryRun: only}
		if text != "" {
			order = engine.Erase{Texts: []string{text}, Guard: engine.Guard{Cycle: info.Cycle, Revision: info.Revision},
				Salt: []byte("0123456789abcdef0123456789abcdef"), Entry: history.Entry{Message: "asked for"}}
		}
		done, err := e.Erase(background, w.key, order)
		must(t, err)
		return done
	}
	for i := range 4 {
		must(t, w.commit(said(i)))
	}
	for i, c := range []struct {
		remains string
		err     error
	}{{"", nil}, {"old pages are still there", nil}, {"", errors.New("the disk is full")}} {
		medium.remains, medium.err, medium.cleaned = c.remains, c.err, 0
		done := erase(said(i), false)
		want := c.remains
		if c.err != nil {
			want = c.err.Error()
		}
		if done.Remains != want || medium.cleaned != 1 {
			t.Errorf("%+v: cleaned %d times, %q remains", c, medium.cleaned, done.Remains)
		}
		if left := erase("", true).Remains; (left == "") != (want == "") || medium.cleaned != 1 {
			t.Errorf("%+v: afterwards %q is left to do", c, left)
		}
		medium.remains, medium.err = "", nil
		if done := erase("", false); done.Remains != "" {
			t.Errorf("%+v: a later call leaves %q", c, done.Remains)
		}
		if left := erase("", true).Remains; left != "" {
			t.Errorf("%+v: after a later call %q is left to do", c, left)
		}
	}
}
