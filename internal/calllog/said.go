package calllog

import (
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/api"
	"github.com/contexttree/pact/internal/canon"
)

// spoken is a conversation that a program keeps in a form of its own. The
// requests are made of it again, for the API of the provider that answered: each
// turn of the model is the answer to a request with all turns before it.
type spoken struct {
	api    api.Name // Chat or Messages
	model  string   // of a turn that names none
	tools  canon.Any
	params []canon.Member
	turns  []turn
}

// turn is what one side said at a time.
type turn struct {
	role  string // system, user or assistant
	parts []piece
	line  int
	at    int64 // when it was said, ns since the epoch, 0 if unknown

	// of an answer
	id, answerID, model, finish, failure string
	began                                int64
	usage                                usage
	attrs                                map[string]canon.Any
}

// piece is a part of a turn.
type piece struct {
	kind   pieceKind
	text   string    // of a text, a thought, and the URL of an image
	value  canon.Any // arguments of a call, content of a result, or another part as it is
	id     string    // of a call; of a result, the call that it answers
	name   string    // of the tool
	failed bool      // the call failed
}

type pieceKind uint8

const (
	isText pieceKind = iota
	isImage
	isThought
	isCall
	isResult
	isOther
)

// usage is how many tokens a call took, nil where the log does not say.
type usage struct{ in, out, cached, written, reasoning *int64 }

// str makes a text.
func str(text string) canon.Any { return canon.Any{Kind: canon.KindString, Text: text} }

func number(n int64) canon.Any {
	return canon.Any{Kind: canon.KindNumber, Text: strconv.FormatInt(n, 10)}
}

// obj makes an object of names and values in turn: strings, numbers and values.
// It leaves out what is absent: "", nil and a value without a kind.
func obj(pairs ...any) canon.Any {
	var members []canon.Member
	for i := 0; i+1 < len(pairs); i += 2 {
		var value canon.Any
		switch v := pairs[i+1].(type) {
		case string:
			if v != "" {
				value = str(v)
			}
		case *int64:
			if v != nil {
				value = number(*v)
			}
		case canon.Any:
			value = v
		}
		if value.Kind != canon.KindAbsent {
			members = append(members, canon.Member{Name: pairs[i].(string), Value: value})
		}
	}
	return canon.Object(members...)
}

// has returns an object without members if nothing is in it, else the object.
func orAbsent(object canon.Any) canon.Any {
	if len(object.Members) == 0 {
		return canon.Any{}
	}
	return object
}

// session makes the calls of a conversation. Their requests share the messages.
func (s *spoken) session(missing ...string) Session {
	made := Session{Exact: Rebuilt, Missing: missing, API: s.api}
	var system, messages []canon.Any
	w := writer{s.api}
	answered := 0
	for i := range s.turns {
		t := &s.turns[i]
		if t.role == "system" && s.api == api.Messages && len(messages) == 0 {
			system = append(system, w.parts(t)...)
			continue
		}
		if t.role == "assistant" {
			c := Call{ID: t.id, API: s.api, Line: t.line, Started: t.began, Ended: t.at, Status: 200, Attrs: t.attrs}
			if c.ID == "" {
				c.ID = strconv.Itoa(len(made.Calls) + 1)
			}
			if c.Started == 0 && i > 0 {
				c.Started = s.turns[i-1].at
			}
			model := t.model
			if model == "" {
				model = s.model
			}
			c.Path = pathOf(s.api, model)
			c.Request = s.request(model, system, messages)
			c.Answer = w.answer(t).AppendTo(nil)
			made.Calls = append(made.Calls, c)
		}
		messages = append(messages, w.messages(t)...)
		if t.role == "assistant" {
			answered = len(messages)
		}
	}
	if len(messages) > answered || len(made.Calls) == 0 {
		made.Rest = s.request(s.model, system, messages)
	}
	return made
}

// request makes the body of a request. It may keep messages, but not add to it.
func (s *spoken) request(model string, system, messages []canon.Any) canon.Any {
	members := []canon.Member{{Name: "messages", Value: canon.ArrayOf(messages[:len(messages):len(messages)]...)}}
	if model != "" {
		members = append(members, canon.Member{Name: "model", Value: str(model)})
	}
	if len(system) > 0 {
		members = append(members, canon.Member{Name: "system", Value: canon.ArrayOf(system...)})
	}
	if s.tools.Kind == canon.KindArray && len(s.tools.Elems) > 0 {
		members = append(members, canon.Member{Name: "tools", Value: s.tools})
	}
	return canon.Object(append(members, s.params...)...)
}

// writer writes turns as messages of an API.
type writer struct{ api api.Name }

// messages returns the messages of a turn. In chat completions each result is a
// message of its own.
func (w writer) messages(t *turn) (list []canon.Any) {
	if t.role == "assistant" {
		return []canon.Any{w.said(t)}
	}
	rest := *t
	if w.api == api.Chat {
		rest.parts = nil
		for _, p := range t.parts {
			if p.kind == isResult {
				list = append(list, w.chatResult(&p))
				continue
			}
			rest.parts = append(rest.parts, p)
		}
	}
	if len(rest.parts) > 0 {
		list = append(list, obj("role", t.role, "content", w.content(&rest)))
	}
	return list
}

