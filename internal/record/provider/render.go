package provider

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// Render writes parts as the fields of a request to an API: tools, system
// prompt and messages. from returns the API of each part. Render leaves out and
// counts what the API cannot express: thinking, which only the provider that
// signed it accepts, and parts of unknown kinds.
//
// Parts of the same API come back as they were, except for their division into
// messages and for what only a frame holds.
func Render(to API, parts []Part, from func(i int) API) (fields canon.Any, left int) {
	w := &renderer{to: entryOf(to), names: map[string]string{}, renamed: map[string]string{}, kinds: map[string]string{}}
	for i := range parts {
		if !w.part(&parts[i], entryOf(from(i))) {
			left++
		}
	}
	w.endMessage()
	return w.to.writer.request(w.tools, w.system, w.said), left
}

type renderer struct {
	to                  *entry
	tools, system, said []canon.Any
	role                string            // of the current message
	content, calls      []canon.Any       // of the current message
	open                []string          // ids of the calls of the last turn that have no result yet
	turned              bool              // something that is not the model's stands behind these calls
	names               map[string]string // names of the called tools, by call id
	kinds               map[string]string // types of the calls that came from the same API, by id
	renamed             map[string]string // ids of calls that the API refuses, with those in their place
}

// writer writes the parts of requests to one API, and reads those of its own for the others.
// own says that the part came from the same API.
type writer interface {
	tool(name string, description, schema canon.Any) canon.Any
	text(role, said string) canon.Any
	image(kind, data, address string) canon.Any // by its address if there are no data
	own(w *renderer, p *Part) bool              // writes a part unchanged if the API keeps such parts in a list
	acceptsID(id string) bool                   // of a call
	call(w *renderer, p *Part, id string, arguments canon.Any, own bool)
	result(w *renderer, p *Part, id string, value canon.Any, own bool)
	message(role string, content, calls canon.Any) canon.Any
	request(tools, system, said []canon.Any) canon.Any

	imageOf(part canon.Any) (kind, data, address string) // its media type and Base64 bytes, or its address
	argumentsOf(call canon.Any) canon.Any
	resultOf(content canon.Any) canon.Any
}

// part writes one part; it returns false if the API cannot express it.
func (w *renderer) part(p *Part, from *entry) bool {
	switch {
	case p.Kind == "tool" && p.Section == Tools:
		return w.tool(p, from)
	case p.Section == System && p.Kind != "text": // a field of a message, which is no instruction
		return false
	case p.Section == System:
		text, ok := plainOf(p.Content)
		w.system = append(w.system, canon.Text(text))
		return ok
	case p.Kind == "call":
		return w.call(p, from)
	case p.Kind == "result":
		w.turned = true
		return w.result(p, from)
	}
	w.turned = w.turned || p.Role != "assistant"
	switch {
	case from == w.to && p.Content.Kind == canon.KindObject && w.to.writer.own(w, p):
		return true
	case p.Kind == "text":
		text, ok := plainOf(p.Content)
		if ok {
			w.addPart(p.Role, w.to.writer.text(p.Role, text))
		}
		return ok
	case p.Kind == "image": // not one that the provider stores under an id
		kind, data, address := from.writer.imageOf(p.Content)
		if data == "" && address == "" {
			return false
		}
		w.addPart(p.Role, w.to.writer.image(kind, data, address))
		return true
	}
	return false
}

// plainOf returns the text of a part.
func plainOf(v canon.Any) (string, bool) {
	if v.Kind == canon.KindString {
		return v.Text, true
	}
	said, _ := v.Get("text")
	return said.Text, said.Kind == canon.KindString
}

// addPart adds a part to the current message. If that message has another role, or calls
// in a field of their own, say begins a new one.
func (w *renderer) addPart(role string, part canon.Any) {
	if role != w.role || len(w.calls) > 0 {
		w.endMessage()
		w.role = role
	}
	w.content = append(w.content, part)
}

// endMessage writes the current message.
func (w *renderer) endMessage() {
	if len(w.content)+len(w.calls) == 0 {
		return
	}
	content := canon.ArrayOf(w.content...)
	if len(w.content) == 0 {
		content = canon.Any{Kind: canon.KindNull, Text: string(canon.Null)}
	}
	w.said = append(w.said, w.to.writer.message(w.role, content, listOrNone(w.calls)))
	w.content, w.calls, w.role = nil, nil, ""
}

