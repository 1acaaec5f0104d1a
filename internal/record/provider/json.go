package provider

import "github.com/contexttree/pact/internal/canon"

// These make JSON values.
func str(text string) canon.Any { return canon.Any{Kind: canon.KindString, Text: text} }

func obj(pairs ...any) canon.Any {
	var members []canon.Member
	for i := 0; i < len(pairs); i += 2 {
		value, ok := pairs[i+1].(canon.Any)
		if text, isText := pairs[i+1].(string); isText {
			value, ok = str(text), true
		}
		if ok && value.Kind != canon.KindAbsent {
			members = append(members, canon.Member{Name: pairs[i].(string), Value: value})
		}
	}
	return canon.Object(members...)
}

// textOrNone returns a text, absent if it is empty.
func textOrNone(text string) canon.Any {
	if text == "" {
		return canon.Any{}
	}
	return str(text)
}

// numberOrNone returns a number, absent if it is nil.
func numberOrNone(n *int64) canon.Any {
	if n == nil {
		return canon.Any{}
	}
	return canon.Int(*n).Any()
}

// objOrNone returns an object that has members, else an absent value.
func objOrNone(pairs ...any) canon.Any {
	object := obj(pairs...)
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
