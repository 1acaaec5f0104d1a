package calllog

import (
	"cmp"
	"slices"
)

// inTreeOrder puts the lines of a transcript into the order in which they were
// written, if one of them stands in front of the line above it, as in a copy that
// was sorted or merged: by their times, if all have one, and each behind the line
// above it. Otherwise it returns the list as it is. Cost: sorting.
func inTreeOrder(list []record, found *findings) []record {
	nodes := make([]treeEntry, 0, len(list))
	byID := map[string]int{}
	timed := true
	for _, e := range list {
		said := e.raw().pick("parentUuid", "timestamp", "uuid")
		n := treeEntry{record: e, above: said[0].text(), at: timeOf(said[1].value())}
		if id := said[2].text(); id != "" {
			timed = timed && n.at > 0
			if _, twice := byID[id]; !twice {
				byID[id] = len(nodes)
			}
		}
		nodes = append(nodes, n)
	}
	moved := false
	for i, n := range nodes {
		if at, known := byID[n.above]; known && at > i {
			moved = true
			found.note(n.line, "it stands in front of the line above it; the lines were put in order")
		}
	}
	if !moved {
		return list
	}
	order := make([]int, len(nodes))
	for i := range order {
		order[i] = i
	}
	if timed {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(nodes[a].at, nodes[b].at) })
	}
	ordered := make([]record, 0, len(nodes))
	for _, i := range order {
		var path []int
		for !nodes[i].placed {
			nodes[i].placed = true
			path = append(path, i)
			if above, known := byID[nodes[i].above]; known {
				i = above
			}
		}
		for _, at := range slices.Backward(path) {
			ordered = append(ordered, nodes[at].record)
		}
	}
	return ordered
}

// treeEntry is a line with the id of the line above it and its time.
type treeEntry struct {
	record
	above  string
	at     int64
	placed bool
}
