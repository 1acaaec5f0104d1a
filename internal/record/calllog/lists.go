package calllog

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/sums"
)

// conversationBuilder makes the calls of a conversation whose messages are in the form of an
// API already: each answer follows a request with everything before it. The
// requests share the messages.
type conversationBuilder struct {
	api      provider.API
	system   []canon.Any // the parts of the system prompt, for the APIs of Anthropic and Google
	tools    canon.Any
	messages []text
	texts    *texts // has the messages and the answers
	answered int    // how many messages the last answer ends
	made     Session
}

// call adds a call with everything so far; c has its id, line and times, as far as the log tells them.
func (g *conversationBuilder) call(c Call, model string, answer canon.Any) {
	if c.ID == "" {
		c.ID = strconv.Itoa(len(g.made.Calls) + 1)
	}
	c.API, c.Path, c.Status = g.api, provider.PathOf(g.api, model), http.StatusOK
	g.request(&c, model)
	c.answered = g.texts.put(answer.Value())
	g.made.Calls = append(g.made.Calls, c)
}

// addMessages adds messages.
func (g *conversationBuilder) addMessages(messages ...canon.Any) {
	for _, m := range messages {
		g.messages = longer(g.messages, g.texts.put(m.Value()))
	}
}

// answer adds the messages of the last answer.
func (g *conversationBuilder) answer(messages ...canon.Any) {
	g.addMessages(messages...)
	g.answered = len(g.messages)
}

// longer appends messages to a list that requests share. The requests before them keep the memory of a shorter one, so it
// doubles where append would add less.
func longer[T any](list []T, more ...T) []T {
	if n := len(list) + len(more); n > cap(list) {
		list = slices.Grow(list, n)
	}
	return append(list, more...)
}

// request gives a call everything so far as its request.
func (g *conversationBuilder) request(c *Call, model string) {
	c.sent, c.of, c.API = slices.Clip(g.messages), g.texts, g.api
	if g.api == provider.Gemini { // the path names the model
		var system, tools canon.Any
		if len(g.system) > 0 {
			system = canon.Fields("parts", canon.ArrayOf(g.system...))
		}
		if len(g.tools.Elems) > 0 {
			tools = canon.ArrayOf(canon.Fields("functionDeclarations", g.tools))
		}
		c.Request = canon.Fields("systemInstruction", system, "tools", tools)
		return
	}
	c.Request = canon.Fields("model", model, "system", listOrAbsent(g.system), "tools", listOrAbsent(g.tools.Elems))
}

// session returns what was made.
func (g *conversationBuilder) session(model string) Session {
	g.made.Exact, g.made.API = Rebuilt, g.api
	if len(g.messages) > g.answered || len(g.made.Calls) == 0 {
		g.made.unsent = &Call{}
		g.request(g.made.unsent, model)
	}
	return g.made
}

// sessions returns what was made as the only session, none without a message.
func (g *conversationBuilder) sessions(model string) []Session {
	if len(g.messages) == 0 {
		return nil
	}
	return []Session{g.session(model)}
}

// partOfAnswer is the finding about a message of the model that no request separates from the one before.
const partOfAnswer = "it follows an answer without a request between them, and was read as part of it"

// unknownModel stands for the model where a log does not name it.
const unknownModel = "unknown"

// partTypes are the types of parts that only Anthropic's messages have.
var partTypes = map[string]bool{"tool_use": true, "tool_result": true, "thinking": true, "redacted_thinking": true}

// formsOf reports whether messages are Anthropic's, and whether they are of chat completions: one of them has what only
// that form has. Both are false for values that are no messages.
func formsOf(list []raw) (anthropic, chat bool) {
	for _, e := range list {
		f := e.fields()
		switch f.text("role") {
		case "user", "assistant", "system":
		case "tool", "developer", "function":
			chat = true
		default:
			return false, false
		}
		anthropic = anthropic || f["stop_reason"] != nil && f["usage"] != nil // an answer as it came
		chat = chat || !f["tool_calls"].empty() || !f["function_call"].empty()
		for _, p := range f["content"].elems() {
			part := p.fields()
			kind := part.text("type")
			anthropic = anthropic || partTypes[kind] || (kind == "image" || kind == "document") && part["source"] != nil
			chat = chat || kind == "image_url" || kind == "input_audio"
		}
	}
	return anthropic, chat
}

// isAnthropicList reports whether a value is a list of Anthropic's messages, as
// clients keep them to send them again, or one of them.
func isAnthropicList(first raw) bool {
	anthropic, chat := formsOf(listOf(first))
	return anthropic && !chat
}

// isAnthropicObject reports whether a value is an object that holds such a list, or a list of them, and no request.
func isAnthropicObject(first raw) bool {
	list := listOf(first)
	if len(list) == 0 {
		return false
	}
	f := list[0].fields()
	if answer, _ := f.first(answerNames...); answer != nil || f["role"] != nil || f["messages"].kind() != canon.KindArray {
		return false
	}
	if (hasRequestFields(f) || !endsWithAnswer(f["messages"])) && apiOf(f) == provider.Messages {
		return false // a body of a request
	}
	return isAnthropicList(f["messages"])
}

