package screen

import "testing"

func TestMark(t *testing.T) {
	long := "0123456789012345678901234567890123456789012345678901234567890123456789"
	for _, c := range []struct {
		name, text   string
		offset       int
		token        string
		shown, caret string
		line, column int
	}{
		{"token", "^seq .x", 5, ".x", "^seq .x", "     ^^", 1, 6},
		{"end", "^seq", 4, "", "^seq", "    ^", 1, 5},
		{"beyond", "^seq", 9, "", "^seq", "    ^", 1, 5},
		{"no such token", "ab cd", 3, "0x00", "ab cd", "   ^", 1, 4},
		{"two bytes, one column", "é .x", 3, ".x", "é .x", "  ^^", 1, 3},
		{"wide", "#日本 .x", 8, ".x", "#日本 .x", "      ^^", 1, 5},
		{"wide token", "#日本 x", 1, "日本", "#日本 x", " ^^^^", 1, 2},
		{"combining", "e\u0301 .x", 4, ".x", "e\u0301 .x", "  ^^", 1, 4},
		{"tab", "a\tb c", 2, "b", "a b c", "  ^", 1, 3},
		{"escape", "a\x1b[31m b", 7, "b", "a\ufffd[31m b", "       ^", 1, 8},
		{"second line", "{\n \"a\": x}\n", 8, "x", ` "a": x}`, "      ^", 2, 7},
		{"token over lines", "ab\ncd", 0, "ab\ncd", "ab", "^^", 1, 1},
		{"long", long + "!" + long, 70, "!", "…" + long[10:] + "!" + long[:60] + "…",
			"                                                             ^", 1, 71},
	} {
		m := CaretsUnder(c.text, c.offset, c.token)
		if m.Text != c.shown || m.Carets != c.caret || m.Line != c.line || m.Column != c.column {
			t.Errorf("%s: %d:%d\n%q\n%q", c.name, m.Line, m.Column, m.Text, m.Carets)
		}
	}
}

func TestQuote(t *testing.T) {
	for word, want := range map[string]string{
		"chat": "chat", "a/0": "a/0", "": "''", "two words": "'two words'", "it's": `'it'\''s'`, "$x": "'$x'", "^ah": "'^ah'",
	} {
		if have := Quote(word); have != want {
			t.Errorf("quote(%q) = %s, want %s", word, have, want)
		}
	}
}
