package lifecycle

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/nearest"
)

// ParsePolicy reads a policy from a JSON object with the names that the fields of [Policy]
// have in JSON. It returns E_DOCUMENT_INVALID for text that is no such object, for unknown
// and repeated names, with their place in the text, and for what [Policy.Check] refuses.
func ParsePolicy(data []byte) (Policy, error) {
	var p Policy
	d := json.NewDecoder(bytes.NewReader(data))
	err := d.Decode(&p)
	if other := (*json.UnmarshalTypeError)(nil); errors.As(err, &other) {
		err = errors.New(cmp.Or(other.Field, "it") + " cannot be " + a(other.Value))
	}
	if err != nil {
		return p, fault.Wrap(fault.DocumentInvalid, err, "the policy cannot be read",
			`write a JSON object such as {"max_tokens":8000,"protect_turns":3}`)
	}
	if _, err := d.Token(); err != io.EOF {
		return p, invalidPolicy("", "something follows the JSON object", "give one JSON object only")
	}
	if err := checkNames(json.NewDecoder(bytes.NewReader(data)), namesOf(p), "it"); err != nil {
		return p, err
	}
	return p, p.Check()
}

// a returns what a JSON value is, in words.
func a(value string) string {
	switch {
	case value == "bool":
		return "true or false"
	case strings.HasPrefix(value, "number "): // which is too large, or has a fraction
		return strings.TrimPrefix(value, "number ")
	case strings.ContainsAny(value[:1], "aeo"):
		return "an " + value
	}
	return "a " + value
}

// membersOf are the names in the objects of a list, by the name of the list.
var membersOf = map[string][]string{"parts": namesOf(Part{}), "rules": namesOf(Rule{})}

// checkNames refuses names that encoding/json lets pass, in the value at hand and in what it holds: unknown ones, names
// that differ in upper and lower case, and names that come twice in an object, which is called in errors. No names known
// stand for any. The text was decoded before, so reading it again cannot fail.
func checkNames(d *json.Decoder, known []string, in string) error {
	open, _ := d.Token()
	if open != json.Delim('{') && open != json.Delim('[') {
		return nil
	}
	var seen []string
	for d.More() {
		members, what := known, in // of a list: those of each object in it
		if open == json.Delim('{') {
			token, _ := d.Token()
			name, _ := token.(string)
			place := int(d.InputOffset()) - len(strconv.Quote(name))
			switch {
			case known != nil && !slices.Contains(known, name):
				return misnamed(place, name, strconv.Quote(name)+" is not one of its names",
					nearest.Remedy(name, known, "the names are "+strings.Join(known, ", ")))
			case slices.Contains(seen, name):
				return misnamed(place, name, strconv.Quote(name)+" is in "+in+" twice", "write each name once")
			}
			seen = append(seen, name)
			if members = membersOf[name]; members == nil {
				what = name
			}
		}
		if err := checkNames(d, members, what); err != nil {
			return err
		}
	}
	_, _ = d.Token()
	return nil
}

func misnamed(at int, name, message, remedy string) error {
	return fault.At(fault.DocumentInvalid, at, name, "the policy cannot be followed: "+message, remedy)
}

// namesOf returns the names that the fields of a struct have in JSON.
func namesOf(v any) []string {
	fields := reflect.VisibleFields(reflect.TypeOf(v))
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i], _, _ = strings.Cut(f.Tag.Get("json"), ",")
	}
	return names
}