func (w *renderer) tool(p *Part, from *entry) bool {
	if from == w.to {
		w.tools = append(w.tools, p.Content)
		return true
	}
	v := p.Content
	if function, ok := v.Get("function"); ok {
		v = function
	}
	name := text(v, "name")
	schema, _ := memberOf(v, "parameters", "input_schema", "parametersJsonSchema")
	if name == "" || strings.HasPrefix(text(v, "type"), "web_search") {
		return false
	}
	w.tools = append(w.tools, w.to.writer.tool(name, get(v, "description"), schema))
	return true
}

// callID returns the id of a call, and generates one for a call without, and for one
// whose id the API refuses.
func (w *renderer) callID(id, name string) string {
	was := id
	if id == "" || !w.to.writer.acceptsID(id) {
		for n := len(w.names) + 1; ; n++ {
			if id = "call_" + strconv.Itoa(n); w.names[id] == "" {
				break
			}
		}
		if was != "" {
			w.renamed[was] = id
		}
	}
	if w.turned {
		w.open, w.turned = nil, false
	}
	w.open = append(w.open, id)
	w.names[id] = name
	return id
}

// resultID returns the id of the call that a result answers; without an id,
// that of the first call before it that has no result yet.
func (w *renderer) resultID(id string) string {
	if id == "" && len(w.open) > 0 {
		id = w.open[0]
	} else if now, ok := w.renamed[id]; ok {
		id = now
	}
	if i := slices.Index(w.open, id); i >= 0 {
		w.open = slices.Delete(w.open, i, i+1)
	}
	return id
}

func (w *renderer) call(p *Part, from *entry) bool {
	arguments := argumentsIn(from.writer, p.Content)
	if p.Name == "" {
		return false
	}
	w.to.writer.call(w, p, w.callID(p.Call, p.Name), arguments, from == w.to)
	return true
}

func (w *renderer) result(p *Part, from *entry) bool {
	value, _ := ResultAs(from.api, w.to.api, p.Content)
	w.to.writer.result(w, p, w.resultID(p.Call), value, from == w.to)
	return true
}

// ResultAs returns the content of a result of one API in the words of another: a text, several texts where it takes a
// list of them, and what is neither as JSON in a text, which inJSON says.
func ResultAs(from, to API, of canon.Any) (content canon.Any, inJSON bool) {
	by, writer := entryOf(from), entryOf(to).writer
	if content = by.writer.resultOf(of); by == entryOf(to) && content.Kind == canon.KindArray {
		return content, false
	}
	if said, plain := plainOf(content); plain {
		return canon.Text(said), false
	}
	var texts []string
	var parts []canon.Any
	for _, part := range content.Elems {
		said, plain := plainOf(part)
		if !plain || KindOf(part) != "text" {
			return canon.Text(string(content.Value())), true
		}
		texts, parts = append(texts, said), append(parts, writer.text("user", said))
	}
	switch {
	case len(texts) == 0:
		return canon.Text(string(content.Value())), true
	case len(texts) == 1 || to == Gemini:
		return canon.Text(strings.Join(texts, "\n")), false
	}
	return canon.ArrayOf(parts...), false
}

// commonWriter writes the parts that most APIs write alike.
type commonWriter struct{}

func (commonWriter) text(_, said string) canon.Any {
	return canon.Fields("type", "text", "text", canon.Text(said))
}

func (commonWriter) own(w *renderer, p *Part) bool {
	w.addPart(p.Role, p.Content)
	return true
}

func (commonWriter) acceptsID(string) bool { return true }

func (commonWriter) message(role string, content, calls canon.Any) canon.Any {
	if role == "other" || role == "tool" {
		role = "user"
	}
	return canon.Fields("role", role, "content", content, "tool_calls", calls)
}

func (commonWriter) imageOf(v canon.Any) (kind, data, address string) {
	image, _ := v.Get("image_url")
	address = image.Text
	if image.Kind == canon.KindObject {
		address = text(image, "url")
	}
	if rest, ok := strings.CutPrefix(address, "data:"); ok {
		if kind, data, ok = strings.Cut(rest, ";base64,"); ok {
			return kind, data, ""
		}
	}
	return "", "", address
}

func (commonWriter) argumentsOf(call canon.Any) canon.Any { return get(call, "arguments") }

func (commonWriter) resultOf(content canon.Any) canon.Any { return content }

// addressOf returns the address of an image, which holds its data if there are any.
func addressOf(kind, data, address string) string {
	if data == "" {
		return address
	}
	return "data:" + kind + ";base64," + data
}

// ledBySystem returns messages with those of the system in front.
func ledBySystem(system, said []canon.Any) canon.Any {
	var lead []canon.Any
	for _, s := range system {
		lead = append(lead, canon.Fields("role", "system", "content", s))
	}
	return canon.ArrayOf(append(lead, said...)...)
}
