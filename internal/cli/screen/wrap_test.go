package screen

import (
	"math/rand/v2"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
)

// A wrapped line fits its columns, has all its words in their order, and is not
// broken where the next word would have fitted.
func TestWrappedLinesFit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		words := make([]string, 1+r.IntN(12))
		for i := range words {
			words[i] = strings.Repeat([]string{"a", "é", "日"}[r.IntN(3)], 1+r.IntN(14))
		}
		width := 2 + r.IntN(40)
		line := strings.Repeat(" ", r.IntN(6)) + strings.Join(words, " ")
		list := WrapLine(line, width)
		for i, got := range list {
			if lipgloss.Width(got) > width {
				t.Fatalf("%q at %d: line %q has %d columns", line, width, got, lipgloss.Width(got))
			}
			if i > 0 {
				next, _, _ := strings.Cut(strings.TrimSpace(got), " ")
				before := list[i-1]
				whole := strings.Contains(" "+line+" ", " "+next+" ")
				if whole && lipgloss.Width(before)+1+lipgloss.Width(next) <= width && !strings.Contains(next, before) {
					t.Fatalf("%q at %d: %q would have fitted behind %q", line, width, next, before)
				}
			}
		}
		if got := strings.ReplaceAll(strings.Join(list, ""), " ", ""); got != strings.Join(words, "") {
			t.Fatalf("%q at %d lost words: %q", line, width, list)
		}
	}
}
