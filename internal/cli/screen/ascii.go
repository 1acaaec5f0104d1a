package screen

import (
	"strings"
	"unicode/utf8"
)

// showsUnicode reports whether the locale has UTF-8. Where no variable names a
// locale, as on Windows, it does.
func showsUnicode(env map[string]string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(env[name]); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return true
}

// glyphs are the characters that pact draws, as a terminal without UTF-8 shows
// them. Each takes one column, as it does in Unicode.
var glyphs = map[rune]byte{'─': '-', '│': '|', '├': '+', '└': '`', '╭': '+', '╮': '+', '╰': '+', '╯': '+', '┊': ':',
	'…': '~', '–': '-', '→': '>', '⇄': '=', '▸': '>', '×': 'x', '“': '"', '”': '"', '█': '#', '┼': '+', '┤': '+',
	'┬': '+', '┴': '+'}

// inASCII replaces every character that ASCII lacks: those that pact draws by a
// similar one, others by a question mark.
func inASCII(p []byte) []byte {
	plain := make([]byte, 0, len(p))
	for len(p) > 0 {
		r, size := utf8.DecodeRune(p)
		p = p[size:]
		switch c, drawn := glyphs[r]; {
		case r < utf8.RuneSelf:
			plain = append(plain, byte(r))
		case drawn:
			plain = append(plain, c)
		default:
			plain = append(plain, '?')
		}
	}
	return plain
}
