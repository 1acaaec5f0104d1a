package provider

import "github.com/contexttree/pact/internal/canon"

// objOrNone returns an object that has members, else an absent value.
func objOrNone(pairs ...any) canon.Any {
	object := canon.Fields(pairs...)
	if len(object.Members) == 0 {
		return canon.Any{}
	}
	return object
}

// listOrNone returns a list, absent if it is nil.
func listOrNone(list []canon.Any) canon.Any {
	if list == nil {
		return canon.Any{}
	}
	return canon.ArrayOf(list...)
}

// text returns a member of an object that is a string, "" if there is none.
func text(object canon.Any, names ...string) string {
	for _, name := range names {
		if v, _ := object.Get(name); v.Kind == canon.KindString {
			return v.Text
		}
	}
	return ""
}

// memberOf returns a member of an object under any of its names: Gemini accepts
// camelCase and snake_case.
func memberOf(object canon.Any, names ...string) (canon.Any, bool) {
	for _, name := range names {
		if v, ok := object.Get(name); ok {
			return v, true
		}
	}
	return canon.Any{}, false
}

// get follows members of objects.
func get(v canon.Any, path ...string) canon.Any {
	for _, name := range path {
		v, _ = v.Get(name)
	}
	return v
}
