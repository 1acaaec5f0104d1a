package provider

import (
	"bytes"
	"strconv"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/splice"
)

// textRule holds for every API: half a surrogate pair is no character, and no provider takes it. A text that a program
// cut in the middle of an emoji has one.
var textRule = Rule{Name: "text", Source: "https://www.rfc-editor.org/rfc/rfc8259#section-8.2", check: func(c *checker) {
	if bytes.Contains(c.Body, []byte(`\ud`)) || bytes.Contains(c.Body, []byte(`\uD`)) {
		c.halves("", c.root)
	}
}}

// halves reports each text and each name with half a surrogate pair.
func (c *checker) halves(place string, v splice.Value) {
	whole := func(what string, text splice.Value) {
		if mended := withoutHalves(text.Raw); mended != nil {
			c.report(place, what+" has half a surrogate pair, which is no character", `send \ufffd in its place`,
				func(e *splice.Edits) { e.Replace(text, mended) })
		}
	}
	switch v.Kind {
	case canon.KindString:
		whole("the text", v)
	case canon.KindArray:
		for i, e := range v.Elems {
			c.halves(at(place, i), e)
		}
	case canon.KindObject:
		for _, m := range v.Members {
			name := canon.Scanner{Data: c.Body[m.Start:]}
			whole("a name", splice.Value{Start: m.Start, Raw: name.Name()})
			inside := m.Name
			if place != "" {
				inside = place + "." + m.Name
			}
			c.halves(inside, m.Value)
		}
	}
}

// withoutHalves returns a text of JSON with U+FFFD in place of each half of a surrogate pair, nil if it has none.
func withoutHalves(raw []byte) []byte {
	var mended []byte
	from := 0
	for at := 0; at < len(raw); at++ {
		if raw[at] != '\\' {
			continue
		}
		first := unitAt(raw, at)
		switch {
		case first < 0xD800 || first > 0xDFFF:
			at++ // what is escaped
		case first < 0xDC00 && unitAt(raw, at+6) >= 0xDC00 && unitAt(raw, at+6) <= 0xDFFF:
			at += 11 // a pair
		default:
			mended = append(append(mended, raw[from:at]...), `\ufffd`...)
			at += 5
			from = at + 1
		}
	}
	if mended == nil {
		return nil
	}
	return append(mended, raw[from:]...)
}

// unitAt reads an escaped UTF-16 unit, 0 if there is none.
func unitAt(raw []byte, at int) int64 {
	if at+6 > len(raw) || raw[at] != '\\' || raw[at+1] != 'u' {
		return 0
	}
	unit, err := strconv.ParseUint(string(raw[at+2:at+6]), 16, 16)
	if err != nil {
		return 0
	}
	return int64(unit)
}
