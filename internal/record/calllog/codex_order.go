package calllog

import (
	"cmp"
	"slices"
)

// inOrderOfTime returns the lines of a rollout in the order of their times, if every line has one,
// and reports whether they were in another. Lines of one time stay as they are.
func inOrderOfTime(list []entry) ([]entry, bool) {
	type timed struct {
		entry
		at int64
	}
	lines := make([]timed, len(list))
	for i, e := range list {
		if lines[i] = (timed{e, timeOf(e.member("timestamp").value())}); lines[i].at == 0 {
			return list, false
		}
	}
	byTime := func(a, b timed) int { return cmp.Compare(a.at, b.at) }
	if slices.IsSortedFunc(lines, byTime) {
		return list, false
	}
	slices.SortStableFunc(lines, byTime)
	ordered := make([]entry, len(lines))
	for i := range lines {
		ordered[i] = lines[i].entry
	}
	return ordered, true
}
