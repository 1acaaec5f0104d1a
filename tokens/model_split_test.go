package tokens

import (
	"unicode/utf8"

	"pgregory.net/rapid"
)

// modelSplit cuts a text as the regular expressions do.
func modelSplit(t *rapid.T, e *encoding, text string) (pieces []string) {
	for text != "" {
		piece := patterns[e].FindString(text)
		if piece == "" {
			piece = blanks.FindString(text)
			_, last := utf8.DecodeLastRuneInString(piece)
			if len(piece) < len(text) && len(piece) > last {
				piece = piece[:len(piece)-last]
			}
		}
		if piece == "" {
			t.Fatalf("the model has no piece for %q", text)
		}
		pieces = append(pieces, piece)
		text = text[len(piece):]
	}
	return pieces
}
