package transcript

import (
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

// maxRun is the largest size in bytes of the fields that Read keeps of a
// SWE-smith run.
const maxRun = 64 << 10

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

// flat reads a conversation that is one list of messages. Each assistant
// message answers one model call, which was sent the messages before it.
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
		if m.role == "assistant" {
			c.calls = append(c.calls, messages[:i:i])
		}
	}
}

// run reads a SWE-smith trajectory. Each step lists the messages after its
// call, including answer and observation, so a call was sent the list of the
// previous step. Steps may rewrite earlier messages.
func run(e entry) (*Conversation, error) {
	trajectory, _ := e.Get("trajectory")
	c := &Conversation{Shape: ShapeSWESmith, rest: e.without("trajectory", "history")}
	if len(c.rest.Value()) > maxRun {
		info, _ := c.rest.Get("info")
		stats, _ := info.Get("model_stats") // its counts stay
		c.rest = canon.Any{}
		if stats.Kind == canon.KindObject {
			info = canon.Object(canon.Member{Name: "model_stats", Value: stats})
			c.rest = canon.Object(canon.Member{Name: "info", Value: info})
		}
	}
	same := make(map[canon.Value]*message) // equal messages share one value
	for i, step := range trajectory.Elems {
		list, _ := step.Get("messages")
		if list.Kind != canon.KindArray {
			return nil, &fault.Error{
				Code: fault.DocumentInvalid, Offset: fault.NoOffset, Line: e.line, Token: quote(step),
				Message: "step " + strconv.Itoa(i) + " of the trajectory has no list of messages",
			}
		}
		after := make([]*message, len(list.Elems))
		for n, v := range list.Elems {
			m, err := newMessage(entry{v, e.line}, n)
			if err != nil {
				return nil, inStep(err, i)
			}
			key := v.Value()
			if known := same[key]; known != nil {
				m = known
			}
			same[key], after[n] = m, m
		}
		if i == 0 {
			c.final = beforeAnswer(after)
		}
		c.calls = append(c.calls, c.final)
		c.final = after
	}
	return c, nil
}

// beforeAnswer returns the messages before the first assistant message.
func beforeAnswer(list []*message) []*message {
	i := slices.IndexFunc(list, func(m *message) bool { return m.role == "assistant" })
	if i < 0 {
		return list
	}
	return list[:i:i]
}

func inStep(err *fault.Error, i int) error {
	err.Message = "step " + strconv.Itoa(i) + ": " + err.Message
	return err
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
