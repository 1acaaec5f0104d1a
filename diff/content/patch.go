package content

import (
	"bytes"
	"encoding/json"

	"github.com/contexttree/pact/internal/canon"
	"github.com/wI2L/jsondiff"
)

// patch returns the JSON Patch (RFC 6902) that turns one content into another,
// and whether there is one: both must be JSON and neither text nor missing.
func patch(older, newer canon.Value) (json.RawMessage, bool) {
	for _, v := range []canon.Value{older, newer} {
		if k := v.Kind(); k == canon.KindAbsent || k == canon.KindString {
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

// exact keeps the digits of numbers.
func exact(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(v)
}
