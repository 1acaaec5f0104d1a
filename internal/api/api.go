package api

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// Name names an API.
type Name string

// The APIs that this package reads.
const (
	Chat      Name = "openai.chat"
	Responses Name = "openai.responses"
	Messages  Name = "anthropic.messages"
	Gemini    Name = "gemini.generate"
)

// Of says which API a request is for, by its method and the path of its URL,
// with or without a version or another prefix. It returns "" for every other
// request, such as probes, token counts, files and batches.
func Of(method, path string) Name {
	if method != "POST" {
		return ""
	}
	path = strings.TrimSuffix(path, "/")
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return Chat
	case strings.HasSuffix(path, "/responses"):
		return Responses
	case strings.HasSuffix(path, "/messages") && !threads(path):
		return Messages
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		return Gemini
	}
	return ""
}

// threads recognizes the messages of OpenAI's assistants, which belong to
// another API.
func threads(path string) bool { return strings.Contains(path, "/threads/") }

// Section is one of the stretches that the provider puts in front of the model.
type Section uint8

// The sections, in their order.
const (
	Tools        Section = iota
	System               // the system prompt, and the system messages at the beginning of the conversation
	Conversation         // all other messages
)

// Part is a piece of a request or of an answer that becomes one block.
type Part struct {
	Section Section
	Message int    // index from 0 of the message or item that holds it; -1 outside the conversation's list
	Role    string // a role of 01 §2, whatever word the provider uses; "" for the definition of a tool
	// Kind is tool, text, image, thinking, call, result or refusal, else the
	// provider's own type of the part; "part" if that type is not a word.
	Kind    string
	Content canon.Any // a string for a text, the client's own value for a result, else an object
	Call    string    // the id of a call; of a result, the id of the call that it answers
	Name    string    // name of the tool that the part defines or calls
	Failed  bool      // the result of a failed call, as Anthropic's API marks it
	// Marker is the cache marker of the part, absent if it has none. It is not
	// content.
	Marker canon.Any
}

// Request is a request in a form that all four APIs share.
type Request struct {
	API        Name
	Model      string    // "" if the body has none
	Stream     bool      // the body asks for a streamed answer
	Parameters canon.Any // an object: the fields of the body that hold no parts, without the model
	Parts      []Part
	Frame      canon.Any // an object: all other fields, with a hole in place of each part
}

// Model returns the model that the path of a request names, as Gemini's and
// Bedrock's do (/model/MODEL/invoke), "" if it names none.
func Model(path string) string {
	if _, rest, found := strings.Cut(path, "/model/"); found {
		if model, operation, found := strings.Cut(rest, "/"); found && strings.HasPrefix(operation, "invoke") {
			return model
		}
	}
	last := path[strings.LastIndexByte(path, '/')+1:]
	model, _, found := strings.Cut(last, ":")
	if !found {
		return ""
	}
	return model
}

// section is a field of a body that holds parts.
type section struct {
	field string
	read  func(*cutter, canon.Any) canon.Any
}

// sections lists the fields of each API that hold parts, in the order in which
// the provider puts them in front of the model. Anthropic documents this order
// (tools, system, messages); this package assumes that the others use the same.
var sections = map[Name][]section{
	Chat: {{"tools", tools}, {"functions", tools}, {"messages", chatMessages}},
	Responses: {{"tools", tools}, {"instructions", systemPrompt},
		{"input", items}},
	Messages: {{"tools", tools}, {"system", systemPrompt}, {"messages", messages}},
	Gemini: {{"tools", geminiTools}, {"systemInstruction", geminiSystem}, {"system_instruction", geminiSystem},
		{"contents", geminiContents}},
}

// Read takes the body of a request apart; ok is false if the body is not an
// object. Join restores everything such a body holds, even what the API does
// not know. Time and memory are linear in the body.
func Read(api Name, body canon.Any) (*Request, bool) {
	if body.Kind != canon.KindObject {
		return nil, false
	}
	r := &Request{API: api}
	c := &cutter{}
	var frame []canon.Member
	held := map[string]bool{"model": true}
	for _, s := range sections[api] {
		if value, ok := body.Get(s.field); ok {
			c.message, c.role = outside, ""
			frame = append(frame, canon.Member{Name: s.field, Value: s.read(c, value)})
			held[s.field] = true
		}
	}
	var parameters []canon.Member
	for _, m := range body.Members {
		if !held[m.Name] {
			parameters = append(parameters, m)
		}
	}
	if model, ok := body.Get("model"); ok {
		frame = append(frame, canon.Member{Name: "model", Value: escaped(model)})
		if model.Kind == canon.KindString {
			r.Model = model.Text
		}
	}
	stream, _ := body.Get("stream")
	r.Stream = stream.Text == string(canon.True) && stream.Kind == canon.KindBool
	r.Parts, r.Frame, r.Parameters = c.parts, canon.Object(frame...), canon.Object(parameters...)
	return r, true
}
