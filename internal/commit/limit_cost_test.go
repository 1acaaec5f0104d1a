package commit_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// limited is a policy under which a long context is at a limit as it is.
type limited struct {
	name   string
	policy lifecycle.Policy
}

func atLimit(l *long) []limited {
	l.tb.Helper()
	turns := l.tree.Region(tree.Seq).Children().Len()
	_, bytes := l.tree.ThreadSize()
	sum := l.tree.Root().Summary()
	tokens, err := tree.Tokens(l.in.Counter).Sum(l.tb.Context(), l.tree.Root())
	if err != nil {
		l.tb.Fatal(err)
	}
	nodes := sum.Blocks + sum.Containers
	part := func(p lifecycle.Part) lifecycle.Policy { return lifecycle.Policy{Parts: []lifecycle.Part{p}} }
	return []limited{
		{"turns", lifecycle.Policy{MaxTurns: turns}},
		{"tokens", lifecycle.Policy{MaxTokens: int(tokens)}},
		{"bytes", lifecycle.Policy{MaxBytes: int(bytes)}},
		{"nodes", lifecycle.Policy{MaxNodes: nodes}},
		{"half of the turns protected", lifecycle.Policy{MaxTurns: turns, ProtectTurns: turns / 2}},
		{"a kind", part(lifecycle.Part{Kind: "result", MaxTokens: 3 * turns})},
		{"a tag", part(lifecycle.Part{Tag: "x", MaxNodes: turns})},
		{"a region", part(lifecycle.Part{Region: "^seq", MaxNodes: nodes - 1})},
		{"all turns protected", lifecycle.Policy{MaxNodes: 100, ProtectTurns: 1 << 40}},
		{"out of reach", part(lifecycle.Part{Region: "^ah", MaxNodes: 1})}, // the core has two
	}
}

// A commit at a limit passes over all that may help it. It tries what goes and no more, however much there is, and makes
// at most twice the allocations of one without a limit.
func TestCostOfACommitAtALimit(t *testing.T) {
	testrun.CountsAllocations(t)
	testrun.Long(t, "builds long histories")
	sizes := []int{1_000, 16_000}
	allocs, tried := map[string][]float64{}, map[string][]int{}
	for _, turns := range sizes {
		whole := longContext(t, turns, 0)
		for _, c := range append(atLimit(whole), limited{"no limit", lifecycle.Policy{}}) {
			l := *whole
			asked := 0
			l.in.Policy, l.in.Retained = c.policy, func(string) bool { asked++; return false }
			l.turn()
			l.turn()
			asked = 0
			n := testing.AllocsPerRun(40, func() {
				if report := l.turn(); len(report.Removed) > 0 == c.policy.Empty() {
					t.Errorf("%s: %d nodes went", c.name, len(report.Removed))
				}
			})
			t.Logf("%-28s %6d turns: %4.0f allocations, %2d nodes tried", c.name, turns, n, asked/41)
			allocs[c.name], tried[c.name] = append(allocs[c.name], n), append(tried[c.name], asked/41)
		}
	}
	for name, n := range allocs {
		if n[1] > 1.5*n[0] {
			t.Errorf("%s: %.0f allocations at %d turns, %.0f at %d", name, n[1], sizes[1], n[0], sizes[0])
		}
		if none := allocs["no limit"]; n[0] > 2*none[0] || n[1] > 2*none[1] {
			t.Errorf("%s: %.0f allocations, against %.0f without a limit", name, n, none)
		}
		if k := tried[name]; k[1] > k[0]+2 || k[1] > 30 {
			t.Errorf("%s: %d nodes were tried at %d turns, %d at %d", name, k[1], sizes[1], k[0], sizes[0])
		}
	}
}

