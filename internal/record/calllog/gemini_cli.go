package calllog

import (
	"bytes"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// isGeminiChat reports whether a value is of a session that Gemini CLI keeps in its folder chats: its beginning, or an
// answer.
func isGeminiChat(first raw) bool {
	f := first.fields()
	return beginsGeminiChat(f) || f.text("type") == "gemini" && f.text("id") != "" && f.text("timestamp") != ""
}

func beginsGeminiChat(f fields) bool { return f.text("sessionId") != "" && f.text("projectHash") != "" }

// geminiChat rebuilds the requests of a session of Gemini CLI.
type geminiChat struct {
	conversationBuilder
	found  *findings
	now    []chatMessage  // the conversation as the records so far have it
	index  map[string]int // of its messages, by their ids
	sent   int            // how many of them are in messages already
	copied int            // how many messages were copied because the conversation was set back
	before int64          // when the last message was written
	replay bool           // the conversation is another one since the last call
	model  string
}

// chatMessage is a message of a session. Records with one id are versions of one message.
type chatMessage struct {
	fields
	line    int
	begins  int  // how many contents stand before it
	history bool // no call made it: it was a call before, or the agent wrote it in place of others
}

// readGeminiChat reads sessions of Gemini CLI: one object, or, from version 0.33 on, records of which each adds a
// message, writes one anew, or sets the conversation back.
func readGeminiChat(list []record, found *findings) (made []Session) {
	var c *geminiChat
	end := func() {
		if c != nil {
			c.flush(len(c.now))
			made = append(made, c.sessions(c.model)...)
		}
	}
	for _, e := range list {
		f := e.fields()
		if c == nil || beginsGeminiChat(f) && len(c.now) > 0 && f.text("sessionId") != c.made.Name {
			end()
			c = &geminiChat{conversationBuilder: conversationBuilder{api: provider.Gemini, texts: found.texts}, found: found}
		}
		c.record(e, f)
	}
	end()
	return made
}

// record takes one record.
func (c *geminiChat) record(e record, f fields) {
	set := f["$set"].fields()
	switch {
	case f["$rewindTo"] != nil:
		c.rewind(f.text("$rewindTo"))
	case set["messages"].kind() == canon.KindArray:
		c.replace(e.under(set["messages"]))
	case f["$set"] != nil: // settings, such as when the session was last used
	case beginsGeminiChat(f):
		c.made.Name = f.text("sessionId")
		for _, m := range e.under(f["messages"]) {
			c.message(m)
		}
	case f.text("id") != "" || f.text("type") != "":
		c.message(e)
	default:
		c.found.add(e.line, "it is no message of the session, so it was left out")
	}
}

// message adds a message, or puts a later version in the place of an earlier one.
func (c *geminiChat) message(e record) {
	m := chatMessage{fields: e.fields(), line: e.line}
	if i, known := c.index[m.text("id")]; known {
		m.line = c.now[i].line
		c.now[i] = m
		return
	}
	c.add(m)
}

func (c *geminiChat) add(m chatMessage) {
	if id := m.text("id"); id != "" {
		if c.index == nil {
			c.index = map[string]int{}
		}
		c.index[id] = len(c.now)
	}
	c.now = append(c.now, m)
}

// rewind sets the conversation back to before a message; to its beginning if it has none with that id.
func (c *geminiChat) rewind(id string) {
	c.flush(len(c.now))
	i := c.index[id]
	for _, m := range c.now[i:] {
		delete(c.index, m.text("id"))
	}
	c.truncate(i)
	c.now = c.now[:i]
}

// replace puts a list of messages in the place of the conversation, as Gemini CLI does after a compaction.
func (c *geminiChat) replace(list []record) {
	c.flush(len(c.now))
	known := c.index
	c.truncate(0)
	c.now, c.index, c.replay = nil, nil, true
	for _, e := range list {
		m := chatMessage{fields: e.fields(), line: e.line}
		_, before := known[m.text("id")]
		m.history = before || m.fields["tokens"].empty() && m.text("model") == ""
		c.add(m)
	}
}

// mostCopied is how many messages all branches of one session may have copied of others.
const mostCopied = 1 << 20

// truncate forgets the contents of the messages from one on.
func (c *geminiChat) truncate(i int) {
	if i < c.sent {
		at := c.now[i].begins
		c.messages, c.sent = c.messages[:at:at], i
		c.answered = min(c.answered, at)
		if c.copied += at; c.copied > mostCopied {
			c.found.add(0, "the session was set back so often that its earlier branches were left out")
			c.messages, c.copied, c.answered = nil, 0, 0
			for k := range c.now[:i] {
				c.now[k].begins = 0
			}
		}
	}
}

// flush adds the messages up to one to the conversation, and a call for each answer.
func (c *geminiChat) flush(end int) {
	for c.sent < end {
		m := &c.now[c.sent]
		m.begins = len(c.messages)
		c.sent++
		switch kind := m.text("type"); kind {
		case "user":
			c.user(m)
		case "gemini":
			c.gemini(m)
		default:
			c.found.add(m.line, "a message of the type "+kind+" was left out: it is shown to the user and not sent")
		}
		if at := timeOf(m.fields["timestamp"].value()); at > 0 {
			c.before = at
		}
	}
}

// user adds a message of the user. A command of the user interface is none.
func (c *geminiChat) user(m *chatMessage) {
	t := turn{role: "user", parts: contentParts(m.fields["content"])}
	if len(t.parts) == 1 && strings.HasPrefix(t.parts[0].Content.Text, "/") &&
		(c.sent >= len(c.now) || c.now[c.sent].text("type") != "gemini") {
		c.found.add(m.line, "a command of the user was left out: it is not sent")
		return
	}
	if len(t.parts) > 0 {
		c.addMessages(writer{c.api}.messages(&t)...)
	}
}

// contentParts reads a content of Gemini CLI: a text, a part, or a list of both.
func contentParts(content raw) (parts []provider.Part) {
	for _, r := range listOf(content) {
		switch {
		case r.kind() == canon.KindString && r.text() != "":
			parts = append(parts, textPart(r.text()))
		case r.kind() == canon.KindObject:
			parts = append(parts, otherPart(r.value()))
		}
	}
	return parts
}

// gemini adds a message of the model, with what its tools answered.
func (c *geminiChat) gemini(m *chatMessage) {
	w := writer{c.api}
	t := turn{role: "assistant", parts: contentParts(m.fields["content"]), answer: provider.Answer{
		API: c.api, ID: m.text("id"), Model: m.text("model"), Usage: chatUsage(m.fields["tokens"].fields())}}
	ids := c.calls(m, &t)
	results := turn{role: "user", parts: c.results(m, ids)}
	if t.answer.Model != "" {
		c.model = t.answer.Model
	}
	if len(t.parts) == 0 && m.fields["tokens"].empty() {
		c.found.add(m.line, "an answer with nothing in it was left out")
		return
	}
	if !m.history && !c.joins(m, &t) {
		call := Call{ID: m.text("id"), Line: m.line, Started: c.before, Ended: timeOf(m.fields["timestamp"].value()),
			Rewrites: c.replay}
		if call.Ended < call.Started {
			call.Started = 0
		}
		c.call(call, c.model, w.answer(&t))
		c.replay = false
	}
	c.answer(w.messages(&t)...)
	if len(results.parts) > 0 {
		c.addMessages(w.messages(&results)...)
	}
}

// joins adds a message to the answer before, if nothing stands between them and one of the two has no tokens: one answer
// is one call.
func (c *geminiChat) joins(m *chatMessage, t *turn) bool {
	n := len(c.made.Calls) - 1
	if c.sent < 2 || n < 0 || c.replay || c.answered != len(c.messages) {
		return false
	}
	before := &c.now[c.sent-2]
	if !m.fields["tokens"].empty() && !before.fields["tokens"].empty() || before.text("type") != "gemini" || before.history || before.text("id") != c.made.Calls[n].ID {
		return false
	}
	whole := c.made.Calls[n].answer(c.texts.value(c.made.Calls[n].answered).AppendTo(nil))
	parts, _ := whole.Content.Get("parts")
	whole.Content = canon.Fields("role", "model", "parts", canon.ArrayOf(append(slices.Clip(parts.Elems),
		writer{c.api}.parts(t)...)...))
	if whole.Failure = ""; whole.Usage == (provider.Usage{}) {
		whole.Usage = t.answer.Usage
	}
	c.made.Calls[n].answered = c.texts.put(whole.Body().Value())
	return true
}

// calls completes the parts of an answer with its thoughts and calls, where the content lacks them, and returns the
// id that the conversation has for each call.
func (c *geminiChat) calls(m *chatMessage, t *turn) map[string]string {
	list, ids := m.fields["toolCalls"].elems(), map[string]string{}
	inside, thinks := 0, false
	for i := range t.parts {
		thought, _ := t.parts[i].Content.Get("thought")
		thinks = thinks || thought.Text == string(canon.True)
		call, is := t.parts[i].Content.Get("functionCall")
		if !is {
			continue
		}
		if id, _ := call.Get("id"); inside < len(list) {
			ids[list[inside].fields().text("id")] = id.Text
		}
		inside++
	}
	var thoughts []provider.Part
	for _, r := range m.fields["thoughts"].elems() {
		f := r.fields()
		text := f.text("description")
		if subject := f.text("subject"); subject != "" {
			text = "**" + subject + "** " + text
		}
		if text != "" && !thinks && inside == 0 {
			thoughts = append(thoughts, thoughtPart(canon.Text(text)))
		}
	}
	t.parts = append(thoughts, t.parts...)
	for _, r := range list {
		if f := r.fields(); inside == 0 {
			t.parts = append(t.parts, callPart(f.text("id"), f.text("name"), f["args"].value()))
		}
	}
	return ids
}

// results returns what the tools answered that a message called, but for answers that the next message repeats.
func (c *geminiChat) results(m *chatMessage, ids map[string]string) (parts []provider.Part) {
	said := map[string]bool{}
	if c.sent < len(c.now) && c.now[c.sent].text("type") == "user" {
		for _, p := range contentParts(c.now[c.sent].fields["content"]) {
			if response, is := p.Content.Get("functionResponse"); is {
				id, _ := response.Get("id")
				said[id.Text] = true
			}
		}
	}
	var before raw
	for _, r := range m.fields["toolCalls"].elems() {
		f := r.fields()
		id := f.text("id")
		if inside := ids[id]; inside != "" {
			said[id] = said[id] || said[inside]
			id = inside
		}
		failed := f.text("status") == "error"
		result := f["result"]
		if bytes.Equal(result, before) && len(said) > 0 {
			result = nil // a list of all results, which each call of the message repeats
		} else if before = result; result.kind() == canon.KindString {
			parts = append(parts, resultPart(id, f.text("name"), result.value(), failed))
			continue
		}
		for _, p := range contentParts(result) {
			response, is := p.Content.Get("functionResponse")
			if !is {
				parts = append(parts, p)
				continue
			}
			given, _ := response.Get("id")
			if said[given.Text] {
				continue
			}
			said[given.Text] = true
			content, _ := response.Get("response")
			name, _ := response.Get("name")
			if given.Text == f.text("id") {
				given = canon.Text(id)
			}
			part := resultPart(given.Text, name.Text, content, failed)
			if more, is := response.Get("parts"); is { // images that a tool gave
				part = otherPart(canon.Fields("functionResponse", canon.Fields("id", given.Text, "name", name.Text,
					"response", geminiResponse(&part), "parts", more)))
			}
			parts = append(parts, part)
		}
	}
	return parts
}
