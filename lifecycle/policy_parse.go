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
	if err := checkNames(data, 0, namesOf(p)); err != nil {
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

// checkNames refuses names that encoding/json lets pass, in the policy and in each of its
// parts and rules: unknown ones, names that differ in upper and lower case, and names that come
// twice. data was decoded before, so decoding it again cannot fail; it begins at the given place
// of the text.
func checkNames(data []byte, at int, known []string) error {
	d := json.NewDecoder(bytes.NewReader(data))
	var seen []string
	if open, _ := d.Token(); open != json.Delim('{') {
		return nil // null, which says nothing
	}
	for d.More() {
		token, _ := d.Token()
		name, _ := token.(string)
		place := at + int(d.InputOffset()) - len(strconv.Quote(name))
		if !slices.Contains(known, name) {
			return misnamed(place, name, strconv.Quote(name)+" is not one of its names",
				nearest.Remedy(name, known, "the names are "+strings.Join(known, ", ")))
		}
		if slices.Contains(seen, name) {
			return misnamed(place, name, strconv.Quote(name)+" is in it twice", "write each name once")
		}
		seen = append(seen, name)
		var value json.RawMessage
		_ = d.Decode(&value)
		if name == "ranks" {
			if err := checkTwice(value); err != nil {
				return err
			}
		}
		if members := membersOf[name]; members != nil {
			if err := checkList(value, at+int(d.InputOffset())-len(value), members); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkList is checkNames for each object of a list.
func checkList(data []byte, at int, known []string) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if open, _ := d.Token(); open != json.Delim('[') {
		return nil
	}
	for d.More() {
		var value json.RawMessage
		_ = d.Decode(&value)
		if err := checkNames(value, at+int(d.InputOffset())-len(value), known); err != nil {
			return err
		}
	}
	return nil
}

func misnamed(at int, name, message, remedy string) error {
	return fault.At(fault.DocumentInvalid, at, name, "the policy cannot be followed: "+message, remedy)
}

// checkTwice refuses names that come twice in a JSON object.
func checkTwice(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	seen := make(map[string]bool)
	for _, _ = d.Token(); d.More(); {
		token, _ := d.Token()
		name, _ := token.(string)
		if seen[name] {
			return invalidPolicy(name, strconv.Quote(name)+" is in ranks twice", "write each name once")
		}
		seen[name] = true
		_, _ = d.Token()
	}
	return nil
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
