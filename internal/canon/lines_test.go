package canon

import (
	"errors"
	"testing"

	"github.com/contexttree/pact/fault"
)

// Blank lines count and are passed over; a last line needs no break.
func TestNextLine(t *testing.T) {
	data := []byte("\n \na\n\nb")
	text, line, at := NextLine(data, 0, 0)
	if string(text) != "a\n" || line != 3 || at != 5 {
		t.Errorf("the first line is %q, number %d, and the next begins at %d", text, line, at)
	}
	if text, line, at = NextLine(data, at, line); string(text) != "b" || line != 5 || at != len(data) {
		t.Errorf("the second line is %q, number %d, and the next begins at %d", text, line, at)
	}
	if text, _, _ = NextLine(data, at, line); text != nil {
		t.Errorf("behind the end stands %q", text)
	}
}

// An error says where in the file it is, in one line of several and in a value of several lines.
func TestInLine(t *testing.T) {
	for _, c := range []struct {
		text               string
		at, line           int
		wantLine, wantByte int
	}{
		{`{"a":,}`, 20, 4, 4, 25},        // the comma is byte 5 of the fourth line
		{"{\n\"a\":\n,}", 0, 0, 3, 7},    // it is on the third line of the value
		{"{\n\"a\":1\n\n\n", 0, 0, 2, 8}, // the text ends with what stands on its second line
	} {
		_, err := ParseAny([]byte(c.text))
		var e *fault.Error
		if !errors.As(InLine(err, []byte(c.text), c.at, c.line), &e) || e.Line != c.wantLine || e.Offset < c.wantByte {
			t.Errorf("%q: %+v, want line %d from byte %d on", c.text, e, c.wantLine, c.wantByte)
		}
	}
}

// An object of fields leaves out what has no value, and the last of equal names wins.
func TestFields(t *testing.T) {
	two := int64(2)
	got := Fields("b", "text", "a", &two, "none", "", "nil", (*int64)(nil), "absent", Any{}, "b", Number(1)).Value()
	if got != `{"a":2,"b":1}` {
		t.Errorf("the object is %s", got)
	}
}
