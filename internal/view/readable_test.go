package view

import (
	"testing"

	"github.com/contexttree/pact/internal/canon"
)

// What is a text to a person is read as one, whatever an API wraps it into.
func TestReadableContents(t *testing.T) {
	for content, want := range map[string]string{
		`"as it is\n"`:                     "as it is\n",
		`"half \ud800\udbff of two"`:       "half \ufffd\ufffd of two",
		`[{"type":"text","text":"one\n"}]`: "one",
		`[{"type":"input_text","text":"one"},{"type":"output_text","text":"two"}]`: "one\ntwo",
		`[{"text":"of Gemini"}]`: "of Gemini",
		`[{"type":"text","text":"kept","cache_control":{"type":"ephemeral"}}]`: "kept",
		`{"type":"thinking","thinking":"Hm.","signature":"c2ln"}`:              "Hm.",
	} {
		if got, ok := Readable(canon.Value(content)); !ok || got != want {
			t.Errorf("%s is read as %q, %v; want %q", content, got, ok, want)
		}
	}
	for _, content := range []string{`null`, `5`, `[]`, `{}`, `[{"type":"text"}]`, `[["text"]]`, `{"thinking":5}`,
		`{"type":"thinking","thinking":"","signature":"c2ln"}`,
		`[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"x"}}]`} {
		if got, ok := Readable(canon.Value(content)); ok {
			t.Errorf("%s is read as the text %q", content, got)
		}
	}
}

// A terminal must not obey a content; other readers decide for themselves.
func TestFirstWordsOnATerminalAndAsTheyAre(t *testing.T) {
	content := canon.String("red \x1b[31m\u202egnp.exe\nnext\tline and more")
	if got, want := FirstWords("text", content, 24), "red \uFFFD[31m\uFFFDgnp.exe next l…"; got != want {
		t.Errorf("a terminal shows %q, want %q", got, want)
	}
	if got, want := rawFirstWords("text", content, 24), "red \x1b[31m\u202egnp.exe next l…"; got != want {
		t.Errorf("the words are %q, want %q", got, want)
	}
}
