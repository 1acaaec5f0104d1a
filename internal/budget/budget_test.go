package budget_test

import (
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"pgregory.net/rapid"
)

// TestABudgetIsSpentOnce compares what a budget lets through with the sum of what was asked:
// everything until the sum is above the limit, nothing from then on.
func TestABudgetIsSpentOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		most := rapid.Int64Range(0, 1000).Draw(rt, "most")
		nodes, snapshots := budget.With(t.Context(), most, 0), budget.With(t.Context(), 0, most)
		sum := int64(0)
		for _, n := range rapid.SliceOf(rapid.Int64Range(0, 300)).Draw(rt, "asked") {
			if n == 0 {
				continue
			}
			sum += n
			if err := budget.Nodes(nodes, int(n)); (fault.CodeOf(err) == fault.Limit) != (sum > most) {
				rt.Fatalf("after %d of %d nodes: %v", sum, most, err)
			}
			if err := budget.Snapshots(snapshots, n); (fault.CodeOf(err) == fault.Limit) != (sum > most) {
				rt.Fatalf("after %d of %d snapshots: %v", sum, most, err)
			}
			if err := budget.Nodes(t.Context(), int(n)); err != nil {
				rt.Fatal(err)
			}
		}
	})
}
