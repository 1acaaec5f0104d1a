package commit_test

import (
	"fmt"
	"testing"

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