// hasRequestFields reports whether an object has what only a request has; without it, one that ends with an answer may be a
// conversation, with the fields of the requests that it came from.
func hasRequestFields(f fields) bool { return f["max_tokens"] != nil || f["stream"] != nil }

// isSent reports whether a value is a request and cannot be a conversation that nobody answered.
func isSent(e record) bool {
	f := e.fields()
	return requests.is(e.raw()) && (hasRequestFields(f) || apiOf(f) != provider.Messages)
}

// readAnthropicObjects reads objects that each hold a conversation.
func readAnthropicObjects(list []record, found *findings) (made []Session) {
	names := map[string]bool{}
	for i, e := range list {
		f := e.fields()
		if f["messages"].kind() != canon.KindArray {
			found.add(e.line, "it holds no list of messages, so it was left out")
			continue
		}
		g := conversationBuilder{api: provider.Messages, texts: found.texts, tools: f["tools"].value()}
		system, _ := f.first("system", "system_prompt")
		g.system = partsOfMessage(system.value())
		for _, s := range g.sessions(g.anthropic(e.under(f["messages"]), cmp.Or(f.text("model"), unknownModel), found)) {
			if s.Name = f.text("id", "conversation_id", "session_id", "sessionId"); s.Name == "" || names[s.Name] {
				s.Name = strconv.Itoa(i)
			}
			names[s.Name] = true
			made = append(made, s)
		}
	}
	return made
}

// countAnthropic counts a message of Anthropic's API, or an object that holds a list of them.
func countAnthropic(e record, b *sums.Book) {
	f := e.fields()
	if list := f["messages"]; list.kind() == canon.KindArray {
		if system, _ := f.first("system", "system_prompt"); system != nil {
			b.Message(system.value())
		}
		for _, m := range e.under(list) {
			countAnthropic(m, b)
		}
		return
	}
	b.Message(f["content"].value())
	if f["metrics"] != nil || f["usage"] != nil {
		b.Tokens("", anthropicUsage(f))
	}
}

// anthropicUsage reads the tokens of an answer: as the API counts them, or as Cline does.
func anthropicUsage(message fields) provider.Usage {
	if counts := message["usage"].fields(); counts != nil {
		return withCached(usage(counts, "input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", ""))
	}
	return usage(message, "metrics.tokens.prompt", "metrics.tokens.completion", "metrics.tokens.cached", "", "")
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
func readAnthropicList(list []record, found *findings) []Session {
	g := conversationBuilder{api: provider.Messages, texts: found.texts}
	return g.sessions(g.anthropic(list, unknownModel, found))
}

// anthropic adds the calls of a list of Anthropic's messages, and returns the model of the last one. Messages of the
// assistant that follow one another are one answer.
func (g *conversationBuilder) anthropic(list []record, model string, found *findings) string {
	var before int64
	for i := 0; i < len(list); i++ {
		e := list[i]
		f := e.fields()
		role := f.text("role")
		if role != "user" && role != "assistant" && role != "system" {
			found.add(e.line, "it is no message of a user or of the assistant, so it was left out")
			continue
		}
		at, content := timeOf(f["ts"].value()), f["content"].value()
		switch {
		case role == "assistant":
			content = canon.ArrayOf(partsOfMessage(content)...)
			for ; i+1 < len(list) && list[i+1].fields().text("role") == role; i++ {
				found.note(list[i+1].line, partOfAnswer)
				f = list[i+1].fields()
				content.Elems = append(content.Elems, partsOfMessage(f["content"].value())...)
				at = timeOf(f["ts"].value())
			}
			model = cmp.Or(f["modelInfo"].fields().text("modelId", "model_id"), f.text("model"), model)
			a := provider.Answer{API: g.api, ID: f.text("id"), Content: content, Finish: f.text("stop_reason"),
				Usage: anthropicUsage(f)}
			g.call(Call{Line: e.line, Started: before, Ended: at, ID: a.ID}, model, a.Body())
			g.answer(canon.Fields("role", role, "content", content))
		case role == "system" && len(g.messages) == 0:
			g.system = append(g.system, partsOfMessage(content)...)
		default:
			g.addMessages(canon.Fields("role", role, "content", content))
		}
		before = at
	}
	return model
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
func readGeminiList(list []record, found *findings) []Session {
	g := conversationBuilder{api: provider.Gemini, texts: found.texts}
	for i := 0; i < len(list); i++ {
		e := list[i]
		content := e.value()
		if e.fields()["parts"].kind() != canon.KindArray {
			found.add(e.line, "it is no content, so it was left out")
			continue
		}
		if e.fields().text("role") == "model" {
			for ; i+1 < len(list) && list[i+1].fields().text("role") == "model"; i++ {
				found.note(list[i+1].line, partOfAnswer)
				parts, _ := content.Get("parts")
				content = canon.Fields("role", "model", "parts",
					canon.ArrayOf(append(parts.Elems, list[i+1].fields()["parts"].value().Elems...)...))
			}
			a := provider.Answer{API: g.api, Content: content}
			g.call(Call{Line: e.line}, "", a.Body())
			g.answer(content)
			continue
		}
		g.addMessages(content)
	}
	return g.sessions("")
}
