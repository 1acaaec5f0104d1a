package calllog

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// grown makes the calls of a conversation whose messages are in the form of an
// API already: each answer follows a request with everything before it. The
// requests share the messages.
type grown struct {
	api      provider.API
	list     string      // the member of a request that holds the messages
	system   []canon.Any // the parts of the system prompt, for the APIs of Anthropic and Google
	tools    canon.Any
	messages []canon.Any
	answered int // how many messages the last answer ends
	made     Session
}

// call adds a call with everything so far; c has its id, line and times, as far as the log tells them.
func (g *grown) call(c Call, model string, answer canon.Any) {
	if c.ID == "" {
		c.ID = strconv.Itoa(len(g.made.Calls) + 1)
	}
	c.API, c.Path, c.Status = g.api, provider.PathOf(g.api, model), http.StatusOK
	c.Request, c.Answer = g.request(model), answer.AppendTo(nil)
	g.made.Calls = append(g.made.Calls, c)
}

// answer adds the messages of the last answer.
func (g *grown) answer(messages ...canon.Any) {
	g.messages = append(g.messages, messages...)
	g.answered = len(g.messages)
}

// request makes the body of a request. It may keep messages, but not add to it.
func (g *grown) request(model string) canon.Any {
	if g.api == provider.Gemini { // the path names the model
		var system, tools canon.Any
		if len(g.system) > 0 {
			system = canon.Fields("parts", canon.ArrayOf(g.system...))
		}
		if len(g.tools.Elems) > 0 {
			tools = canon.ArrayOf(canon.Fields("functionDeclarations", g.tools))
		}
		return canon.Fields(g.list, canon.ArrayOf(slices.Clip(g.messages)...), "systemInstruction", system, "tools", tools)
	}
	return canon.Fields(g.list, canon.ArrayOf(slices.Clip(g.messages)...), "model", model, "system", listOrAbsent(g.system),
		"tools", listOrAbsent(g.tools.Elems))
}

// session returns what was made.
func (g *grown) session(model string) Session {
	g.made.Exact, g.made.API = Rebuilt, g.api
	if len(g.messages) > g.answered || len(g.made.Calls) == 0 {
		g.made.Unsent = g.request(model)
	}
	return g.made
}

// sessions returns what was made as the only session, none without a message.
func (g *grown) sessions(model string) []Session {
	if len(g.messages) == 0 {
		return nil
	}
	return []Session{g.session(model)}
}

// unknownModel stands for the model where a log does not name it.
const unknownModel = "unknown"

// partTypes are the types of parts that only Anthropic's messages have.
var partTypes = map[string]bool{"tool_use": true, "tool_result": true, "thinking": true, "redacted_thinking": true}

// isAnthropicList reports whether a value is a list of Anthropic's messages, as
// clients keep them to send them again, or one of them.
func isAnthropicList(first raw) bool {
	for _, e := range listOf(first) {
		f := e.fields()
		if role := f.text("role"); role != "user" && role != "assistant" || f["tool_calls"] != nil {
			return false
		}
		for _, p := range f["content"].elems() {
			part := p.fields()
			if partTypes[part.text("type")] || part.text("type") == "image" && part["source"] != nil {
				return true
			}
		}
	}
	return false
}

// isCline reports whether a value is such a list with a time at each message, as Cline keeps the conversation
// of a task (api_conversation_history.json), and Roo Code and Kilo Code after it.
func isCline(first raw) bool {
	for _, e := range listOf(first) {
		f := e.fields()
		if role := f.text("role"); role != "user" && role != "assistant" || f["tool_calls"] != nil {
			return false
		}
		if f["ts"].kind() == canon.KindNumber {
			return true
		}
	}
	return false
}

// listOf returns the elements of a list; any other value is the only one.
func listOf(r raw) []raw {
	if r.kind() == canon.KindArray {
		return r.elems()
	}
	return []raw{r}
}

// readAnthropicList reads a list of Anthropic's messages.
func readAnthropicList(list []entry, found *findings) []Session {
	g := grown{api: provider.Messages, list: "messages"}
	var before int64
	model := unknownModel
	for _, e := range list {
		f := e.fields()
		role := f.text("role")
		if role != "user" && role != "assistant" && role != "system" {
			found.add(e.line, "it is no message of a user or of the assistant, so it was left out")
			continue
		}
		at := timeOf(f["ts"].value())
		content := f["content"].value()
		if role == "assistant" {
			if content.Kind == canon.KindString {
				content = canon.ArrayOf(canon.Fields("type", "text", "text", content))
			}
			about := f["modelInfo"].fields()
			model = cmp.Or(about.text("modelId", "model_id"), model)
			a := provider.Answer{API: g.api, ID: f.text("id"), Content: content, Finish: f.text("stop_reason"),
				Usage: usage(f, "metrics.tokens.prompt", "metrics.tokens.completion", "metrics.tokens.cached", "", "")}
			g.call(Call{Line: e.line, Started: before, Ended: at, ID: a.ID}, model, a.Body())
			g.answer(canon.Fields("role", role, "content", content))
		} else {
			g.messages = append(g.messages, canon.Fields("role", role, "content", content))
		}
		before = at
	}
	return g.sessions(model)
}

// isGeminiList reports whether a value is a list of Gemini's contents.
func isGeminiList(first raw) bool {
	list := listOf(first)
	for _, e := range list {
		f := e.fields()
		if f["parts"].kind() != canon.KindArray || f["kind"] != nil || f["role"] != nil && f.text("role") != "user" &&
			f.text("role") != "model" && f.text("role") != "function" {
			return false
		}
	}
	return len(list) > 0
}

// readGeminiList reads a list of Gemini's contents.
func readGeminiList(list []entry, found *findings) []Session {
	g := grown{api: provider.Gemini, list: "contents"}
	for _, e := range list {
		content := e.value()
		if e.fields()["parts"].kind() != canon.KindArray {
			found.add(e.line, "it is no content, so it was left out")
			continue
		}
		if e.fields().text("role") == "model" {
			a := provider.Answer{API: g.api, Content: content}
			g.call(Call{Line: e.line}, "", a.Body())
			g.answer(content)
			continue
		}
		g.messages = append(g.messages, content)
	}
	return g.sessions("")
}