// What may help a limit takes room for the nodes there and for what may go, also where the oldest block helps nothing.
// Where no turn can help, or few blocks may, a commit that leaves the limit exceeded takes the same room however long the
// history is.
func TestRoomOfACommitAtALimit(t *testing.T) {
	testrun.CountsAllocations(t)
	pinned := tree.Header{Name: "pinned", Value: canon.True}
	for _, c := range []struct {
		name string
		part func(turns int) lifecycle.Part
		each float64 // bytes for each turn more, at most
	}{
		{"a kind in each second turn", func(n int) lifecycle.Part { return lifecycle.Part{Kind: "result", MaxNodes: n/2 - 5} }, 200},
		{"^sys is pinned", func(int) lifecycle.Part { return lifecycle.Part{Region: "^sys", MaxNodes: 1} }, 5},
		{"a kind in ^sys alone", func(int) lifecycle.Part { return lifecycle.Part{Kind: "rule", MaxNodes: 1} }, 5},
		{"a rare kind is pinned", func(int) lifecycle.Part { return lifecycle.Part{Kind: "rare", MaxNodes: 1} }, 5},
	} {
		room := func(turns int) float64 {
			in := loose(t, turns, func(i int) tree.Node {
				switch {
				case i == 7 || i == 8:
					return tree.Node{Headers: headers("rare", pinned)}
				case i%2 == 1:
					return tree.Node{Headers: headers("result")}
				}
				return tree.Node{Headers: headers("note")}
			}, tree.Node{ID: "r0", Type: "block", Headers: headers("rule", pinned)},
				tree.Node{ID: "r1", Type: "block", Offset: 1, Headers: headers("rule", pinned)})
			in.Policy = lifecycle.Policy{Parts: []lifecycle.Part{c.part(turns)}}
			var before, after runtime.MemStats
			for range 2 { // the first time counts what counts
				runtime.ReadMemStats(&before)
				if _, _, _, err := commit.Run(t.Context(), in); err != nil {
					t.Fatal(err)
				}
				runtime.ReadMemStats(&after)
			}
			return float64(after.TotalAlloc - before.TotalAlloc)
		}
		few, many := room(500), room(4500)
		each := (many - few) / 4000
		t.Logf("%-28s %6.0f bytes at 500 turns, %.1f for each turn more", c.name, few, each)
		if each > c.each {
			t.Errorf("%s: %.1f bytes for each turn more, not %.0f at most", c.name, each, c.each)
		}
	}
}

// What is kept ahead of all that goes is said in every report, and costs what the
// report does.
func TestCostOfACommitAtALimitGrowsWithWhatItsReportSays(t *testing.T) {
	testrun.Long(t, "builds long histories")
	pinned := func(of int) func(i int) tree.Node {
		return func(i int) tree.Node {
			n := tree.Node{Headers: headers("note")}
			if i < of {
				n.Headers = append(n.Headers, tree.Header{Name: "pinned", Value: canon.True})
			}
			return n
		}
	}
	for _, turns := range []int{1_000, 16_000} {
		in := loose(t, turns, pinned(20))
		in.Policy = lifecycle.Policy{MaxTurns: turns}
		asked := 0
		in.Retained = func(string) bool { asked++; return false }
		_, _, report, err := commit.Run(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "turns that are kept and said to be", len(report.Kept), 20)
		equal(t, "what went", report.Removed[0].ID, "turn20")
		if asked > 4*21+20 {
			t.Errorf("%d turns: %d nodes were tried for 20 that are kept and one turn that goes", turns, asked)
		}
	}
}

// Candidates that come first and can help no limit are passed over.
func TestCandidatesThatHelpNoLimitAreNotLookedAt(t *testing.T) {
	testrun.Long(t, "builds long histories")
	for _, turns := range []int{1_000, 16_000} {
		in := loose(t, turns, func(i int) tree.Node { return tree.Node{Priority: -1, Headers: headers("note")} })
		for _, c := range []struct {
			policy lifecycle.Policy
			goes   int
		}{
			{lifecycle.Policy{MaxTurns: turns}, 3},
			{lifecycle.Policy{Parts: []lifecycle.Part{{Kind: "text", MaxNodes: 1}}}, 0},
			{lifecycle.Policy{MaxTurns: turns, ProtectTurns: turns - 100}, 3},
		} {
			in.Policy = c.policy
			asked := 0
			in.Retained = func(string) bool { asked++; return false }
			_, _, report, err := commit.Run(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "removed", len(report.Removed), c.goes)
			if asked > 5 {
				t.Errorf("%+v: %d nodes were tried where %d go", c.policy, asked, c.goes)
			}
		}
	}
}

// BenchmarkCommitAtALimit commits turns where each makes as much go as it brings,
// and the same without a limit.
func BenchmarkCommitAtALimit(b *testing.B) {
	for _, turns := range []int{1_000, 10_000, 100_000} {
		whole := longContext(b, turns, 0)
		for _, c := range append([]limited{{"no limit", lifecycle.Policy{}}}, atLimit(whole)...) {
			b.Run(fmt.Sprintf("%s/turns=%d", c.name, turns), func(b *testing.B) {
				l := *whole
				l.in.Policy = c.policy
				l.turn()
				b.ReportAllocs()
				for b.Loop() {
					l.turn()
				}
			})
		}
	}
}
