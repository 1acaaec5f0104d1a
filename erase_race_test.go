package pact_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
)

// TestEraseBesideWriters erases while others commit to forks, fork and open
// contexts. Afterwards nobody has the text: no snapshot, and no context that
// was open all along or came about meanwhile.
func TestEraseBesideWriters(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			var now atomic.Int64
			clock := func() int64 { return now.Add(1) } // forks have the one of their origin
			c := create(t, s, pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: clock}})
			must(t, c.Edit(background, say("I am Jane Doe"), nil))
			for range 3 {
				_, err := c.Commit(background, nil)
				must(t, err)
			}
			var mu sync.Mutex
			all := []*pact.Context{c}
			note := func(x *pact.Context) {
				mu.Lock()
				defer mu.Unlock()
				all = append(all, x)
			}
			var writers sync.WaitGroup
			for w := range 3 {
				writers.Go(func() {
					for i := range 6 {
						f, err := c.Fork(background, pact.Cycle(int64(i%3+1)), fmt.Sprint("fork ", w, " ", i), nil)
						if err != nil {
							t.Error(err)
							return
						}
						note(f)
						again, err := pact.Open(background, s, f.Name(), &pact.OpenOptions{Clock: clock})
						if err != nil {
							t.Error(err)
							return
						}
						note(again)
						for _, x := range []*pact.Context{f, again} {
							err := x.Edit(background, say(fmt.Sprint("written ", i)), nil)
							if err == nil {
								_, err = x.Commit(background, nil)
							}
							if err != nil && !errors.Is(err, fault.Conflict) {
								t.Error(err)
							}
						}
					}
				})
			}
			erased := false
			for try := range 200 {
				e := pact.Erasure{Texts: []string{"Jane"}, Reason: "asked for", Random: rand.NewChaCha8([32]byte{byte(try)})}
				of, err := c.Erase(background, e)
				if errors.Is(err, fault.Conflict) {
					continue // the others were here again and again
				}
				must(t, err)
				if erased = of.Versions > 0; erased {
					break
				}
			}
			writers.Wait()
			if !erased {
				_, err := c.Erase(background, pact.Erasure{Texts: []string{"Jane"}, Reason: "asked for", Random: chance()})
				must(t, err)
			}
			for _, x := range all {
				text, err := textAt(t, x, pact.Working())
				must(t, err)
				text += textOf(t, x.Working()) // which was loaded for At at the latest
				first, last := x.Cycles()
				for cycle := first; cycle <= last; cycle++ {
					snapshot, err := x.At(background, pact.Cycle(cycle))
					must(t, err)
					text += textOf(t, snapshot)
				}
				if strings.Contains(text, "Jane") || !strings.Contains(text, "[erased]") {
					t.Errorf("%s still has the text", x.Name())
				}
			}
			if list := verdicts(t, s); len(list) > 0 {
				t.Errorf("verify says %q", list)
			}
		})
	}
}

// TestForkBesideAnErasure forks in a process that has the context open since
// before an erasure by another one.
func TestForkBesideAnErasure(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	one, other := opened(t, path), opened(t, path)
	c := create(t, one)
	must(t, c.Edit(background, say("I am Jane Doe"), nil))
	_, err := c.Commit(background, nil)
	must(t, err)
	stale, err := pact.Open(background, other, "c", &pact.OpenOptions{Clock: steps()})
	must(t, err)
	_, err = stale.Working().Thread(background) // which keeps the bytes
	must(t, err)
	_, err = c.Erase(background, erasure("cb:1-0"))
	must(t, err)
	f, err := stale.Fork(background, pact.Latest(), "fork", nil)
	must(t, err)
	if strings.Contains(textOf(t, f.Working()), "Jane") {
		t.Error("the fork begins before the erasure")
	}
	must(t, f.Edit(background, say("and on"), nil))
	_, err = f.Commit(background, nil)
	must(t, err)
	if err := stale.Edit(background, say("late"), nil); !errors.Is(err, fault.Conflict) {
		t.Errorf("a writer who did not notice: %v", err)
	}
	if text, err := textAt(t, stale, pact.Latest()); err != nil || strings.Contains(text, "Jane") {
		t.Errorf("the latest snapshot is %s, %v", text, err)
	}
	if strings.Contains(textOf(t, stale.Working()), "Jane") {
		t.Error("it is still there after the context was read again")
	}
	if list := verdicts(t, other); len(list) > 0 {
		t.Errorf("verify says %q", list)
	}
}
