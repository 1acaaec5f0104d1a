package clients

import (
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Breaks returns what of a document no longer holds in a newer one, one sentence each, in the
// order of paths, methods and names: an operation or a member of an answer that is gone, an
// input that is required or refused now, a type that takes or promises less, credentials that are
// not enough. Both documents are loaded,
// so that references in them lead to schemas.
func Breaks(older, newer *openapi3.T) []string {
	c := &comparison{}
	c.schemes(older, newer)
	for _, path := range sorted(older.Paths.Map()) {
		was, is := older.Paths.Value(path), newer.Paths.Value(path)
		for _, method := range sorted(was.Operations()) {
			at := method + " " + path
			if is == nil || is.Operations()[method] == nil {
				c.add("%s is gone", at)
				continue
			}
			before, now := was.Operations()[method], is.Operations()[method]
			c.operation(at, before, now)
			c.security(at, requirements(older, before), requirements(newer, now))
		}
	}
	return c.list
}

// comparison collects what breaks a client.
type comparison struct {
	list []string
	seen map[[2]*openapi3.Schema]bool // pairs under comparison, because schemas may contain themselves
}

func (c *comparison) add(format string, args ...any) {
	c.list = append(c.list, fmt.Sprintf(format, args...))
}

func (c *comparison) operation(at string, was, is *openapi3.Operation) {
	if was.OperationID != is.OperationID {
		c.add("%s is called %s and was called %s, as generated clients name it", at, is.OperationID, was.OperationID)
	}
	for _, p := range was.Parameters {
		now := is.Parameters.GetByInAndName(p.Value.In, p.Value.Name)
		if now == nil {
			c.add("%s no longer takes the %s parameter %s", at, p.Value.In, p.Value.Name)
			continue
		}
		c.schemas(at+" parameter "+p.Value.Name, p.Value.Schema, now.Schema, input)
	}
	for _, p := range is.Parameters {
		before := was.Parameters.GetByInAndName(p.Value.In, p.Value.Name)
		if p.Value.Required && (before == nil || !before.Required) {
			c.add("%s requires the %s parameter %s", at, p.Value.In, p.Value.Name)
		}
	}
	c.body(at, was.RequestBody, is.RequestBody)
	for _, status := range sorted(was.Responses.Map()) {
		before, now := was.Responses.Value(status), is.Responses.Value(status)
		if now == nil {
			c.add("%s no longer answers with %s", at, status)
			continue
		}
		c.contents(at+" answer", before.Value.Content, now.Value.Content, output)
	}
}

func (c *comparison) body(at string, was, is *openapi3.RequestBodyRef) {
	switch {
	case was == nil && is == nil:
	case is == nil:
		c.add("%s no longer takes a body", at)
	case was == nil:
		if is.Value.Required {
			c.add("%s requires a body", at)
		}
	default:
		if is.Value.Required && !was.Value.Required {
			c.add("%s requires a body", at)
		}
		c.contents(at+" body", was.Value.Content, is.Value.Content, input)
	}
}

func (c *comparison) contents(at string, was, is openapi3.Content, d direction) {
	for _, kind := range sorted(was) {
		if is[kind] == nil {
			c.add("%s is no longer %s", at, kind)
			continue
		}
		c.seen = make(map[[2]*openapi3.Schema]bool)
		c.schemas(at, was[kind].Schema, is[kind].Schema, d)
	}
}

// sorted returns the keys of a map in the order of bytes.
func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, strings.Compare)
	return keys
}
