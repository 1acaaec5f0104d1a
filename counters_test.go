package pact_test

import (
	"strings"
	"sync/atomic"
)

// wordCounter counts a word as a token, and how often it is asked.
type wordCounter struct{ asked *int }

func (wordCounter) Name() string { return "words" }

func (w wordCounter) Count(text string) int {
	if w.asked != nil {
		*w.asked++
	}
	return len(strings.Fields(text))
}

// vowels counts a token for each, and one for the text.
type vowels struct{}

func (vowels) Name() string { return "vowels" }

func (vowels) Count(text string) int {
	return 1 + strings.Count(text, "e") + strings.Count(text, "u")
}

// spy says how often it was asked.
type spy struct{ asked *atomic.Int64 }

func (spy) Name() string { return "spy" }

func (s spy) Count(string) int { s.asked.Add(1); return 1 }
