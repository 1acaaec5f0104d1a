package calllog

import (
	"cmp"
	"crypto/sha256"
	"slices"
)

// inOrderOfTime returns the lines of a rollout in the order of their times, if every line has one, else as they are. Lines
// of one time stay as they are. Where lines were moved, one that stands in the file twice, its time included, is there
// once, and again has the others: two copies of a rollout that were joined say no more than one.
func inOrderOfTime(list []record, found *findings) (ordered, again []record) {
	type timed struct {
		record
		at int64
	}
	lines := make([]timed, len(list))
	for i, e := range list {
		if lines[i] = (timed{e, timeOf(e.member("timestamp").value())}); lines[i].at == 0 {
			return list, nil
		}
	}
	byTime := func(a, b timed) int { return cmp.Compare(a.at, b.at) }
	if slices.IsSortedFunc(lines, byTime) {
		return list, nil
	}
	seen := make(map[[sha256.Size]byte]struct{}, len(lines))
	lines = slices.DeleteFunc(lines, func(l timed) bool {
		sum := sha256.Sum256(l.raw())
		_, twice := seen[sum]
		if seen[sum] = struct{}{}; twice {
			again = append(again, l.record)
			found.add(l.line, "it stands in the file twice and was read once")
		}
		return twice
	})
	if !slices.IsSortedFunc(lines, byTime) {
		found.add(0, "its lines were not in the order of their times, and were put into it")
		slices.SortStableFunc(lines, byTime)
	}
	ordered = make([]record, len(lines))
	for i := range lines {
		ordered[i] = lines[i].record
	}
	return ordered, again
}
