package api

import (
	"slices"

	"github.com/contexttree/pact/internal/canon"
)

// begin begins the next message of a list. System messages at the beginning of
// the conversation belong to the system prompt.
func (c *cutter) begin(number int, role string) {
	c.message, c.role = number, roleOf(role)
	if number == 0 && c.section != Conversation {
		c.section = System
	}
	if c.role != "system" {
		c.section = Conversation
	}
}

// odd cuts out a value that is not a message or item.
func (c *cutter) odd(number int, v canon.Any) canon.Any {
	c.begin(number, "other")
	return c.cut(Part{Kind: "part", Content: v})
}

// list reads a list of messages; it treats any other value as a single message.
func (c *cutter) list(v canon.Any, message func(i int, v canon.Any) canon.Any) canon.Any {
	if v.Kind != canon.KindArray {
		return message(0, v)
	}
	return each(v, message)
}

// chatMessages reads the messages of OpenAI chat completions.
func chatMessages(c *cutter, v canon.Any) canon.Any {
	return c.list(v, func(i int, v canon.Any) canon.Any {
		if v.Kind != canon.KindObject {
			return c.odd(i, v)
		}
		c.begin(i, text(v, "role"))
		return walk(v, func(name string, value canon.Any) canon.Any { return c.chatField(v, name, value) })
	})
}

func (c *cutter) chatField(message canon.Any, name string, value canon.Any) canon.Any {
	switch {
	case name == "role" || name == "tool_call_id" || slices.Contains(cacheMarkers, name),
		c.role == "tool" && (name == "name" || name == "is_error"), emptyOrNull(value):
		return escaped(value)
	case name == "content" && c.role == "tool":
		failed, _ := message.Get("is_error") // not of the API, but some clients and imported logs have it
		return c.resultContent(Part{Kind: "result", Call: text(message, "tool_call_id"), Name: text(message, "name"),
			Failed: failed.Text == string(canon.True)}, value)
	case name == "content":
		return c.content(value)
	case name == "tool_calls" && value.Kind == canon.KindArray:
		return each(value, func(_ int, call canon.Any) canon.Any { return c.chatCall(call) })
	case name == "function_call":
		return c.cut(Part{Kind: "call", Content: value, Name: text(value, "name")})
	case name == "reasoning_content" || name == "reasoning" || name == "reasoning_details":
		return c.cut(Part{Kind: "thinking", Content: value})
	}
	return c.cut(Part{Kind: plain(name), Content: value})
}

func (c *cutter) chatCall(call canon.Any) canon.Any {
	function, ok := call.Get("function")
	if !ok {
		custom, _ := call.Get("custom")
		return c.cut(Part{Kind: "call", Content: call, Call: text(call, "id"), Name: text(custom, "name")})
	}
	return walk(call, func(name string, value canon.Any) canon.Any {
		if name != "function" {
			return escaped(value)
		}
		return c.cut(Part{Kind: "call", Content: value, Call: text(call, "id"), Name: text(function, "name")})
	})
}

// messages reads the messages of Anthropic's API.
func messages(c *cutter, v canon.Any) canon.Any {
	c.section = Conversation // this API allows system messages among the others
	return c.list(v, func(i int, v canon.Any) canon.Any {
		if v.Kind != canon.KindObject {
			return c.odd(i, v)
		}
		c.begin(i, text(v, "role"))
		return walk(v, func(name string, value canon.Any) canon.Any {
			if name == "content" {
				return c.content(value)
			}
			return escaped(value)
		})
	})
}

// items reads the input of OpenAI Responses: a text, or a list of items.
func items(c *cutter, v canon.Any) canon.Any {
	if v.Kind == canon.KindString {
		c.begin(0, "user")
		return c.cut(Part{Kind: "text", Content: v})
	}
	return c.list(v, c.item)
}

func (c *cutter) item(i int, v canon.Any) canon.Any {
	word := text(v, "type")
	if role := text(v, "role"); role != "" && (word == "message" || word == "") {
		c.begin(i, role)
		return walk(v, func(name string, value canon.Any) canon.Any {
			if name == "content" {
				return c.content(value)
			}
			return escaped(value)
		})
	}
	if v.Kind != canon.KindObject || word == "" {
		return c.odd(i, v)
	}
	c.begin(i, "assistant")
	p := Part{Kind: kindOf(word), Name: text(v, "name")}
	switch {
	case p.Kind == "result" && only(v, "type", "call_id", "output", "id", "status"):
		return c.result(v, "output", text(v, "call_id"))
	case p.Kind == "result":
		p.Role, p.Call = "tool", text(v, "call_id")
	case p.Kind == "call":
		p.Call = text(v, "call_id", "id")
	case word == "item_reference":
		return c.cut(Part{Kind: "reference", Content: v})
	}
	// The provider sets ids and statuses; a client may send them back or not.
	var lost []canon.Any
	p.Content, lost = without(v, nil, "id", "status")
	return c.cut(p, lost...)
}

// Said returns the parts of an answer: the message of a chat completion, the
// list of output items of a response, the content of a message or of a
// candidate. The next request repeats them in this form.
func Said(api Name, answer canon.Any) []Part {
	c := &cutter{section: Conversation}
	switch api {
	case Chat:
		chatMessages(c, canon.ArrayOf(answer))
	case Responses:
		items(c, answer)
	case Messages:
		c.role = "assistant"
		c.content(answer)
	case Gemini:
		geminiContents(c, canon.ArrayOf(answer))
	}
	return c.parts
}
