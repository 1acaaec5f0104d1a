package view

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/toolcall"
)

// beginning returns the beginning of a content on one line.
func beginning(v canon.Value, runes int) string {
	const enough = 8 // bytes of JSON for one rune at most, with some white space
	text, isText := Readable(v)
	if isText {
		if len(text) > runes*enough {
			text = strings.ToValidUTF8(text[:runes*enough], "")
		}
		text = strings.Join(strings.Fields(text), " ")
	} else if text = string(v); len(text) > runes*enough {
		text = text[:runes*enough]
	}
	if list := []rune(text); len(list) > runes {
		text = strings.TrimRight(string(list[:runes]), " ") + "…"
	}
	return text
}

// indented returns JSON indented and without escapes, for people to read. It
// leaves what only Python can parse, such as NaN, as it is stored.
func indented(kept []byte) string {
	var value any
	d := json.NewDecoder(bytes.NewReader(kept))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return string(kept)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(value); err != nil {
		return string(kept)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// oneLine returns JSON without escapes on one line, and any other text with its white space
// as single spaces.
func oneLine(text string) string { return strings.Join(strings.Fields(indented([]byte(text))), " ") }

// FirstWords returns at most that many characters of a content as people read it on a
// terminal: of a call what it passes to the tool.
func FirstWords(kind string, content canon.Value, runes int) string {
	return Visible(rawFirstWords(kind, content, runes))
}

// rawFirstWords returns what FirstWords does with each character as it is, for readers that
// show controls and overrides of the direction in a way of their own.
func rawFirstWords(kind string, content canon.Value, runes int) string {
	if kind == toolcall.Call {
		if arguments := toolcall.Arguments(content); arguments != "" {
			return beginning(canon.String(oneLine(arguments)), runes)
		}
	}
	return beginning(content, runes)
}
