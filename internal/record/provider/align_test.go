package provider

import (
	"math/rand/v2"
	"testing"
)

// longest is the length of the longest common subsequence, by the definition.
func longest(a, b []int) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			table[i][j] = max(table[i+1][j], table[i][j+1])
			if a[i] == b[j] {
				table[i][j] = table[i+1][j+1] + 1
			}
		}
	}
	return table[0][0]
}

// An alignment pairs equal elements in order. Where no element comes twice it
// pairs as many as can be; otherwise at least what both begin and end with.
func TestAlignAgainstTheDefinition(t *testing.T) {
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 3))
		unique := seed%2 == 0
		draw := func() []int {
			if unique {
				return random.Perm(9)[:random.IntN(9)]
			}
			list := make([]int, random.IntN(9))
			for i := range list {
				list[i] = random.IntN(4)
			}
			return list
		}
		a, b := draw(), draw()
		matches := Align(a, b)
		count, last := 0, -1
		for j, i := range matches {
			if i < 0 {
				continue
			}
			if a[i] != b[j] || i <= last {
				t.Fatalf("%v and %v: %v", a, b, matches)
			}
			count, last = count+1, i
		}
		best := longest(a, b)
		if unique && count != best || count > best {
			t.Fatalf("%v and %v: %v pairs %d, the longest run has %d", a, b, matches, count, best)
		}
		ends := 0
		for ends < min(len(a), len(b)) && a[ends] == b[ends] {
			ends++
		}
		for n := 0; ends < min(len(a), len(b)) && n < min(len(a), len(b))-ends && a[len(a)-1-n] == b[len(b)-1-n]; n++ {
			if matches[len(b)-1-n] != len(a)-1-n {
				t.Fatalf("%v and %v: %v", a, b, matches)
			}
		}
		if count < ends {
			t.Fatalf("%v and %v: %v", a, b, matches)
		}
	}
}
