package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/nearest"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
)

// misfit returns the error for a JSON value that is not of the type that an operation takes. It
// names members, and does not repeat values.
func misfit(err error, body canon.Any, t reflect.Type) error {
	var kind *json.UnmarshalTypeError
	switch {
	case fault.CodeOf(err) != "":
		return err
	case errors.As(err, &kind):
		what := "a value of the body"
		if kind.Field != "" {
			what = clipped(kind.Field)
		}
		return fault.At(fault.DocumentInvalid, int(kind.Offset), kind.Field, what+" must be "+wordFor(kind.Type),
			"/openapi.json says what it is")
	case strings.HasPrefix(err.Error(), "json: unknown field "):
		known := make(members)
		if name, of := known.walk("", body, t, t, func(_ canon.Any, t reflect.Type) bool { return t == nil }); of != nil {
			what := "the body"
			if of != t {
				what = cmp.Or(things[of], "the object that it stands in")
			}
			list := known.of(of)
			return fault.At(fault.DocumentInvalid, fault.NoOffset, name, clipped(name)+" is no member of "+what,
				nearest.Remedy(name, list.names, "/openapi.json lists those that it can have"))
		}
	}
	return fault.New(fault.DocumentInvalid, "the body is not what the operation takes", "/openapi.json says what it is")
}

// things are the words for the objects in a body.
var things = map[reflect.Type]string{
	reflect.TypeFor[newNode]():          "a node",
	reflect.TypeFor[edit]():             "an edit",
	reflect.TypeFor[pruning]():          "a pruning",
	reflect.TypeFor[policyOrName]():     "a policy",
	reflect.TypeFor[lifecycle.Rule]():   "a rule of a policy",
	reflect.TypeFor[lifecycle.Part]():   "a part of a policy",
	reflect.TypeFor[simulatedPolicy]():  "a policy with its name",
	reflect.TypeFor[lifecycle.Policy](): "a policy",
	reflect.TypeFor[record.Prices]():    "a list of prices",
	reflect.TypeFor[record.Price]():     "the price of a model",
}

// wordFor says what a value of a type looks like in JSON.
func wordFor(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		if t == reflect.TypeFor[policyOrName]() {
			return "an object or the name of a policy"
		}
		return "an object"
	}
	return "a number"
}

// members has, for types of a body, the names of the members and their types.
type members map[reflect.Type]memberList

type memberList struct {
	names []string
	types []reflect.Type
}

func (m members) of(t reflect.Type) memberList {
	list, known := m[t]
	if known {
		return list
	}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			list.names, list.types = append(list.names, name), append(list.types, f.Type)
		}
	}
	m[t] = list
	return list
}

// walk goes through a value and the type that it is read as, nil for a member that its object does not have, to the
// first at which found holds. It returns the name of that member, and the type of its object; "" and nil if there is none.
func (m members) walk(name string, v canon.Any, of, t reflect.Type, found func(canon.Any, reflect.Type) bool) (string, reflect.Type) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case found(v, t):
		return name, of
	case t == nil:
	case v.Kind == canon.KindArray && t.Kind() == reflect.Slice:
		for _, item := range v.Elems {
			if name, in := m.walk(name, item, of, t.Elem(), found); in != nil {
				return name, in
			}
		}
	case v.Kind == canon.KindObject && t.Kind() == reflect.Struct:
		list := m.of(t)
		for _, member := range v.Members {
			var is reflect.Type
			if i := slices.Index(list.names, member.Name); i >= 0 {
				is = list.types[i]
			}
			if name, in := m.walk(member.Name, member.Value, t, is, found); in != nil {
				return name, in
			}
		}
	}
	return "", nil
}

// checkTexts returns E_DOCUMENT_INVALID if a text in a body, one that is no content and no attribute, has half a surrogate
// pair: encoding/json would put another character in its place, so that a name or a question were another one.
func checkTexts(data []byte, body canon.Any, t reflect.Type) error {
	if !bytes.Contains(data, []byte(`\ud`)) && !bytes.Contains(data, []byte(`\uD`)) {
		return nil
	}
	name, in := make(members).walk("", body, t, t, func(v canon.Any, t reflect.Type) bool {
		return v.Kind == canon.KindString && t != nil && t.Kind() == reflect.String && !canon.ValidText(v.Text)
	})
	if in == nil {
		return nil
	}
	return fault.At(fault.DocumentInvalid, fault.NoOffset, name, name+" has half a surrogate pair, which is no character", "leave it out")
}
