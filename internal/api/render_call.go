package api

import (
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// callID returns the id of a call, and generates one for a call without, and for one
// whose id the API refuses.
func (w *renderer) callID(id, name string) string {
	was := id
	if id == "" || w.to == Messages && !plainID(id) {
		for n := len(w.names) + 1; ; n++ {
			if id = "call_" + strconv.Itoa(n); w.names[id] == "" {
				break
			}
		}
		if was == "" {
			w.open = append(w.open, id)
		} else {
			w.renamed[was] = id
		}
	}
	w.names[id] = name
	return id
}

// plainID reports whether an id has only what Anthropic allows in the id of a call.
func plainID(id string) bool {
	return strings.IndexFunc(id, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) < 0
}

// resultID returns the id of the call that a result answers; without an id,
// that of the first open call.
func (w *renderer) resultID(id string) string {
	if id == "" && len(w.open) > 0 {
		id, w.open = w.open[0], w.open[1:]
	}
	if now, ok := w.renamed[id]; ok {
		return now
	}
	return id
}

func (w *renderer) call(p *Part, from Name) bool {
	arguments, name := argumentsOf(p, from)
	if name == "" {
		return false
	}
	id := w.callID(p.Call, name)
	switch w.to {
	case Chat:
		if w.role != "assistant" {
			w.end()
			w.role = "assistant"
		}
		w.calls = append(w.calls, obj("id", id, "type", "function",
			"function", obj("name", name, "arguments", string(arguments.Value()))))
	case Responses:
		w.end()
		w.said = append(w.said, obj("type", "function_call", "call_id", id, "name", name,
			"arguments", string(arguments.Value())))
	case Messages:
		w.say("assistant", obj("type", "tool_use", "id", id, "name", name, "input", arguments))
	case Gemini:
		if from == Gemini {
			w.say("assistant", p.Content)
			break
		}
		w.say("assistant", obj("functionCall", obj("id", id, "name", name, "args", arguments)))
	}
	return true
}

// argumentsOf returns the arguments of a call as an object, and the name of its
// tool.
func argumentsOf(p *Part, from Name) (arguments canon.Any, name string) {
	v := p.Content
	switch from {
	case Messages:
		arguments, _ = v.Get("input")
	case Gemini:
		call, _ := member(v, "functionCall", "function_call")
		arguments, _ = call.Get("args")
	default:
		arguments, _ = v.Get("arguments")
	}
	if arguments.Kind == canon.KindString {
		if parsed, err := canon.ParseAny([]byte(arguments.Text)); err == nil {
			arguments = parsed
		} else {
			arguments = obj("arguments", arguments.Text) // the arguments are not JSON
		}
	}
	if arguments.Kind == canon.KindAbsent {
		arguments = canon.Object()
	}
	return arguments, p.Name
}

func (w *renderer) result(p *Part, from Name) bool {
	content := p.Content
	if from == Gemini {
		response, _ := member(content, "functionResponse", "function_response")
		content, _ = response.Get("response")
	}
	id := w.resultID(p.Call)
	said, plain := plainOf(content)
	if !plain && !(from == w.to && content.Kind == canon.KindArray) {
		said = string(content.Value())
	}
	value := str(said)
	if from == w.to && content.Kind == canon.KindArray {
		value = content
	}
	switch w.to {
	case Chat:
		w.end()
		w.said = append(w.said, obj("role", "tool", "tool_call_id", id, "content", value))
	case Responses:
		w.end()
		w.said = append(w.said, obj("type", "function_call_output", "call_id", id, "output", value))
	case Messages:
		var failed canon.Any
		if p.Failed {
			failed = canon.Any{Kind: canon.KindBool, Text: string(canon.True)}
		}
		w.say("user", obj("type", "tool_result", "tool_use_id", id, "content", value, "is_error", failed))
	case Gemini:
		if from == Gemini {
			w.say("user", p.Content)
			break
		}
		w.say("user", obj("functionResponse", obj("id", id, "name", w.names[id], "response", obj("output", value))))
	}
	return true
}
