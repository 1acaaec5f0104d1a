package server

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// declareNulls has the OpenAPI document say which members of answers may be null: pointers to
// structs that are written even if there is none. The framework declares them as the struct
// alone, and a client that believes it fails on the first null.
func declareNulls(schemas huma.Registry) {
	for name, schema := range schemas.Map() {
		t := schemas.TypeFromRef("#/components/schemas/" + name)
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		for _, field := range reflect.VisibleFields(t) {
			member, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			declared := schema.Properties[member]
			if declared == nil || declared.Ref == "" || field.Type.Kind() != reflect.Pointer ||
				strings.Contains(options, "omitempty") || field.Tag.Get("nullable") == "false" {
				continue
			}
			schema.Properties[member] = &huma.Schema{AnyOf: []*huma.Schema{{Ref: declared.Ref}, {Type: "null"}},
				Description: declared.Description}
		}
	}
}
