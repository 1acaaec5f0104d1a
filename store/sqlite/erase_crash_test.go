package sqlite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
)

// erasingChild commits turns and erases every one of them.
func erasingChild(ctx context.Context, path string, _ int) error {
	s, w, err := resume(ctx, path)
	if err != nil {
		return err
	}
	for {
		cycle := w.state.Stamps.Cycle
		if err := w.commit(ctx, fmt.Sprintf("Jane Doe the %dth", cycle), false); err != nil {
			return err
		}
		e := salted(w)
		e.Texts = []string{fmt.Sprintf("Jane Doe the %dth", cycle)}
		if _, err := s.Erase(ctx, w.state.Key, e); err != nil {
			return err
		}
		if err := w.load(ctx, w.state.Key); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(os.Stdout, "ack %d %s\n", cycle, w.state.Head.Digest()); err != nil {
			return err
		}
	}
}

// TestCrashWhileErasing kills a process that erases. All of an erasure is there
// or nothing, one that was acknowledged left nothing behind, and what others
// left behind is cleaned up by a call.
func TestCrashWhileErasing(t *testing.T) {
	t.Parallel()
	kills := testrun.Size(t, 5, 30, 200)
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 3))
	path := filepath.Join(t.TempDir(), "pact.db")
	acknowledged := make(map[int64]string)
	halves := 0
	for range kills {
		crash(t, path, time.Duration(r.IntN(200_000))*time.Microsecond, acknowledged, childErase+"=1")
		if _, err := os.Stat(path); err != nil && len(acknowledged) == 0 {
			continue
		}
		for cycle := range acknowledged {
			searched(t, files(t, path), fmt.Sprintf("Jane Doe the %dth", cycle))
		}
		s := open(t, path)
		info, err := s.Find(t.Context(), "turns")
		if err != nil {
			must(t, s.Close())
			continue
		}
		if damage, err := s.Check(t.Context(), info.Key); err != nil || damage != nil {
			t.Fatalf("%+v, %v", damage, err)
		}
		erased := map[string]bool{}
		recorded := map[int64]string{}
		log, err := s.Log(t.Context(), info.Key, 1, info.Revision)
		must(t, err)
		for _, e := range log {
			if of := e.Erased(); of != nil {
				for _, id := range of.IDs {
					erased[id] = true
				}
			}
			if e.Kind == history.Commit {
				recorded[e.Cycle] = e.Digest
			}
		}
		if info.Cycle >= info.First {
			trees, err := engine.Collect(s.History(t.Context(), info.Key, info.First, info.Cycle))
			must(t, err)
			for _, snapshot := range trees {
				if recorded[snapshot.Cycle()] != snapshot.Digest().String() {
					t.Errorf("cycle %d is recorded otherwise", snapshot.Cycle())
				}
				for e := range sure.All(snapshot.All()) {
					if n := e.Node(); n.Erased() != erased[n.ID] {
						t.Errorf("%s: erased %v, and the log says %v", n.ID, n.Erased(), erased[n.ID])
					}
				}
			}
		}
		if !erased[fmt.Sprintf("block:%d-0", info.Cycle)] {
			halves++
		}
		of, err := s.Erase(t.Context(), 0, engine.Erase{})
		must(t, err)
		if of.Remains != "" {
			t.Errorf("not cleaned up: %s", of.Remains)
		}
		data := files(t, path)
		for id := range erased {
			searched(t, data, fmt.Sprintf("Jane Doe the %dth", tree.GeneratedCycle(id)))
		}
		must(t, s.Close())
		if t.Failed() {
			t.FailNow()
		}
	}
	if n := segmentsIn(t, path); n == 0 && len(acknowledged) > 4 {
		t.Error("no process joined anything")
	}
	t.Logf("%d erasures acknowledged; %d of %d kills came between a commit and its erasure", len(acknowledged), halves,
		kills)
}
