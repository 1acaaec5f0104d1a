package clients

import (
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// direction says who writes a value.
type direction bool

const (
	input  direction = false // the client, so that a newer schema may allow more
	output direction = true  // the server, so that a newer schema may promise more
)

// schemas compares what may stand at a place.
func (c *comparison) schemas(at string, was, is *openapi3.SchemaRef, d direction) {
	if was == nil || was.Value == nil || is == nil || is.Value == nil {
		return
	}
	pair := [2]*openapi3.Schema{was.Value, is.Value}
	if c.seen[pair] {
		return
	}
	if c.seen == nil {
		c.seen = make(map[[2]*openapi3.Schema]bool)
	}
	c.seen[pair] = true
	wide, narrow := is.Value, was.Value // an input: all that was allowed is allowed still
	if d == output {
		wide, narrow = was.Value, is.Value
	}
	kinds := typesOf(narrow)
	if len(kinds) == 0 && len(typesOf(wide)) > 0 {
		kinds = []string{"any type"}
	}
	for _, kind := range kinds {
		if all := typesOf(wide); len(all) > 0 && !slices.Contains(all, kind) {
			c.add("%s %s %s, %s", at, verb(d), kind, "which it "+before(d))
		}
	}
	if allowed := enumOf(wide); len(allowed) > 0 {
		for _, value := range enumOf(narrow) {
			if !slices.Contains(textsOf(allowed), fmt.Sprint(value)) {
				c.add("%s %s the value %v, which it %s", at, verb(d), value, before(d))
			}
		}
		if len(enumOf(narrow)) == 0 {
			c.add("%s %s any value, which it %s", at, verb(d), before(d))
		}
	}
	c.bounds(at, narrow, wide, d)
	if a, b := alternatives(narrow), alternatives(wide); len(a) > 1 || len(b) > 1 {
		c.choices(at, a, b, d)
		return
	}
	c.members(at, objectOf(was), objectOf(is), d)
	c.schemas(at+"[]", was.Value.Items, is.Value.Items, d)
}

func verb(d direction) string {
	if d == output {
		return "may be"
	}
	return "is refused as"
}

func before(d direction) string {
	if d == output {
		return "never was"
	}
	return "could be"
}

// members compares the members of objects.
func (c *comparison) members(at string, was, is *openapi3.Schema, d direction) {
	for _, name := range sorted(was.Properties) {
		now := is.Properties[name]
		switch {
		case now == nil && d == output:
			c.add("%s no longer has the member %s", at, name)
		case now == nil:
			c.add("%s no longer takes the member %s", at, name)
		default:
			if d == output && slices.Contains(was.Required, name) && !slices.Contains(is.Required, name) {
				c.add("%s may lack the member %s", at, name)
			}
			c.schemas(at+"."+name, was.Properties[name], now, d)
		}
	}
	c.others(at, was, is, d)
	if d == output {
		return
	}
	for _, name := range is.Required {
		if !slices.Contains(was.Required, name) {
			c.add("%s requires the member %s", at, name)
		}
	}
}

// objectOf returns the object that a schema is, also if it may be null instead.
func objectOf(s *openapi3.SchemaRef) *openapi3.Schema {
	for _, one := range slices.Concat(s.Value.OneOf, s.Value.AnyOf) {
		if len(one.Value.Properties) > 0 {
			return one.Value
		}
	}
	return s.Value
}

// typesOf returns the types that a value may have, none if it may have any.
func typesOf(s *openapi3.Schema) []string {
	var list []string
	for _, one := range slices.Concat(s.OneOf, s.AnyOf) {
		list = append(list, typesOf(one.Value)...)
	}
	if s.Type != nil {
		list = append(list, *s.Type...)
	}
	slices.SortFunc(list, strings.Compare)
	return slices.Compact(list)
}

// enumOf returns the values that a schema lists, none if it lists none.
func enumOf(s *openapi3.Schema) []any {
	if s.Const != nil {
		return []any{s.Const}
	}
	return s.Enum
}

func textsOf(values []any) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = fmt.Sprint(v)
	}
	return list
}