// content returns the content of a message: one text as it is, else a list.
func (w writer) content(t *turn) canon.Any {
	if len(t.parts) == 1 && t.parts[0].kind == isText {
		return str(t.parts[0].text)
	}
	return canon.ArrayOf(w.parts(t)...)
}

func (w writer) parts(t *turn) (list []canon.Any) {
	for i := range t.parts {
		list = append(list, w.part(&t.parts[i]))
	}
	return list
}

func (w writer) part(p *piece) canon.Any {
	switch p.kind {
	case isText:
		return canon.Object(canon.Member{Name: "type", Value: str("text")}, canon.Member{Name: "text", Value: str(p.text)})
	case isImage:
		return w.image(p.text)
	case isThought:
		return w.thought(p)
	case isCall:
		return obj("type", "tool_use", "id", p.id, "name", p.name, "input", parsedArguments(p.value))
	case isResult:
		failed := canon.Any{}
		if p.failed {
			failed = canon.True.Any()
		}
		return obj("type", "tool_result", "tool_use_id", p.id, "content", resultContent(p.value), "is_error", failed)
	}
	return p.value
}

func (w writer) thought(p *piece) canon.Any {
	if p.value.Kind != canon.KindAbsent {
		return p.value
	}
	return obj("type", "thinking", "thinking", str(p.text))
}

// image writes an image that has a URL, which may hold the image itself.
func (w writer) image(from string) canon.Any {
	if w.api == api.Chat {
		return obj("type", "image_url", "image_url", obj("url", from))
	}
	media, data, inside := strings.Cut(strings.TrimPrefix(from, "data:"), ";base64,")
	if !inside {
		return obj("type", "image", "source", obj("type", "url", "url", from))
	}
	return obj("type", "image", "source", obj("type", "base64", "media_type", media, "data", data))
}

// said writes a turn of the model as the message that later requests repeat.
func (w writer) said(t *turn) canon.Any {
	if w.api == api.Messages {
		return canon.Object(canon.Member{Name: "role", Value: str("assistant")},
			canon.Member{Name: "content", Value: canon.ArrayOf(w.parts(t)...)})
	}
	var rest turn
	var calls, thoughts []canon.Any
	for _, p := range t.parts {
		switch p.kind {
		case isCall:
			calls = append(calls, obj("id", p.id, "type", "function",
				"function", obj("name", p.name, "arguments", writtenArguments(p.value))))
		case isThought:
			thoughts = append(thoughts, thoughtValue(&p))
		default:
			rest.parts = append(rest.parts, p)
		}
	}
	content := canon.Null.Any()
	if len(rest.parts) > 0 {
		content = w.content(&rest)
	}
	var list, thought canon.Any
	if len(calls) > 0 {
		list = canon.ArrayOf(calls...)
	}
	switch {
	case len(thoughts) == 1:
		thought = thoughts[0]
	case len(thoughts) > 1:
		thought = canon.ArrayOf(thoughts...)
	}
	return obj("role", "assistant", "content", content, "tool_calls", list, "reasoning_content", thought)
}

func thoughtValue(p *piece) canon.Any {
	if p.value.Kind != canon.KindAbsent {
		return p.value
	}
	return str(p.text)
}

func (w writer) chatResult(p *piece) canon.Any {
	failed := canon.Any{}
	if p.failed {
		failed = canon.True.Any()
	}
	return obj("role", "tool", "tool_call_id", p.id, "name", p.name, "content", resultContent(p.value), "is_error", failed)
}

// parsedArguments returns the arguments of a call as an object.
func parsedArguments(v canon.Any) canon.Any {
	if v.Kind == canon.KindString {
		if parsed, err := canon.ParseAny([]byte(v.Text)); err == nil && parsed.Kind == canon.KindObject {
			return parsed
		}
	}
	if v.Kind == canon.KindAbsent || v.Kind == canon.KindNull {
		return canon.Object()
	}
	return v
}

// writtenArguments returns the arguments of a call as a text that holds JSON.
func writtenArguments(v canon.Any) canon.Any {
	switch v.Kind {
	case canon.KindString:
		return v
	case canon.KindAbsent, canon.KindNull:
		return str("{}")
	}
	return str(string(v.Value()))
}

// resultContent returns what a tool said as a text or a list of parts: the APIs
// take nothing else, so programs send other values as JSON.
func resultContent(v canon.Any) canon.Any {
	switch v.Kind {
	case canon.KindString:
		return v
	case canon.KindAbsent, canon.KindNull:
		return str("")
	case canon.KindArray:
		for _, e := range v.Elems {
			if kind, _ := e.Get("type"); kind.Kind != canon.KindString {
				return str(string(v.Value()))
			}
		}
		if len(v.Elems) > 0 {
			return v
		}
	}
	return str(string(v.Value()))
}
