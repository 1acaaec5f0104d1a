package lifecycle

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/contexttree/pact/fault"
)

// ParsePolicy reads a policy that is written as a JSON object, with the names
// that Policy gives, each at most once. E_DOCUMENT_INVALID for names that it does
// not know and for what Check refuses.
func ParsePolicy(data []byte) (Policy, error) {
	var p Policy
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return p, fault.Wrap(fault.DocumentInvalid, err, "the policy cannot be read",
			`it is a JSON object such as {"max_tokens":8000,"protect_turns":3}`)
	}
	if _, err := d.Token(); err != io.EOF {
		return p, unusable("", "something follows the object", "a policy is one JSON object")
	}
	if err := checkNames(data, namesOf(p)); err != nil {
		return p, err
	}
	return p, p.Check()
}

// checkNames refuses what the decoder lets pass: names in other letters, and
// names that come twice, in the policy and in each of its parts. What it is given
// was decoded before, so nothing in it can fail.
func checkNames(data []byte, known []string) error {
	d := json.NewDecoder(bytes.NewReader(data))
	var seen []string
	if open, _ := d.Token(); open != json.Delim('{') {
		return nil // null, which says nothing
	}
	for d.More() {
		token, _ := d.Token()
		name, _ := token.(string)
		if !slices.Contains(known, name) || slices.Contains(seen, name) {
			return unusable(name, "a name is written as in the documentation, and once", "the names are "+strings.Join(known,
				", "))
		}
		seen = append(seen, name)
		var value json.RawMessage
		_ = d.Decode(&value)
		if name != "parts" {
			continue
		}
		var parts []json.RawMessage
		_ = json.Unmarshal(value, &parts)
		for _, part := range parts {
			if err := checkNames(part, namesOf(Part{})); err != nil {
				return err
			}
		}
	}
	return nil
}

// namesOf are the names that the fields of a struct have in JSON.
func namesOf(v any) []string {
	fields := reflect.VisibleFields(reflect.TypeOf(v))
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i], _, _ = strings.Cut(f.Tag.Get("json"), ",")
	}
	return names
}
