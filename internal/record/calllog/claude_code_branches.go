package calllog

// branchByBranch puts the calls of a transcript whose branches take turns branch by branch, each where it begins: of so many
// turns each would otherwise make the whole conversation of its branch anew. above has for each call the one that its
// conversation goes on from, -1 for none; such a call stays behind the one before it. Cost: linear.
func branchByBranch(calls []Call, above []int) []Call {
	first, next := make([]int, len(calls)), make([]int, len(calls)) // of those behind a call, and behind the same one; 0 for none
	for i := len(calls) - 1; i > 0; i-- {
		behind := above[i]
		if behind < 0 {
			behind = i - 1
		}
		next[i], first[behind] = first[behind], i
	}
	order, left, gone := make([]Call, 0, len(calls)), make([]int, min(len(calls), 1)), make([]bool, len(calls))
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
			c.Branches, gone[from] = gone[from] && i != len(order), true
		}
		order = append(order, c)
	}
	return order
}
