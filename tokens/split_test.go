package tokens

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The patterns of the encodings but for what follows white space that has no
// newline behind it, which takes looking ahead: the model does that by hand.
var patterns = map[*encoding]*regexp.Regexp{
	o200kBase: regexp.MustCompile(`^(?:` + strings.Join([]string{
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
		`\p{N}{1,3}`,
		` ?[^\s\x0b\x{85}\p{Z}\p{L}\p{N}]+[\r\n/]*`,
		`[\s\x0b\x{85}\p{Z}]*[\r\n]+`,
	}, "|") + `)`),
	cl100kBase: regexp.MustCompile(`^(?:` + strings.Join([]string{
		`'(?i:[sdmt]|ll|ve|re)`,
		`[^\r\n\p{L}\p{N}]?\p{L}+`,
		`\p{N}{1,3}`,
		` ?[^\s\x0b\x{85}\p{Z}\p{L}\p{N}]+[\r\n]*`,
		`[\s\x0b\x{85}\p{Z}]+$`,
		`[\s\x0b\x{85}\p{Z}]*[\r\n]`,
	}, "|") + `)`),
}

var blanks = regexp.MustCompile(`^[\s\x0b\x{85}\p{Z}]+`)

func pieces(e *encoding, text string) (pieces []string) {
	e.each(text, func(_ *merger, piece string) { pieces = append(pieces, piece) })
	return pieces
}

// Texts of what the expressions tell apart, and of anything, UTF-8 or not.
var drawn = rapid.OneOf(
	rapid.Map(rapid.SliceOf(rapid.SampledFrom([]string{
		" ", " ", "  ", "\n", "\r\n", "\t", "\v", "\u0085", "\u00a0", "\u3000", "\u2028", "a", "b", "A", "B", "é", "É", "ǅ",
		"ʰ", "ª", "中", "\u0301",
		"'", "'s", "'S", "'ſ", "a'ſ", "'ſa", "'ll", "'Ve", "'R", "'d", "s", "1", "22", "²", "½", "Ⅷ", "!", "/", "//", ".",
		"👍", "\u200d", "\xff", "\xed\xa0\x80", "\x00",
	})), func(parts []string) string { return strings.Join(parts, "") }),
	rapid.Map(rapid.SliceOf(rapid.Rune().Filter(func(r rune) bool {
		return !slices.ContainsFunc(unicode16, func(n struct {
			low, high rune
			class     class
		}) bool {
			return n.low <= r && r <= n.high
		})
	})), func(runes []rune) string { return string(runes) }),
)

func TestPiecesAreThoseOfTheExpressions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawn.Draw(t, "text")
		for e := range patterns {
			got := pieces(e, text)
			if want := modelSplit(t, e, text); !slices.Equal(got, want) {
				t.Fatalf("%q is cut into\n%q, want\n%q", text, got, want)
			}
			if strings.Join(got, "") != text {
				t.Fatalf("%q is cut into %q, which is not all of it", text, got)
			}
		}
	})
}

// A piece is never longer than what is merged at once, whatever the text.
func TestLongPiecesAreCut(t *testing.T) {
	text := strings.Repeat("a", longestPiece) + strings.Repeat("a", 10) + " b"
	got := pieces(o200kBase, text)
	if len(got) != 3 || len(got[0]) != longestPiece || got[1] != strings.Repeat("a", 10) || got[2] != " b" {
		t.Errorf("%d pieces of a long text, want three", len(got))
	}
}
