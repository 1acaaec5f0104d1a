package canon

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestWhatADamagedLineStillHolds: values that stand in no other one are found, everything else is a gap, and the pieces
// together are the line but for white space.
func TestWhatADamagedLineStillHolds(t *testing.T) {
	for line, want := range map[string]string{
		`{"a":1}{"b":2}`:                             `value {"a":1}, value {"b":2}`,
		`{"a":1} {"b":2}`:                            `value {"a":1}, value {"b":2}`,
		`{"a":"x{"b":2}`:                             `gap {"a":"x, value {"b":2}`,
		`{"a":[{"n":1}],"s":"cu`:                     `gap {"a":[{"n":1}],"s":"cu`,
		"{\"a\":1}\x00\x00":                          "value {\"a\":1}, gap \x00\x00",
		"\x00\x00{\"a\":1}":                          "gap \x00\x00, value {\"a\":1}",
		"{\"a\":\"\x00\"}{\"b\":2}":                  "gap {\"a\":\"\x00\"}, value {\"b\":2}",
		`{"a":1}xx{"b":2}yy`:                         `value {"a":1}, gap xx, value {"b":2}, gap yy`,
		`the end`:                                    `gap the end`,
		`{"a":"say {\"b\":1} or"`:                    `gap {"a":"say {\"b\":1} or"`,
		strings.Repeat(`x{"`, 200) + `{"b":2}`:       `gap ` + strings.Repeat(`x{"`, 200) + `{"b":2}`,
		`[{"a":1}][{"b":1}]`:                         `value [{"a":1}], value [{"b":1}]`,
		`{"i":1,"x":[{"i":2,"x":3}`:                  `gap {"i":1,"x":[, value {"i":2,"x":3}`,
		`{"i":1,"x":2,{"i":2,"x":3}`:                 `gap {"i":1,"x":2,, value {"i":2,"x":3}`,
		`{"i":1,"x":{"i":2,"y":3}`:                   `gap {"i":1,"x":{"i":2,"y":3}`,
		`{"a":1},`:                                   `value {"a":1}, gap ,`,
		`"sessionId":"s","x":{"a":1}}{"b":2,"c":[]}`: `gap "sessionId":"s","x":{"a":1}}, value {"b":2,"c":[]}`,
	} {
		var said []string
		at := 0
		for _, p := range Salvage([]byte(line)) {
			kind := "gap"
			if p.Value {
				kind = "value"
			}
			said = append(said, fmt.Sprintf("%s %s", kind, p.Text))
			if between := line[at:p.At]; len(bytes.TrimSpace([]byte(between))) > 0 {
				t.Errorf("%q: %q is in no piece", line, between)
			}
			at = p.At + len(p.Text)
		}
		if got := strings.Join(said, ", "); got != want {
			t.Errorf("%q:\n got %q\nwant %q", line, got, want)
		}
	}
}
