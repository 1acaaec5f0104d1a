package sums

import (
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// walk collects what a value says: its texts, and the calls and results of tools in the words of an API.
type walk struct {
	read           bool // the value was read: texts in it may be written as the texts of a file are not
	except         []string
	texts          []key
	calls, results []key
}

// silent are members whose values a reader writes anew.
var silent = []string{"type", "role"}

func (w *walk) value(v canon.Any, name string) {
	switch v.Kind {
	case canon.KindString:
		w.text(v.Text)
	case canon.KindArray:
		for _, e := range v.Elems {
			if name == "tool_calls" {
				w.calls = append(w.calls, idOf('c', e, "id"))
			}
			w.value(e, "")
		}
	case canon.KindObject:
		w.object(v)
		for _, m := range v.Members {
			if !slices.Contains(silent, m.Name) && !slices.Contains(w.except, m.Name) {
				w.value(m.Value, m.Name)
			}
		}
	}
}

// text collects a text. One that is JSON may be read as the value that it writes, and the other way round.
func (w *walk) text(text string) {
	if text == "" {
		return
	}
	if text[0] == '{' || text[0] == '[' {
		if v, err := canon.ParseAny([]byte(text)); err == nil {
			w.value(v, "")
			if !w.read {
				return
			}
		}
	}
	w.texts = append(w.texts, keyOf('t', text))
}

// object finds the call or the result that an object is.
func (w *walk) object(v canon.Any) {
	kind, _ := v.Get("type")
	role, _ := v.Get("role")
	switch {
	case strings.HasSuffix(kind.Text, "_output") || strings.HasSuffix(kind.Text, "tool_result"):
		w.results = append(w.results, idOf('r', v, "call_id", "tool_use_id"))
	case strings.HasSuffix(kind.Text, "tool_use") || strings.HasSuffix(kind.Text, "_call"):
		w.calls = append(w.calls, idOf('c', v, "call_id", "id"))
	case role.Text == "tool" || role.Text == "function" && kind.Kind == canon.KindAbsent:
		if _, is := v.Get("content"); is {
			w.results = append(w.results, idOf('r', v, "tool_call_id"))
		}
	}
	for _, name := range []string{"functionCall", "function_call"} {
		if call, _ := v.Get(name); call.Kind == canon.KindObject {
			w.calls = append(w.calls, idOf('c', call, "id"))
		}
	}
	for _, name := range []string{"functionResponse", "function_response"} {
		if result, _ := v.Get(name); result.Kind == canon.KindObject {
			w.results = append(w.results, idOf('r', result, "id"))
		}
	}
}

// idOf returns the key of a call or a result: its id, or what it says if it has none.
func idOf(kind byte, v canon.Any, names ...string) key {
	for _, name := range names {
		if id, _ := v.Get(name); id.Text != "" && id.Kind == canon.KindString {
			return keyOf(kind, id.Text)
		}
	}
	return keyOf(kind, string(v.Value()))
}
