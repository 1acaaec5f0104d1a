package lifecycle_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/tree"
)

// A commit removes exactly what the law removes, for the reason it gives,
// seals, and leaves its input as it was; and the order in which a tree was
// built changes no byte of what comes out (002 §7.3).
func TestCommitFollowsTheLaw(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewSource(seed(rt)))
		for range 20 {
			in, permuted := draw(rng)
			for range 3 { // and what is left of it, cycle after cycle
				l := &law{rt, in, seen}
				got, stamps, report := l.commit()
				if got == nil {
					break
				}
				if permuted.Working != nil {
					l.again(permuted, got, stamps, report)
				}
				in.Before, in.Working, in.Stamps = got, got.WithCycle(stamps.Cycle), stamps
				in.Prune, in.Chosen, in.Idle, permuted.Working = nil, nil, nil, nil
				for _, h := range report.Held {
					if h.Reason == lifecycle.Cascaded {
						in.Idle = append(in.Idle, h.ID)
					}
				}
				if len(model(in).due(in.Stamps.Cycle)) > 12 {
					break
				}
			}
		}
	})
	t.Logf("what happened, how often: %v", seen)
	for _, what := range []string{"expired", "cascade", "pruned", "orphan", "stub", "waiting", "kept", "refused", "budget",
		"lapsed", "left alone"} {
		if seen[what] == 0 {
			t.Errorf("no commit had to do with: %s", what)
		}
	}
}

// law is a commit that is held to the model.
type law struct {
	*rapid.T
	in   lifecycle.Input
	seen map[string]int
}

func (l *law) same(what string, got, want any) {
	l.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		l.Fatalf("%s\n got %s\nwant %s\n\npolicy %+v named %q chosen %q idle %q\n%s", what, g, w, l.in.Policy, l.in.Prune,
			l.in.Chosen, l.in.Idle, show(l.in.Working))
	}
}

// commit commits and compares. It returns nothing where the law refuses.
func (l *law) commit() (*tree.Tree, tree.Stamps, lifecycle.Report) {
	in := l.in
	before := in.Working.Digest()
	got, stamps, report, err := lifecycle.Commit(context.Background(), in)

	want := model(in)
	due := want.due(in.Stamps.Cycle)
	var old bag
	if in.Before != nil {
		old = read(in.Before)
	}
	want.expire()
	alone := want.lapse(in, read(in.Working), old)
	start := want.clone()
	p := want.prune(in)
	freed := start.freed(want)
	said, refused := want.mend(in, old)
	if refused != "" {
		e, _ := err.(*fault.Error)
		if e == nil || e.Code != fault.PlacementInvalid || e.Node != refused {
			l.same("error", err, "E_PLACEMENT_INVALID for "+refused)
		}
		l.seen["refused"]++
		return nil, stamps, report
	}
	l.same("error", err, nil)
	l.removals(report, want)
	l.places(got, want)
	l.same("thread", thread(got), want.thread())
	for id := range want.lapsed {
		said[id] = true
	}
	l.holds(got, report, due, p)
	var left []string
	for _, h := range report.Held {
		if h.Reason == lifecycle.Orphaned {
			left = append(left, h.ID)
		}
	}
	l.same("left alone and held", sorted(left), sorted(alone))
	l.seen["lapsed"] += len(want.lapsed) - len(alone)
	l.seen["left alone"] += len(alone)

	var orphans []string
	for _, o := range report.Orphans {
		orphans = append(orphans, o.ID)
	}
	l.same("orphans", sorted(orphans), slices.Sorted(maps.Keys(said)))
	missed := want.missed(limitsOf(in.Policy))
	switch {
	case missed != "" && p.waits != nil:
		missed += ": pruning waits"
	case missed != "":
		missed += ": everything else is protected or part of a core"
	}
	l.same("budget", report.Budget, missed)
	l.same("waiting", report.Waiting != nil, p.waits != nil)
	if p.waits != nil {
		l.same("what waits", *report.Waiting, *p.waits)
	}
	if report.Freed != nil {
		l.same("freed", *report.Freed, freed)
	}
	l.same("whether anything is said to be freed", report.Freed != nil, p.took)
	l.same("digest of the input", in.Working.Digest(), before)
	l.again(in, got, stamps, report)
	l.count(report, missed, p)
	return got, stamps, report
}

// seed draws evenly: rapid's own integers prefer small ones.
func seed(t *rapid.T) (n int64) {
	for _, bit := range rapid.SliceOfN(rapid.Bool(), 40, 40).Draw(t, "seed") {
		if n *= 2; bit {
			n++
		}
	}
	return n
}
