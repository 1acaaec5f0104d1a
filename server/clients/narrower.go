package clients

import (
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// bounds compares how large, how long and of which form a value may be. It adds what narrow allows
// and wide does not.
func (c *comparison) bounds(at string, narrow, wide *openapi3.Schema, d direction) {
	for _, rule := range []struct {
		broken          bool
		refused, spread string // of an input, and of an output
		limit           any
	}{
		{below(narrow.Min, wide.Min), "must be at least", "may be less than", value(wide.Min)},
		{above(narrow.Max, wide.Max), "must be at most", "may be more than", value(wide.Max)},
		{below(narrow.ExclusiveMin.Value, wide.ExclusiveMin.Value), "must be more than", "may be no more than",
			value(wide.ExclusiveMin.Value)},
		{above(narrow.ExclusiveMax.Value, wide.ExclusiveMax.Value), "must be less than", "may be no less than",
			value(wide.ExclusiveMax.Value)},
		{wide.MultipleOf != nil && value(narrow.MultipleOf) != value(wide.MultipleOf), "must be a multiple of",
			"may be no multiple of", value(wide.MultipleOf)},
		{narrow.MinLength < wide.MinLength, "must have a length of at least", "may be shorter than", wide.MinLength},
		{above(narrow.MaxLength, wide.MaxLength), "must have a length of at most", "may be longer than",
			value(wide.MaxLength)},
		{narrow.MinItems < wide.MinItems, "needs so many items:", "may have fewer items than", wide.MinItems},
		{above(narrow.MaxItems, wide.MaxItems), "takes no more items than", "may have more items than",
			value(wide.MaxItems)},
		{wide.UniqueItems && !narrow.UniqueItems, "refuses the same item twice:", "may have the same item twice:",
			"uniqueItems"},
		{wide.Pattern != "" && narrow.Pattern != wide.Pattern, "must match", "may not match", wide.Pattern},
		{wide.Format != "" && narrow.Format != wide.Format && !(narrow.Format == "int32" && wide.Format == "int64"),
			"must have the format", "may lack the format", wide.Format},
	} {
		switch {
		case rule.broken && d == input:
			c.add("%s %s %v", at, rule.refused, rule.limit)
		case rule.broken:
			c.add("%s %s %v, which it never did", at, rule.spread, rule.limit)
		}
	}
}

// below reports whether the least value of narrow is less than that of wide; nil is none.
func below[N float64 | uint64](narrow, wide *N) bool {
	return wide != nil && (narrow == nil || *narrow < *wide)
}

// above reports whether the greatest value of narrow is greater than that of wide; nil is none.
func above[N float64 | uint64](narrow, wide *N) bool {
	return wide != nil && (narrow == nil || *narrow > *wide)
}

func value[N float64 | uint64](n *N) any {
	if n == nil {
		return nil
	}
	return *n
}

// others compares the members of objects that the schemas do not name.
func (c *comparison) others(at string, was, is *openapi3.Schema, d direction) {
	before, now := otherMembers(was), otherMembers(is)
	switch {
	case before == nil: // there were none; a client passes over members that it does not know
	case before == anything && now == anything:
	case now != nil:
		c.schemas(at+".*", before, now, d)
	case d == input:
		c.add("%s refuses members that it does not name", at)
	}
}

// otherMembers returns the schema of the members that an object does not name, nil if it has no
// others.
func otherMembers(s *openapi3.Schema) *openapi3.SchemaRef {
	switch more := s.AdditionalProperties; {
	case more.Schema != nil:
		return more.Schema
	case more.Has != nil && !*more.Has:
		return nil
	}
	return anything
}

// anything is the schema of members about which a document says nothing.
var anything = &openapi3.SchemaRef{Value: &openapi3.Schema{}}

// choices compares two lists of schemas of which one holds. Each of narrow must be one of wide, or
// narrower.
func (c *comparison) choices(at string, narrow, wide []*openapi3.SchemaRef, d direction) {
	for _, one := range narrow {
		if !slices.ContainsFunc(wide, func(other *openapi3.SchemaRef) bool {
			trial := &comparison{seen: maps.Clone(c.seen)}
			if d == input {
				trial.schemas(at, one, other, d)
			} else {
				trial.schemas(at, other, one, d)
			}
			return len(trial.list) == 0
		}) {
			c.add("%s %s %s, which it %s", at, verb(d), nameOf(one), before(d))
		}
	}
}

// alternatives returns the schemas of which one holds, without null; the schema itself if it has
// none.
func alternatives(s *openapi3.Schema) []*openapi3.SchemaRef {
	var list []*openapi3.SchemaRef
	for _, one := range slices.Concat(s.OneOf, s.AnyOf) {
		if kinds := typesOf(one.Value); len(kinds) != 1 || kinds[0] != "null" {
			list = append(list, one)
		}
	}
	if len(list) == 0 {
		list = append(list, &openapi3.SchemaRef{Value: s})
	}
	return list
}

// nameOf names an alternative: as the document does, or by its types.
func nameOf(s *openapi3.SchemaRef) string {
	switch {
	case s.Ref != "":
		return s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
	case s.Value.Title != "":
		return s.Value.Title
	}
	return "one of " + strings.Join(typesOf(s.Value), ", ")
}
