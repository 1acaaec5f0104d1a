package transcript

import (
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

// isMessage reports whether a value is one OpenAI message, not a conversation.
func isMessage(v canon.Any) bool {
	kinds := kindsOf(v)
	return shapeOf(kinds) == ShapeOpenAI && kinds["messages"] != canon.KindArray
}

// conversation reads a conversation of any shape.
func conversation(e entry) (*Conversation, error) {
	if e.Kind == canon.KindArray {
		return flat(ShapeOpenAI, e, e.Any, "")
	}
	shape := shapeOf(kindsOf(e.Any))
	switch {
	case shape == ShapeSWESmith:
		return run(e)
	case shape == ShapeTauBench:
		list, _ := e.Get("traj")
		return flat(shape, e, list, "traj")
	case shape == ShapeOpenAI && !isMessage(e.Any):
		list, _ := e.Get("messages")
		return flat(shape, e, list, "messages")
	}
	return nil, &fault.Error{
		Code: fault.DocumentInvalid, Offset: fault.NoOffset, Line: e.line, Token: quote(e.Any),
		Message: "this is not a conversation, although the first entry of the file is one",
		Remedy:  "put either messages or conversations into one file",
	}
}

// flat reads a conversation that is one list of messages. Assistant messages that
// follow one another answer one model call, which was sent the messages before them.
func flat(shape string, e entry, list canon.Any, field string) (*Conversation, error) {
	elems := make([]entry, len(list.Elems))
	for i, v := range list.Elems {
		elems[i].Any = v
	}
	messages, err := messagesOf(elems)
	if err != nil {
		return nil, err
	}
	c := &Conversation{Shape: shape, rest: e.without(field)}
	c.cut(messages)
	return c, nil
}

func (c *Conversation) cut(messages []*message) {
	c.final = messages
	for i, m := range messages {
		switch {
		case m.role != "assistant":
		case i > 0 && messages[i-1].role == "assistant":
			c.joined++
		default:
			c.calls = append(c.calls, messages[:i:i])
		}
	}
}

// without returns the fields of an object except the named ones.
func (e entry) without(names ...string) canon.Any { return without(e.Any, names...) }

func without(a canon.Any, names ...string) canon.Any {
	if a.Kind != canon.KindObject {
		return canon.Any{}
	}
	rest := canon.Any{Kind: canon.KindObject}
	for _, m := range a.Members {
		if !slices.Contains(names, m.Name) {
			rest.Members = append(rest.Members, m)
		}
	}
	return rest
}

// quote returns the beginning of a value, for an error.
func quote(v canon.Any) string {
	return clipped(string(v.Value()))
}

func clipped(text string) string {
	const most = 40
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
