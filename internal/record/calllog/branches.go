package calllog

// branchByBranch puts the calls of a transcript whose branches take turns branch by branch, each where it begins: of so many
// turns each would otherwise make the whole conversation of its branch anew. above has for each call the one that its
// conversation goes on from, -1 for none; such a call stays behind the one before it. A branch that begins before an earlier
// one from the same call ends takes turns with it. Cost: linear.
func branchByBranch(calls []Call, above []int) []Call {
	branches := false
	for i, from := range above {
		branches = branches || from >= 0 && from != i-1
	}
	if !branches {
		return calls
	}
	first, next := make([]int, len(calls)), make([]int, len(calls)) // of those behind a call, and behind the same one; 0 for none
	last := make([]int, len(calls))                                 // of a call and those behind it
	for i := len(calls) - 1; i > 0; i-- {
		behind := above[i]
		if behind < 0 {
			behind = i - 1
		}
		next[i], first[behind] = first[behind], i
		last[i] = max(last[i], i)
		last[behind] = max(last[behind], last[i])
	}
	order, left, ends := make([]Call, 0, len(calls)), make([]int, min(len(calls), 1)), make([]int, len(calls))
	for len(left) > 0 {
		i := left[len(left)-1]
		left = left[:len(left)-1]
		if next[i] > 0 {
			left = append(left, next[i])
		}
		if first[i] > 0 {
			left = append(left, first[i])
		}
		c := calls[i]
		if from := above[i]; from >= 0 {
			c.Branches, ends[from] = ends[from] > i, max(ends[from], last[i])
		}
		order = append(order, c)
	}
	return order
}
