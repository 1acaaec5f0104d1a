package lifecycle_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/tree"
)

// A commit removes exactly what the law removes, for the reason it gives,
// seals, and leaves its input as it was.
func TestCommitFollowsTheLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewSource(seed(rt)))
		for range 20 {
			in := draw(rng)
			for range 3 { // and what is left of it, cycle after cycle
				in.Working, in.Stamps = commitFollowsTheLaw(rt, in)
				in.Working, in.Prune = in.Working.WithCycle(in.Stamps.Cycle), nil
				if len(model(in).due(in.Stamps.Cycle)) > 12 {
					break
				}
			}
		}
	})
}

func commitFollowsTheLaw(rt *rapid.T, in lifecycle.Input) (*tree.Tree, tree.Stamps) {
	fail := func(what string, got, want any) {
		rt.Helper()
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			rt.Fatalf("%s\n got %s\nwant %s\n\npolicy %+v named %q\n%s", what, g, w, in.Policy, in.Prune, show(in.Working))
		}
	}
	before := in.Working.Digest()
	got, stamps, report, err := lifecycle.Commit(context.Background(), in)
	if err != nil {
		rt.Fatalf("%v\n%s", err, show(in.Working))
	}

	want := model(in)
	due := want.due(in.Stamps.Cycle)
	want.expire(in.Stamps.Cycle)
	want.prune(in.Prune, in.Policy.MaxNodes, in.Policy.ProtectTurns)
	removed := map[string]string{}
	for _, r := range report.Removed {
		if _, twice := removed[r.ID]; twice {
			rt.Fatalf("%s is reported as removed twice", r.ID)
		}
		removed[r.ID] = string(r.Reason)
	}
	fail("removed", removed, want.removed)

	left := slices.Sorted(maps.Keys(want.bag))
	var stayed []string
	for _, id := range left {
		if got.Has(id) {
			stayed = append(stayed, id)
		}
	}
	head := in.Working.Region(tree.Head).Node().ID
	fail("what stays, the head aside, which becomes a turn", stayed, slices.DeleteFunc(left, func(id string) bool { return id == head }))

	heldDue, heldEmpty, wantDue, wantEmpty := []string{}, []string{}, []string{}, []string{}
	for _, h := range report.Held {
		switch h.Reason {
		case lifecycle.Expired:
			heldDue = append(heldDue, h.ID)
		case lifecycle.Cascaded:
			heldEmpty = append(heldEmpty, h.ID)
		}
	}
	for _, id := range due {
		if want.removed[id] != "expired" {
			wantDue = append(wantDue, id)
		}
	}
	for id := range want.lost {
		if i := want.bag[id]; i != nil && i.removable && i.class == "container" && !want.core(id) && len(want.children(id)) == 0 {
			wantEmpty = append(wantEmpty, id)
		}
	}
	fail("expired and held", sorted(heldDue), sorted(wantDue))
	for _, id := range wantEmpty {
		fail("whether the hold of the empty "+id+" is reported", slices.Contains(heldEmpty, id), true)
	}
	for _, id := range heldEmpty {
		fail("whether the held "+id+" is there", got.Has(id), true)
	}

	if limit := in.Policy.MaxNodes; limit > 0 {
		s := got.Root().Summary()
		fail("nodes of the snapshot", s.Blocks+s.Containers, want.count())
		fail("whether the budget is reported as exceeded", report.Budget != "", want.count() > limit)
	}
	fail("digest of the input", in.Working.Digest(), before)
	again, stampsAgain, reportAgain, err := lifecycle.Commit(context.Background(), in)
	if err != nil {
		rt.Fatal(err)
	}
	fail("digest of a second commit", again.Digest(), got.Digest())
	fail("stamps of a second commit", stampsAgain, stamps)
	fail("removals of a second commit", reportAgain.Removed, report.Removed)
	fail("holds of a second commit", reportAgain.Held, report.Held)
	return got, stamps
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
