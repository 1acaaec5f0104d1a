package transcript

import (
	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
)

// partSpec maps one part of a list of contents.
func partSpec(part canon.Any) pact.Spec {
	kind, _ := part.Get("type")
	if kind.Kind == canon.KindString {
		value, ok := part.Get(kind.Text)
		switch {
		case kind.Text == "text" && value.Kind == canon.KindString:
			return pact.Spec{Kind: "text", Content: value.Value(), Attrs: leftover(attrPart, part, "type", "text")}
		case kind.Text == "image_url" && ok:
			return pact.Spec{Kind: "image", Content: value.Value(), Attrs: leftover(attrPart, part, "type", "image_url")}
		}
	}
	return pact.Spec{Kind: kindOfPart(kind), Content: part.Value(), Attrs: map[string]any{attrForm: formPart}}
}

// kindOfPart returns the kind header for a part of another type. Calls and
// results are messages or fields of their own, so a part never gets their kind.
func kindOfPart(kind canon.Any) string {
	if kind.Kind != canon.KindString || !plainWord(kind.Text) || kind.Text == "call" || kind.Text == "result" {
		return "part"
	}
	return kind.Text
}

func plainWord(s string) bool {
	const longest = 64
	for i := 0; i < len(s); i++ {
		letter := 'a' <= s[i]|0x20 && s[i]|0x20 <= 'z'
		if !letter && (i == 0 || s[i] != '_' && s[i] != '-' && (s[i] < '0' || s[i] > '9')) {
			return false
		}
	}
	return s != "" && len(s) <= longest
}

// leftover returns an attribute with the remaining fields of an object, none if
// nothing remains.
func leftover(attr string, a canon.Any, names ...string) map[string]any {
	rest := without(a, names...)
	if len(rest.Members) == 0 {
		return nil
	}
	return map[string]any{attr: rest}
}

// callsOf maps the tool calls in the fields of an assistant message, including
// the legacy function_call, and returns the remaining fields.
func callsOf(fields canon.Any) (calls []block, rest canon.Any) {
	var mapped []string
	if legacy, _ := fields.Get("function_call"); legacy.Kind == canon.KindObject {
		mapped = append(mapped, "function_call")
		b := block{apart: true, Spec: pact.Spec{Kind: "call", Content: legacy.Value(),
			Attrs: map[string]any{attrForm: formFunction}}}
		if name, _ := legacy.Get("name"); name.Kind == canon.KindString {
			b.call = callKey{function: name.Text}
		}
		calls = append(calls, b)
	}
	if list, _ := fields.Get("tool_calls"); list.Kind == canon.KindArray && len(list.Elems) > 0 {
		mapped = append(mapped, "tool_calls")
		for _, call := range list.Elems {
			calls = append(calls, callBlock(call))
		}
	}
	return calls, without(fields, mapped...)
}

func callBlock(call canon.Any) block {
	b := block{apart: true, Spec: pact.Spec{Kind: "call"}}
	if id, _ := call.Get("id"); id.Kind == canon.KindString {
		b.call = callKey{id: id.Text}
	}
	if function, _ := call.Get("function"); function.Kind == canon.KindObject {
		b.Content, b.Attrs = function.Value(), leftover(attrCall, call, "function")
		return b
	}
	b.Content, b.Attrs = call.Value(), map[string]any{attrForm: formCall}
	return b
}
