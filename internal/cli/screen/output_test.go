package screen

import (
	"bytes"
	"encoding/json"
	"testing"
)

// hostile has an escape, DEL, a control character of the second set (C1: CSI),
// marks that turn the direction of a text, a tag beyond 16 bits, and what may
// stay: accents, marks that combine, wide letters.
const hostile = "a\x1b[31m\x7f\u009b2J\u202eevil\u2066\U000e0041 \u00e9e\u0301\u65e5<&>"

// JSON is escaped where it would not show, also in a pipe, at whose end a terminal may be; a parser gets the same
// text.
func TestJSONIsEscaped(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		var b bytes.Buffer
		a := &Screen{Out: &output{W: &b}, OutTerminal: terminal}
		must(t, a.PrintJSON([]string{hostile}))
		must(t, a.Out.Flush())
		want := `["a\u001b[31m\u007f\u009b2J\u202eevil\u2066\udb40\udc41 ` + "\u00e9e\u0301\u65e5<&>\"]\n"
		if b.String() != want {
			t.Errorf("terminal %v: %q\nwant %q", terminal, b.String(), want)
		}
		var back []string
		if err := json.Unmarshal(b.Bytes(), &back); err != nil || back[0] != hostile {
			t.Errorf("terminal %v: reads back as %q, %v", terminal, back, err)
		}
	}
}
