package content

import (
	"slices"
	"sort"
)

// anchor is a piece that stands at a place in each of two lists.
type anchor struct{ a, b int }

// anchors returns a longest sequence of pieces that occur exactly once in each of
// two lists and stand in the same order in both. Cost: O(n log n).
func anchors(a, b []string) []anchor {
	type seen struct {
		inA, inB int
		at       anchor
	}
	pieces := make(map[string]*seen)
	of := func(p string) *seen {
		s := pieces[p]
		if s == nil {
			s = new(seen)
			pieces[p] = s
		}
		return s
	}
	for i, p := range a {
		s := of(p)
		s.inA++
		s.at.a = i
	}
	for i, p := range b {
		s := of(p)
		s.inB++
		s.at.b = i
	}
	// Find the longest sequence that ascends in both lists. ends[n] is the anchor
	// with the earliest place in b that ends a sequence of n+1 anchors; before
	// holds the predecessor of each anchor.
	var once []anchor
	for i, p := range a {
		if s := pieces[p]; s.inA == 1 && s.inB == 1 {
			once = append(once, anchor{i, s.at.b})
		}
	}
	ends, before := []int{}, make([]int, len(once))
	for i, m := range once {
		n := sort.Search(len(ends), func(k int) bool { return once[ends[k]].b >= m.b })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	var list []anchor
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = before[i] {
			list = append(list, once[i])
		}
	}
	slices.Reverse(list)
	return list
}
