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
	o := opencode{session: t, unique: strings.ReplaceAll(t.id, "-", "")[:14], results: map[string]canon.Any{}}
	model, title := cmp.Or(t.model, "unknown"), "pact"
	if c != nil {
		title = c.Name()
	}
	o.by = "openai"
	if strings.Contains(model, "claude") || t.model == "" {
		o.by = "anthropic"
	}
	t.id = "ses_" + fmt.Sprintf("%012x", 0) + o.unique
	t.add(t.system, "part of the system prompt, as the agent sends its own")
	list, _ := t.fields.Get("messages")
	for _, m := range list.Elems {
		for _, p := range partsOf(m) {
			if call, _ := p.Get("tool_use_id"); call.Text != "" {
				o.results[call.Text] = p
				o.order = append(o.order, call.Text)
			}
		}
	}
	var messages []canon.Any
	above := ""
	for _, m := range list.Elems {
		role, _ := m.Get("role")
		if role.Text != "user" && role.Text != "assistant" {
			t.add(1, "message of the system")
			continue
		}
		id, now := o.newID("msg"), canon.Number(o.now())
		parts := o.parts(partsOf(m), id)
		info := canon.Fields("id", id, "sessionID", t.id, "role", "user", "time", canon.Fields("created", now), "agent", "build",
			"model", canon.Fields("providerID", o.by, "modelID", model))
		switch {
		case len(parts) == 0: // of results alone, which stand with their calls
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
	results  map[string]canon.Any // by the id of the call
	order    []string             // of the results that are not written yet
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
			part = []any{"type", "reasoning", "text", canon.Text(thought.Text), "time", o.took(),
				"metadata", canon.Fields("anthropic", canon.Fields("signature", signature, "redactedData", hidden))}
			o.thoughts = true
		case "tool_use":
			part = o.tool(p, message)
		case "tool_result":
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

// took is the time that something took, of which the thread has none.
func (o *opencode) took() canon.Any {
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

// tool writes a call and its result.
func (o *opencode) tool(call canon.Any, message string) []any {
	o.finish = "tool-calls"
	id, _ := call.Get("id")
	name, _ := call.Get("name")
	input, _ := call.Get("input")
	result := o.results[id.Text]
	if at := slices.Index(o.order, id.Text); at > 0 {
		o.add(1, "place of a result, which comes before those of earlier calls")
		o.order = slices.Delete(o.order, at, at+1)
	} else {
		o.order = o.order[at+1:]
	}
	var texts []string
	var files []canon.Any
	for _, p := range partsOf(result) {
		if text, is := p.Get("text"); is {
			texts = append(texts, text.Text)
		} else if made := file(p); made != nil {
			files = append(files, o.placed(message, made))
		} else {
			o.add(1, "part of a result that the form has no words for")
		}
	}
	if len(texts) > 1 {
		o.add(1, "border between the texts of a result")
	}
	output := canon.Text(strings.Join(texts, "\n"))
	state := canon.Fields("status", "completed", "input", input, "output", output, "title", canon.Text(""), "metadata", canon.Object(),
		"time", o.took(), "attachments", listOrAbsent(files))
	if failed, _ := result.Get("is_error"); failed.Text == string(canon.True) {
		o.add(len(files), "image of a result that failed")
		state = canon.Fields("status", "error", "input", input, "error", output, "time", o.took())
	}
	return []any{"type", "tool", "callID", id, "tool", name, "state", state}
}
