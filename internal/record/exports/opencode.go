package exports

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
)

// opencodeVersion is the version of opencode that the form was tried with.
const opencodeVersion = "1.18.33"

// Opencode writes the thread of a snapshot as a session that opencode imports and goes on with. c is the context of the
// snapshot, nil for none. Cost: that of the thread.
func Opencode(ctx context.Context, w io.Writer, c *pact.Context, s *pact.Snapshot) (*Session, error) {
	t, err := newSession(ctx, c, s, "anthropic")
	if err != nil {
		return nil, err
	}
	o := opencode{session: t, unique: strings.ReplaceAll(t.id, "-", "")[:14]}
	model, title := cmp.Or(t.model, "unknown"), "pact"
	if c != nil {
		title = c.Info().Name
	}
	o.by = "openai"
	if strings.Contains(model, "claude") || t.model == "" {
		o.by = "anthropic"
	}
	t.id = "ses_" + fmt.Sprintf("%012x", 0) + o.unique
	t.add(t.system, "part of the system prompt, as the agent sends its own")
	list, _ := t.fields.Get("messages")
	said := slices.DeleteFunc(slices.Clone(list.Elems), func(m canon.Any) bool {
		role, _ := m.Get("role")
		return role.Text != "user" && role.Text != "assistant"
	})
	t.add(len(list.Elems)-len(said), "message of the system")
	o.pair(said)
	var messages []canon.Any
	above := ""
	for _, m := range said {
		role, _ := m.Get("role")
		id, now := o.newID("msg"), canon.Number(o.now())
		parts := o.parts(partsOf(m), id)
		info := canon.Fields("id", id, "sessionID", t.id, "role", "user", "time", canon.Fields("created", now), "agent", "build",
			"model", canon.Fields("providerID", o.by, "modelID", model))
		switch {
		case len(parts) == 0: // of results alone that stand with their calls
			continue
		case role.Text == "assistant":
			info = canon.Fields("id", id, "sessionID", t.id, "role", "assistant", "parentID", cmp.Or(above, id), "mode", "build",
				"agent", "build", "path", canon.Fields("cwd", ".", "root", "."), "cost", canon.Number(0), "tokens", noTokens,
				"providerID", o.by, "modelID", model, "time", canon.Fields("created", now, "completed", now), "finish", o.finish)
		default:
			above = id
		}
		messages = append(messages, canon.Fields("info", info, "parts", canon.ArrayOf(parts...)))
	}
	if o.thoughts {
		t.list = append(t.list, Lost{What: "thoughts, which become texts as soon as another model than " + o.by + "/" + model + " goes on"})
	}
	time := canon.Number(o.now())
	t.line(canon.Fields("info", canon.Fields("id", t.id, "slug", "pact-"+o.unique, "projectID", "global", "directory", ".", "title", title,
		"version", opencodeVersion, "time", canon.Fields("created", time, "updated", time)), "messages", canon.ArrayOf(messages...)))
	return t.end(w, "", "opencode import FILE && opencode --session", "tokens and prices of calls")
}

var noTokens = canon.Fields("input", canon.Number(0), "output", canon.Number(0), "reasoning", canon.Number(0),
	"cache", canon.Fields("read", canon.Number(0), "write", canon.Number(0)))

// opencode writes the messages of a session. A result stands with its call.
type opencode struct {
	*session
	by       string // the provider
	unique   string // in all ids
	finish   string // of the message that was written last
	ids      int
	thoughts bool
	results  []canon.Any // of each call, absent for none
	calls    int         // how many are written
	order    []int       // the calls whose results are not written yet, in the order of these
	alone    []bool      // of each result that is still to come: whether it is that of no call
}

// pair finds the result of each call: the first behind it that names its id, before a later message calls with that id
// anew. A call has one result.
func (o *opencode) pair(messages []canon.Any) {
	type asked struct{ message, call int }
	open := map[string][]asked{}
	for at, m := range messages {
		between := false // something of this message stands before the result
		for _, p := range partsOf(m) {
			switch kind, _ := p.Get("type"); kind.Text {
			case "tool_use":
				id, _ := p.Get("id")
				if waiting := open[id.Text]; len(waiting) > 0 && waiting[0].message != at {
					open[id.Text] = nil
				}
				open[id.Text] = append(open[id.Text], asked{at, len(o.results)})
				o.results = append(o.results, canon.Any{})
			case "tool_result":
				id, _ := p.Get("tool_use_id")
				waiting := open[id.Text]
				o.alone = append(o.alone, len(waiting) == 0)
				if len(waiting) == 0 {
					between = true
					continue
				}
				if between || waiting[0].message != at-1 {
					o.add(1, "result moved to the call, in front of what stands between")
				}
				call := waiting[0].call
				open[id.Text], o.results[call], o.order = waiting[1:], p, append(o.order, call)
				continue
			}
			between = true
		}
	}
}

// newID returns the next id: opencode orders parts by them, and takes an answer with a later id than that of the last
// question for the answer to that.
func (o *opencode) newID(kind string) string {
	o.ids++
	return fmt.Sprintf("%s_%012x%s", kind, o.ids, o.unique)
}

