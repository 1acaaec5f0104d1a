// Package sdkparams turns JSON into the parameters of a provider's client, and finds out whether they hold all of it.
package sdkparams

import (
	"encoding/json"

	"github.com/contexttree/pact/internal/canon"
)

// Hold decodes JSON into parameters, and reports whether these are encoded as the same JSON again. With emptyIsAbsent a
// client may leave out members that are empty, as the JSON of protocol buffers does.
func Hold(body []byte, params any, emptyIsAbsent bool) bool {
	if json.Unmarshal(body, params) != nil {
		return false
	}
	again, err := json.Marshal(params)
	if err != nil {
		return false
	}
	before, err := canon.ParseAny(body)
	if err != nil {
		return false
	}
	after, err := canon.ParseAny(again)
	if err == nil && emptyIsAbsent {
		before, after = withoutEmpty(before), withoutEmpty(after)
	}
	return err == nil && before.Value() == after.Value()
}

// withoutEmpty returns a value without members that are empty.
func withoutEmpty(v canon.Any) canon.Any {
	switch v.Kind {
	case canon.KindArray:
		elems := make([]canon.Any, len(v.Elems))
		for i, e := range v.Elems {
			elems[i] = withoutEmpty(e)
		}
		return canon.ArrayOf(elems...)
	case canon.KindObject:
		var kept []canon.Member
		for _, m := range v.Members {
			m.Value = withoutEmpty(m.Value)
			switch m.Value.Value() {
			case "{}", "[]", `""`, "false", "0", "null":
			default:
				kept = append(kept, m)
			}
		}
		return canon.Object(kept...)
	}
	return v
}
