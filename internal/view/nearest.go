package view

import "strings"

// Meant returns the first of some known words that is one letter away from a word, or differs from
// it in case alone; "" if there is none.
func Meant(word string, known []string) string {
	for _, other := range known {
		if oneLetterAway(word, other) || strings.EqualFold(word, other) {
			return other
		}
	}
	return ""
}

// oneLetterAway reports whether one inserted, deleted, replaced or swapped
// letter turns a into b.
func oneLetterAway(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 1:
		return a[i:] == b[i+1:]
	case 0:
		if i == len(a) {
			return false
		}
		swapped := i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		return a[i+1:] == b[i+1:] || swapped
	}
	return false
}
