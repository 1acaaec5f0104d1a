package content

import (
	"bytes"
	"encoding/json"

	"github.com/contexttree/pact/internal/canon"
	"github.com/wI2L/jsondiff"
)

// patch returns the JSON Patch (RFC 6902) that turns one content into another,
// and whether there is one: neither content may be a text or missing. Contents
// with a lone surrogate have none, because readers of JSON disagree about it (RFC
// 8259 §8.2).
func patch(older, newer canon.Value) (json.RawMessage, bool) {
	for _, v := range []canon.Value{older, newer} {
		if k := v.Kind(); k == canon.KindAbsent || k == canon.KindString || !unicodeText(v.Any()) {
			return nil, false
		}
	}
	p, err := jsondiff.CompareJSON([]byte(older), []byte(newer), jsondiff.UnmarshalFunc(exact))
	if err != nil {
		return nil, false
	}
	if p == nil {
		p = jsondiff.Patch{}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(p) != nil {
		return nil, false
	}
	return bytes.TrimSpace(b.Bytes()), true
}

// unicodeText reports whether every text in a value is valid UTF-8.
func unicodeText(v canon.Any) bool {
	for _, m := range v.Members {
		if !canon.ValidText(m.Name) || !unicodeText(m.Value) {
			return false
		}
	}
	for _, e := range v.Elems {
		if !unicodeText(e) {
			return false
		}
	}
	return canon.ValidText(v.Text)
}

// exact keeps the digits of numbers.
func exact(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(v)
}
