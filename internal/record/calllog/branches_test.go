package calllog

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// ordered returns the numbers of calls branch by branch, and which of them branch.
func ordered(above []int) (order []int, branches []bool) {
	calls := make([]Call, len(above))
	for i := range calls {
		calls[i].ID = strconv.Itoa(i)
	}
	branches = make([]bool, len(above))
	for _, c := range branchByBranch(calls, above) {
		i, _ := strconv.Atoi(c.ID)
		order, branches[i] = append(order, i), c.Branches
	}
	return order, branches
}

// A call that branches is said to, also where its place among all calls is the one that it had.
func TestABranchThatKeepsItsPlace(t *testing.T) {
	// 0-1-2-5
	//  |  `-4
	//  `-3
	order, branches := ordered([]int{-1, 0, 1, 0, 1, 2})
	if !slices.Equal(order, []int{0, 1, 2, 5, 4, 3}) || !slices.Equal(branches, []bool{3: true, 4: true, 5: false}) {
		t.Errorf("%v, %v", order, branches)
	}
}

// TestBranchesTakeTurns compares drawn trees of calls with what a branch is: it begins behind the same call as an earlier
// one, and before the last call of that one.
func TestBranchesTakeTurns(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		above := make([]int, 1+random.IntN(12))
		for i := range above {
			if above[i] = -1; i > 0 && random.IntN(8) > 0 {
				above[i] = random.IntN(i)
			}
		}
		behind := func(i int) int { // the call that another one stands behind
			if above[i] < 0 {
				return i - 1
			}
			return above[i]
		}
		within := func(i, of int) bool { // whether a call is another one or stands behind it
			for ; i > of; i = behind(i) {
			}
			return i == of
		}
		want := make([]bool, len(above))
		for i := range above {
			for earlier := range i {
				if above[i] >= 0 && above[earlier] == above[i] {
					for later := i + 1; later < len(above); later++ {
						want[i] = want[i] || within(later, earlier)
					}
				}
			}
		}
		if _, branches := ordered(above); !slices.Equal(branches, want) {
			t.Fatalf("of %v branch %v, want %v", above, branches, want)
		}
	}
}
