package tree

import "github.com/contexttree/pact/internal/canon"

// JSON is a JSON value in canonical form, byte for byte what Python prints for
// json.dumps(v, sort_keys=True, separators=(',', ':'), ensure_ascii=True). So two values
// are equal exactly if their bytes are (08 §2.1). "" means that there is no value, which
// differs from null. A store can convert text that it has written back to JSON as it is;
// [ParseJSON] makes any other text canonical.
type JSON string

// ParseJSON reads one JSON text, including NaN and infinities as Python writes them, and
// returns its canonical form. Errors: E_DOCUMENT_INVALID for text that is not JSON or not
// UTF-8, E_LIMIT for values that are nested too deep. Memory: twice the canonical form.
func ParseJSON(data []byte) (JSON, error) {
	v, err := canon.Parse(data)
	return JSON(v), err
}

// Text returns the decoded string if the value is one.
func (v JSON) Text() (string, bool) { return canon.Value(v).Text() }

// Texts returns the strings of a list of strings, nil for any other value.
func (v JSON) Texts() []string { return texts(canon.Value(v)) }

// MarshalJSON returns the value itself, so that one inside a list or a map stays
// what it is; null for no value. encoding/json refuses NaN and infinities.
func (v JSON) MarshalJSON() ([]byte, error) {
	if v == "" {
		return []byte("null"), nil
	}
	return []byte(v), nil
}
