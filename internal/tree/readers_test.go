package tree_test

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// Whoever holds a tree reads it without a lock, however many others do, while
// somebody edits, seals and prepares what comes next. Run with -race.
func TestReadersNeedNoLock(t *testing.T) {
	l := newLong(t, 200)
	type seen struct {
		tree   *tree.Tree
		digest tree.Digest
		thread string
	}
	look := func(tr *tree.Tree) seen {
		var b bytes.Buffer
		if err := tr.WriteThread(background, &b); err != nil {
			t.Error(err)
		}
		return seen{tr, tr.Digest(), b.String()}
	}
	var latest atomic.Pointer[seen]
	first := look(l.tree)
	latest.Store(&first)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			old := &first
			for {
				select {
				case <-done:
					return
				default:
				}
				now := latest.Load()
				if got := look(now.tree); got.thread != now.thread || got.digest != now.digest {
					t.Error("a tree changed under its reader")
					return
				}
				sure.Done(tree.Compare(old.tree, now.tree, func(d tree.Difference) bool {
					if d.New != nil && sure.Get(now.tree.Node(d.New.ID)) == nil {
						t.Errorf("the index has lost %s", d.New.ID)
					}
					return true
				}))
				count := 0
				for range sure.All(now.tree.All()) {
					count++
				}
				if count != now.tree.Len() {
					t.Errorf("nodes: got %d, want %d", count, now.tree.Len())
				}
				for range sure.All(now.tree.Referrers("rule0")) {
				}
				old = now
			}
		})
	}
	for i := range 60 {
		x := l.edit()
		for k, s := range []tree.Spec{{Content: i}, {Offset: 1, Refs: []string{"rule0"}}, {Offset: 1},
			{ID: fmt.Sprint("own", i), Offset: 2}} {
			_, err := x.Add("^ah", s)
			must(t, err)
			working := look(x.Tree()) // readers see the working state as well
			if latest.Store(&working); k == 3 {
				x.Update(fmt.Sprint("own", i), map[string]any{"content": "changed", "refs": []string{"rule0", "sys"}})
				x.Move(fmt.Sprint("own", i), "^sys", 3)
			}
		}
		x.Update("rule0", map[string]any{"content": i})
		x.Remove(fmt.Sprint("own", i-3))
		tr, stamps, err := tree.Seal(x.Tree(), x.Stamps, l.env)
		must(t, err)
		l.tree, l.stamps = tr, stamps
		snapshot := look(tr)
		latest.Store(&snapshot)
	}
	close(done)
	readers.Wait()
}
