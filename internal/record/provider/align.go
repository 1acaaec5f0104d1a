package provider

import "sort"

// Align pairs each element of a new thread with the element of the old thread
// that it continues, -1 for none. It keeps the beginning and the end that both
// threads share, and between them the most pairs whose order did not change.
// Where no element occurs twice, no other pairing keeps more. Cost: O(n log n)
// in the elements between.
func Align[K comparable](old, now []K) []int {
	matches := make([]int, len(now))
	start, end := 0, 0
	for start < len(old) && start < len(now) && old[start] == now[start] {
		matches[start] = start
		start++
	}
	for end < len(old)-start && end < len(now)-start && old[len(old)-1-end] == now[len(now)-1-end] {
		end++
		matches[len(now)-end] = len(old) - end
	}
	for j := start; j < len(now)-end; j++ {
		matches[j] = -1
	}
	alignBetween(old[start:len(old)-end], now[start:len(now)-end], func(i, j int) { matches[start+j] = start + i })
	return matches
}

// alignBetween pairs the n-th occurrence of an element on one side with its
// n-th occurrence on the other, and keeps the longest increasing run of pairs.
func alignBetween[K comparable](old, now []K, match func(i, j int)) {
	places := make(map[K][]int)
	for i, k := range old {
		places[k] = append(places[k], i)
	}
	type pair struct{ i, j, before int } // before is the pair that precedes this one in its run
	var pairs []pair
	var ends []int // ends[n] is the pair that ends the run of n+1 pairs with the smallest i
	for j, k := range now {
		if len(places[k]) == 0 {
			continue
		}
		p := pair{i: places[k][0], j: j, before: -1}
		places[k] = places[k][1:]
		n := sort.Search(len(ends), func(n int) bool { return pairs[ends[n]].i >= p.i })
		if n > 0 {
			p.before = ends[n-1]
		}
		pairs = append(pairs, p)
		if n == len(ends) {
			ends = append(ends, 0)
		}
		ends[n] = len(pairs) - 1
	}
	if len(ends) == 0 {
		return
	}
	for at := ends[len(ends)-1]; at >= 0; at = pairs[at].before {
		match(pairs[at].i, pairs[at].j)
	}
}
