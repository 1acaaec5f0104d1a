// Package api reads the requests and answers of four APIs of providers into one
// form: OpenAI chat completions, OpenAI Responses, Anthropic messages and Gemini
// generateContent, and whatever else speaks one of them.
//
// A request is taken apart into three things ([Read]):
//
//   - its parts: the definitions of tools, the system prompt and what the messages
//     hold, in the order in which the provider puts them in front of the model. Each
//     is to be a block of a context;
//   - its parameters: all other fields of the body;
//   - its frame: what is left of the body where the parts are cut out. Here are the
//     notes that are no content: cache markers, a list where a string would do, ids
//     that the provider gave to items.
//
// [Request.Join] puts them together again. docs/wire.md has the table of what
// becomes what.
package api

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// Name names an API.
type Name string

// The APIs that are read.
const (
	Chat      Name = "openai.chat"
	Responses Name = "openai.responses"
	Messages  Name = "anthropic.messages"
	Gemini    Name = "gemini.generate"
)

// Of says which API a request is for by its method and the path of its URL, with
// or without a version or another prefix; "" where it is for none of them, as
// probes, token counts, files and batches are.
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

// threads tells the messages of OpenAI's assistants, which are another thing.
func threads(path string) bool { return strings.Contains(path, "/threads/") }

// Section is a stretch of what the provider puts in front of the model.
type Section uint8

// The sections, in their order.
const (
	Tools        Section = iota
	System               // the system prompt, and the system messages that lead the conversation
	Conversation         // all other messages
)

// Part is a piece of a request or of an answer that is to be a block.
type Part struct {
	Section Section
	Message int    // the message or item that it is of, from 0; -1 outside of the conversation's list
	Role    string // of 01 §2, also where the provider has another word; "" for the definition of a tool
	// Kind is tool, text, image, thinking, call, result, refusal, or the type that the
	// provider calls the part by; part where that is not a word.
	Kind    string
	Content canon.Any // a text as a string, a result as the provider was given it, else an object
	Call    string    // the id of a call; of a result, the id of the call that it answers
	Name    string    // of the tool that is defined or called
	Failed  bool      // the result of a call that failed, as Anthropic's API says it
	// Marker is the cache marker that the part has in the body, absent if it has
	// none. It is no content.
	Marker canon.Any
}

// Request is a request in the form that all four APIs share.
type Request struct {
	API        Name
	Model      string    // "" where the body has none
	Stream     bool      // an answer in pieces is asked for in the body
	Parameters canon.Any // an object: the fields of the body that are neither the model nor hold parts
	Parts      []Part
	Frame      canon.Any // an object: the other fields, with a hole where a part was
}

// Model returns the model that the path of a Gemini request names, "" where
// there is none.
func Model(path string) string {
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

// sections has the fields of each API that hold parts, in the order in which the
// provider puts them in front of the model. Anthropic documents its order (tools,
// system, messages); the others are taken to do the same.
var sections = map[Name][]section{
	Chat: {{"tools", tools}, {"functions", tools}, {"messages", chatMessages}},
	Responses: {{"tools", tools}, {"instructions", systemPrompt},
		{"input", items}},
	Messages: {{"tools", tools}, {"system", systemPrompt}, {"messages", messages}},
	Gemini: {{"tools", geminiTools}, {"systemInstruction", geminiSystem}, {"system_instruction", geminiSystem},
		{"contents", geminiContents}},
}

// Read takes the body of a request apart; it is false for a body that is no
// object. Whatever such a body holds, also where the API knows no such thing,
// comes back from Join. Time and memory are linear in the body.
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