// now returns the time of a message in milliseconds.
func (o *opencode) now() int64 {
	o.lines++
	return o.at/1e6 + int64(o.lines)
}

// partsOf returns the parts of a message or an item, a text alone as one.
func partsOf(m canon.Any) []canon.Any {
	content, _ := m.Get("content")
	if content.Kind == canon.KindString {
		return []canon.Any{canon.Fields("type", "text", "text", content)}
	}
	return content.Elems
}

// parts writes the parts of a message.
func (o *opencode) parts(list []canon.Any, message string) (made []canon.Any) {
	o.finish = "stop"
	for _, p := range list {
		var part []any
		kind, _ := p.Get("type")
		text, _ := p.Get("text")
		switch kind.Text {
		case "text":
			part = []any{"type", "text", "text", text}
		case "thinking", "redacted_thinking":
			thought, _ := p.Get("thinking")
			signature, _ := p.Get("signature")
			hidden, _ := p.Get("data")
			part = []any{"type", "reasoning", "text", canon.Text(thought.Text), "time", o.unknownTime(),
				"metadata", canon.Fields("anthropic", canon.Fields("signature", signature, "redactedData", hidden))}
			o.thoughts = true
		case "tool_use":
			part = o.tool(p, message)
		case "tool_result":
			alone := o.alone[0]
			if o.alone = o.alone[1:]; alone {
				o.add(1, "result without a call, written as what a user says")
				made = append(made, o.aside(p, message)...)
			}
			continue
		default:
			part = file(p)
		}
		if part == nil {
			o.add(1, "part that the form has no words for")
			continue
		}
		made = append(made, o.placed(message, part))
	}
	return made
}

func (o *opencode) placed(message string, part []any) canon.Any {
	return canon.Fields(append([]any{"id", o.newID("prt"), "sessionID", o.id, "messageID", message}, part...)...)
}

// unknownTime is the time that something took, of which the thread has none.
func (o *opencode) unknownTime() canon.Any {
	at := canon.Number(o.at / 1e6)
	return canon.Fields("start", at, "end", at)
}

// file writes an image or a document, nil for what is neither.
func file(p canon.Any) []any {
	source, _ := p.Get("source")
	mime, _ := source.Get("media_type")
	data, _ := source.Get("data")
	url, _ := source.Get("url")
	kind, _ := p.Get("type")
	switch by, _ := source.Get("type"); {
	case by.Text == "base64":
		url = canon.Text("data:" + mime.Text + ";base64," + data.Text)
	case by.Text != "url":
		return nil
	case kind.Text == "image":
		mime = canon.Text("image/*")
	default:
		mime = canon.Text("application/pdf")
	}
	return []any{"type", "file", "mime", mime, "url", url}
}

// content returns the texts of a result, and its images as files.
func (o *opencode) content(result canon.Any, message string) (texts []string, files []canon.Any) {
	for _, p := range partsOf(result) {
		if text, is := p.Get("text"); is {
			texts = append(texts, text.Text)
		} else if made := file(p); made != nil {
			files = append(files, o.placed(message, made))
		} else {
			o.add(1, "part of a result that the form has no words for")
		}
	}
	return texts, files
}

// aside writes a result without a call, each part as one.
func (o *opencode) aside(result canon.Any, message string) (made []canon.Any) {
	if isError(result) {
		o.add(1, "mark that a call failed")
	}
	texts, files := o.content(result, message)
	for _, said := range texts {
		made = append(made, o.placed(message, []any{"type", "text", "text", canon.Text(said)}))
	}
	return append(made, files...)
}

func isError(result canon.Any) bool {
	failed, _ := result.Get("is_error")
	return failed.Text == string(canon.True)
}

// tool writes a call and its result. A call that has none is pending: opencode says that it was interrupted.
func (o *opencode) tool(call canon.Any, message string) []any {
	o.finish = "tool-calls"
	id, _ := call.Get("id")
	name, _ := call.Get("name")
	input, _ := call.Get("input")
	if input.Kind != canon.KindObject {
		o.add(1, notAnObject)
		input = canon.Fields("arguments", input)
	}
	part := func(state canon.Any) []any { return []any{"type", "tool", "callID", id, "tool", name, "state", state} }
	number := o.calls
	o.calls++
	at := slices.Index(o.order, number)
	if at < 0 {
		o.add(1, "call without a result, of which opencode says that it was interrupted")
		return part(canon.Fields("status", "pending", "input", input, "raw", canon.Text("")))
	}
	if at > 0 {
		o.add(1, "place of a result, which comes before those of earlier calls")
	}
	o.order = slices.Delete(o.order, at, at+1)
	result := o.results[number]
	texts, files := o.content(result, message)
	if len(texts) > 1 {
		o.add(1, "border between the texts of a result")
	}
	output := canon.Text(strings.Join(texts, "\n"))
	if isError(result) {
		o.add(len(files), "image of a result that failed")
		return part(canon.Fields("status", "error", "input", input, "error", output, "time", o.unknownTime()))
	}
	return part(canon.Fields("status", "completed", "input", input, "output", output, "title", canon.Text(""),
		"metadata", canon.Object(), "time", o.unknownTime(), "attachments", listOrAbsent(files)))
}
