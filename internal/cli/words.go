package cli

import (
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/wording"
)

// Short names for the words that nearly every command prints.

func plural(n int, what string) string { return wording.Plural(n, what) }

func bytesText(n int64) string { return wording.Bytes(n) }

func percent(share float64) string { return wording.Percent(share) }

func visible(s string) string { return wording.Visible(s) }

func shows(r rune) bool { return wording.Shows(r) }

func excerpt(v canon.Value, runes int) string { return wording.Excerpt(v, runes) }

func indented(kept []byte) string { return wording.Indented(kept) }

func firstWords(kind string, content canon.Value) string {
	return wording.FirstWords(kind, content, wordsShown)
}
