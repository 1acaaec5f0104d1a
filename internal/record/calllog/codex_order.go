package calllog

import (
	"cmp"
	"slices"
)

// inOrderOfTime puts the lines of a rollout into the order of their times, if every line has one,
// and reports whether they were in another. Lines of one time stay as they are.
func inOrderOfTime(list []entry) bool {
	type timed struct {
		entry
		at int64
	}
	lines := make([]timed, len(list))
	for i, e := range list {
		if lines[i] = (timed{e, timeOf(e.fields()["timestamp"].value())}); lines[i].at == 0 {
			return false
		}
	}
	byTime := func(a, b timed) int { return cmp.Compare(a.at, b.at) }
	if slices.IsSortedFunc(lines, byTime) {
		return false
	}
	slices.SortStableFunc(lines, byTime)
	for i := range lines {
		list[i] = lines[i].entry
	}
	return true
}
