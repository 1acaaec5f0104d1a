package content

import (
	"bytes"
	"encoding/json"

	"github.com/contexttree/pact/internal/canon"
)

// MarshalJSON writes a diff with the lone surrogates that are in its text, which
// encoding/json would lose: what is printed has to be what leads from the older
// content to the newer.
func (d Diff) MarshalJSON() ([]byte, error) {
	type plain Diff
	if d.Diff == nil || canon.ValidText(*d.Diff) {
		return encode(plain(d))
	}
	return encode(struct {
		plain
		Diff json.RawMessage `json:"diff"`
	}{plain(d), quoted(*d.Diff)})
}

// MarshalJSON does for a hunk what it does for a diff.
func (h Hunk) MarshalJSON() ([]byte, error) {
	type plain Hunk
	if canon.ValidText(h.Text) {
		return encode(plain(h))
	}
	return encode(struct {
		plain
		Text json.RawMessage `json:"text"`
	}{plain(h), quoted(h.Text)})
}

func quoted(text string) json.RawMessage { return canon.AppendString(nil, text) }

// encode leaves < and > as they are, as the output of a program has them.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
