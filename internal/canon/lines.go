package canon

import (
	"bytes"
	"errors"

	"github.com/contexttree/pact/fault"
)

// NextLine returns the next line with something in it and its line break, from an offset on, its number, and the
// offset of the line after it. line is the number of the line before the offset. The text is nil if there is no
// such line.
func NextLine(data []byte, at, line int) (text []byte, number, next int) {
	for at < len(data) {
		line++
		end := len(data)
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		text, at = data[at:end], end
		if len(bytes.TrimSpace(text)) > 0 {
			return text, line, at
		}
	}
	return nil, line, at
}

// InLine completes a syntax error with its line and its offset in a file. text is the parsed text and at its offset
// there; line is its number if it is a single line, else 0.
func InLine(err error, text []byte, at, line int) error {
	var e *fault.Error
	if !errors.As(err, &e) || e.Offset < 0 {
		return err
	}
	in := *e
	before := text[:min(e.Offset, len(text))]
	if len(before) == len(text) {
		before = bytes.TrimRight(before, " \t\r\n") // the end of the text counts as its last line
	}
	in.Line = max(line, 1) + bytes.Count(before, []byte("\n"))
	in.Offset += at
	return &in
}
