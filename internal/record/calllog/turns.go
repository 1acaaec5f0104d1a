package calllog

import (
	"cmp"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// spoken is a conversation that a program keeps in a form of its own. The
// requests are made of it again, for the API of the provider that answered: each
// turn of the model is the answer to a request with all turns before it.
type spoken struct {
	api   provider.API // Chat, Messages or Gemini
	model string       // of a turn that names none
	tools canon.Any
	turns []turn
	texts *texts // for the calls
}

// turn is one turn of one side. Its parts are in the words of no API: the content of a text, a thought or a
// result is that itself, of an image its address, of a call the arguments; any other part is as the next
// request has it.
type turn struct {
	role  string // system, user or assistant
	parts []provider.Part
	line  int
	at    int64 // when it was said, ns since the epoch, 0 if unknown

	fresh bool // the conversation begins anew with this turn: the agent put a summary in the place of what was before
	// of an answer
	copied bool   // it repeats an answer of another session, so it is no call
	id     string // of the call in the log
	began  int64
	answer provider.Answer // without its content
	attrs  []canon.Member
}

func textPart(text string) provider.Part {
	return provider.Part{Kind: "text", Content: canon.Text(text)}
}

func imagePart(address string) provider.Part {
	return provider.Part{Kind: "image", Content: canon.Text(address)}
}

func thoughtPart(thought canon.Any) provider.Part {
	return provider.Part{Kind: "thinking", Content: thought}
}

func callPart(id, name string, arguments canon.Any) provider.Part {
	return provider.Part{Kind: "call", Call: id, Name: name, Content: arguments}
}

func resultPart(id, name string, content canon.Any, failed bool) provider.Part {
	return provider.Part{Kind: "result", Call: id, Name: name, Content: content, Failed: failed}
}

func otherPart(as canon.Any) provider.Part { return provider.Part{Kind: "part", Content: as} }

// listOrAbsent returns a list, absent if it is empty.
func listOrAbsent(list []canon.Any) canon.Any {
	if len(list) == 0 {
		return canon.Any{}
	}
	return canon.ArrayOf(list...)
}

// session makes the calls of a conversation.
func (s *spoken) session() Session {
	g := conversationBuilder{api: s.api, texts: s.texts, tools: toolsFor(s.api, s.tools.Elems)}
	w := writer{s.api}
	rewrites, begins := false, 0 // how many system messages begin the list
	for i := range s.turns {
		t := &s.turns[i]
		if t.fresh {
			g.messages, g.answered, rewrites = g.messages[:begins:begins], begins, len(g.made.Calls) > 0
		}
		if t.role == "system" && s.api != provider.Chat && len(g.messages) == 0 {
			g.system = append(g.system, w.parts(t)...)
			continue
		}
		if t.role != "assistant" {
			if g.addMessages(w.messages(t)...); t.role == "system" && len(g.messages) == begins+1 {
				begins++
			}
			continue
		}
		if t.copied {
			g.answer(w.messages(t)...)
			continue
		}
		c := Call{ID: t.id, Line: t.line, Started: t.began, Ended: t.at, Attrs: t.attrs, Rewrites: rewrites}
		rewrites = false
		if c.Started == 0 && i > 0 {
			c.Started = s.turns[i-1].at
		}
		g.call(c, cmp.Or(t.answer.Model, s.model), w.answer(t))
		g.answer(w.messages(t)...)
	}
	return g.session(s.model)
}

// sessions returns the conversation as the only session, none if nothing was said.
func (s *spoken) sessions() []Session {
	if len(s.turns) == 0 {
		return nil
	}
	return []Session{s.session()}
}

// writer writes turns as messages of an API.
type writer struct{ api provider.API }

// messages returns the messages of a turn. In chat completions each result is a
// message of its own.
func (w writer) messages(t *turn) (list []canon.Any) {
	if w.api == provider.Gemini {
		return []canon.Any{w.geminiTurn(t)}
	}
	if t.role == "assistant" {
		return []canon.Any{w.assistant(t)}
	}
	rest := *t
	if w.api == provider.Chat {
		rest.parts = nil
		for _, p := range t.parts {
			if p.Kind == "result" {
				list = append(list, chatResult(&p))
				continue
			}
			rest.parts = append(rest.parts, p)
		}
	}
	if len(rest.parts) > 0 {
		list = append(list, canon.Fields("role", t.role, "content", w.content(&rest)))
	}
	return list
}

// content returns the content of a message: one text as it is, else a list.
func (w writer) content(t *turn) canon.Any {
	if len(t.parts) == 1 && t.parts[0].Kind == "text" {
		return t.parts[0].Content
	}
	return canon.ArrayOf(w.parts(t)...)
}

func (w writer) parts(t *turn) (list []canon.Any) {
	for i := range t.parts {
		list = append(list, w.part(&t.parts[i]))
	}
	return list
}

func (w writer) part(p *provider.Part) canon.Any {
	if w.api == provider.Gemini {
		return geminiPart(p)
	}
	switch p.Kind {
	case "text":
		return canon.Fields("type", "text", "text", p.Content)
	case "image":
		return w.image(p.Content.Text)
	case "thinking":
		if p.Content.Kind == canon.KindString {
			return canon.Fields("type", "thinking", "thinking", p.Content)
		}
	case "call":
		return canon.Fields("type", "tool_use", "id", p.Call, "name", p.Name, "input", parsedArguments(p.Content))
	case "result":
		return canon.Fields("type", "tool_result", "tool_use_id", p.Call, "content", resultContent(p.Content), "is_error", failure(p))
	}
	return p.Content
}

// failure is true of the result of a call that failed, else absent.
func failure(p *provider.Part) canon.Any {
	if p.Failed {
		return canon.True.Any()
	}
	return canon.Any{}
}

// image writes an image that has a URL, which may hold the image itself.
func (w writer) image(from string) canon.Any {
	if w.api == provider.Chat {
		return canon.Fields("type", "image_url", "image_url", canon.Fields("url", from))
	}
	media, data, inside := strings.Cut(strings.TrimPrefix(from, "data:"), ";base64,")
	if !inside {
		return canon.Fields("type", "image", "source", canon.Fields("type", "url", "url", from))
	}
	return canon.Fields("type", "image", "source", canon.Fields("type", "base64", "media_type", media, "data", data))
}

// assistant writes a turn of the model as the message that later requests repeat.
func (w writer) assistant(t *turn) canon.Any {
	if w.api == provider.Messages {
		return canon.Object(canon.Member{Name: "role", Value: canon.Text("assistant")},
			canon.Member{Name: "content", Value: canon.ArrayOf(w.parts(t)...)})
	}
	var rest turn
	var calls, thoughts []canon.Any
	for _, p := range t.parts {
		switch p.Kind {
		case "call":
			calls = append(calls, canon.Fields("id", p.Call, "type", "function",
				"function", canon.Fields("name", p.Name, "arguments", writtenArguments(p.Content))))
		case "thinking":
			thoughts = append(thoughts, p.Content)
		default:
			rest.parts = append(rest.parts, p)
		}
	}
	content := canon.Null.Any()
	if len(rest.parts) > 0 {
		content = w.content(&rest)
	}
	thought := listOrAbsent(thoughts)
	if len(thoughts) == 1 {
		thought = thoughts[0]
	}
	return canon.Fields("role", "assistant", "content", content, "tool_calls", listOrAbsent(calls), "reasoning_content", thought)
}

func chatResult(p *provider.Part) canon.Any {
	return canon.Fields("role", "tool", "tool_call_id", p.Call, "name", p.Name, "content", resultContent(p.Content),
		"is_error", failure(p))
}

// parsedArguments returns the arguments of a call as an object.
func parsedArguments(v canon.Any) canon.Any {
	if v.Kind == canon.KindString {
		if parsed, err := canon.ParseAny([]byte(v.Text)); err == nil && parsed.Kind == canon.KindObject {
			return parsed
		}
	}
	if v.Kind == canon.KindAbsent || v.Kind == canon.KindNull || v.Kind == canon.KindString && strings.TrimSpace(v.Text) == "" {
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
		return canon.Text("{}")
	}
	return canon.Text(string(v.Value()))
}

// resultContent returns the content of a result as a text or a list of parts: the APIs
// take nothing else, so programs send other values as JSON.
func resultContent(v canon.Any) canon.Any {
	switch v.Kind {
	case canon.KindString:
		return v
	case canon.KindAbsent:
		return canon.Text("")
	case canon.KindNull:
		return v // a tool that answered nothing did not answer an empty text
	case canon.KindArray:
		for _, e := range v.Elems {
			if kind, _ := e.Get("type"); kind.Kind != canon.KindString {
				return canon.Text(string(v.Value()))
			}
		}
		if len(v.Elems) > 0 {
			return v
		}
	}
	return canon.Text(string(v.Value()))
}

// answer writes a turn of the model as the body of an answer.
func (w writer) answer(t *turn) canon.Any {
	a := t.answer
	a.API = w.api
	switch {
	case len(t.parts) == 0 && a.Failure != "":
	case w.api == provider.Messages:
		a.Content = canon.ArrayOf(w.parts(t)...)
	case w.api == provider.Gemini:
		a.Content = w.geminiTurn(t)
	default:
		a.Content = w.assistant(t)
	}
	return a.Body()
}
