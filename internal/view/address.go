package view

import (
	"strings"

	"github.com/contexttree/pact"
)

// IsAddress reports whether an argument names a state and nothing else: @t0, @c12, or one of the
// words working, latest and latest-3, which mean the same in every edition.
func IsAddress(text string) bool { return strings.HasPrefix(text, "@") || IsWord(text) }

// IsWord reports whether a text is such a word.
func IsWord(text string) bool {
	_, err := pact.ParseAddress(text, "")
	return err == nil && !strings.HasPrefix(text, "@")
}

// SplitAddress splits the address of a state that may be one of another context: NAME@c5, NAME@t0,
// NAME@latest or NAME@working. name is empty if the text names no context.
func SplitAddress(text string) (name, address string) {
	i := strings.LastIndexByte(text, '@')
	if i < 1 {
		return "", text
	}
	if IsWord(text[i+1:]) {
		return text[:i], text[i+1:]
	}
	return text[:i], text[i:]
}
