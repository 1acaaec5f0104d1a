package diff

import (
	"bytes"
	"encoding/json"

	"github.com/contexttree/pact/internal/canon"
)

// Mode is the form in which to show the change of a content (04 §4, contentMode).
type Mode string

// The modes.
const (
	Unified   Mode = "unified"   // a unified diff of both contents as text
	JSONPatch Mode = "jsonpatch" // a JSON Patch (RFC 6902)
	Tokens    Mode = "tokens"    // word by word
)

// ContentDiff is the change from an older content to a newer one. Only the field of its
// mode is set: Diff, Patch or Hunks.
type ContentDiff struct {
	Mode    Mode            `json:"mode"`            // also unified if JSON was to be patched and a side is not JSON
	MIME    string          `json:"mime,omitempty"`  // the header mime of the newer version, "" without one
	Summary ContentSummary  `json:"summary"`         // the sizes of both contents
	Diff    *string         `json:"diff,omitempty"`  // for Unified
	Patch   json.RawMessage `json:"patch,omitempty"` // for JSONPatch
	Hunks   []Hunk          `json:"hunks,omitempty"` // for Tokens
}

// ContentSummary gives the sizes of both contents: for a text its bytes in UTF-8, for
// anything else the bytes of its canonical JSON.
type ContentSummary struct {
	BytesNewer int  `json:"bytesNewer"` // of the newer content
	BytesOlder int  `json:"bytesOlder"` // of the older content
	Identical  bool `json:"identical"`  // both contents are equal
	Truncated  bool `json:"truncated"`  // always false: no content diff is cut
}

// Hunk is a run of words that are kept, deleted or inserted. The texts of keep
// and del joined are the older content, those of keep and ins the newer.
type Hunk struct {
	Op   string `json:"op" enum:"keep,del,ins"` // keep, del or ins
	Text string `json:"text"`                   // the words, with the white space between them
}

// MarshalJSON writes a diff and keeps the lone surrogates in its text. encoding/json
// would replace them, and the printed diff would no longer lead from the older content to
// the newer. Its errors are those of encoding/json.
func (d ContentDiff) MarshalJSON() ([]byte, error) {
	type plain ContentDiff
	if d.Diff == nil || canon.ValidText(*d.Diff) {
		return encode(plain(d))
	}
	return encode(struct {
		plain
		Diff json.RawMessage `json:"diff"`
	}{plain(d), quoted(*d.Diff)})
}

// MarshalJSON writes a hunk and keeps lone surrogates, as [ContentDiff.MarshalJSON] does.
// Its errors are those of encoding/json.
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

// encode returns the JSON of v and does not escape < and > for HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
