package clients

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// security compares what credentials an operation takes. Whoever had enough must have enough still.
func (c *comparison) security(at string, was, is openapi3.SecurityRequirements) {
	if len(is) == 0 {
		return
	}
	if len(was) == 0 {
		was = openapi3.SecurityRequirements{{}}
	}
	for _, had := range was {
		enough := func(wanted openapi3.SecurityRequirement) bool {
			for scheme, scopes := range wanted {
				held, ok := had[scheme]
				if !ok || slices.ContainsFunc(scopes, func(s string) bool { return !slices.Contains(held, s) }) {
					return false
				}
			}
			return true
		}
		if !slices.ContainsFunc(is, enough) {
			with := strings.Join(sorted(had), " and ")
			if with == "" {
				with = "no credentials"
			}
			c.add("%s no longer takes requests with %s", at, with)
		}
	}
}

// requirements returns what credentials an operation takes: those of the document unless it has its
// own.
func requirements(d *openapi3.T, o *openapi3.Operation) openapi3.SecurityRequirements {
	if o.Security != nil {
		return *o.Security
	}
	return d.Security
}

// schemes compares how credentials are sent.
func (c *comparison) schemes(older, newer *openapi3.T) {
	if older.Components == nil || newer.Components == nil {
		return
	}
	for _, name := range sorted(older.Components.SecuritySchemes) {
		was, is := older.Components.SecuritySchemes[name].Value, newer.Components.SecuritySchemes[name]
		if is != nil && (is.Value.Type != was.Type || is.Value.Scheme != was.Scheme || is.Value.In != was.In ||
			is.Value.Name != was.Name) {
			c.add("credentials of %s are sent in another way", name)
		}
	}
}
