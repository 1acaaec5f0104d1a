// Package nearest finds the known word that somebody meant who wrote another one.
package nearest

import "strings"

// Word returns the first of some known words that is one letter away from a word, or differs from
// it in case alone; "" if there is none.
func Word(word string, known []string) string {
	for _, other := range known {
		if OneLetterAway(word, other) || strings.EqualFold(word, other) {
			return other
		}
	}
	return ""
}

// OneLetterAway reports whether one inserted, deleted, replaced or swapped
// letter turns a into b.
func OneLetterAway(a, b string) bool {
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

// Remedy asks whether that word was meant, and otherwise says what else helps.
func Remedy(word string, known []string, otherwise string) string {
	if meant := Word(word, known); meant != "" {
		return "did you mean " + meant + "?"
	}
	return otherwise
}
