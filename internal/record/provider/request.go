package provider

import (
	"sort"

	"github.com/contexttree/pact/internal/canon"
)

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
	Role    string // a role of 01 §2, not the word of the provider; "" for the definition of a tool
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
	API        API
	Model      string    // "" if the body has none
	Parameters canon.Any // an object: the fields of the body that hold no parts, without the model
	Parts      []Part
	Marked     []int     // the places of the parts with a marker
	Frame      canon.Any // an object: all other fields, with a hole in place of each part
}

// field is a field of a body that holds parts.
type field struct {
	name string
	read func(*partReader, canon.Any) canon.Any
}

// ReadRequest takes the body of a request apart; ok is false if the body is not an
// object. Join restores everything such a body holds, even what the API does
// not know. Time and memory are linear in the body.
func ReadRequest(name API, body canon.Any) (*Request, bool) {
	return new(partReader).request(name, body)
}

// ReadNext is ReadRequest for a body whose first messages, so many, are those of another request. Cost: linear in the
// rest of the body, and in the number of its parts.
func ReadNext(name API, body canon.Any, before *Request, messages int) (*Request, bool) {
	c := &partReader{}
	if parts := before.first(messages); len(parts) > 0 && parts[len(parts)-1].Section == Conversation {
		c.known, c.knownFrame = parts, get(before.Frame, ListOf(name)).Elems[:messages]
	}
	return c.request(name, body)
}

// ReadContinued is ReadRequest for a request that begins with so many messages of another one, of which the body has only
// those behind. begun says that a part of the conversation is among them.
func ReadContinued(name API, body canon.Any, before int, hasConversation bool) (*Request, bool) {
	return (&partReader{before: before, hasConversation: hasConversation}).request(name, body)
}

func (c *partReader) request(name API, body canon.Any) (*Request, bool) {
	if body.Kind != canon.KindObject {
		return nil, false
	}
	r := &Request{API: name}
	var frame []canon.Member
	held := map[string]bool{"model": true}
	for _, s := range entryOf(name).parts {
		if value, ok := body.Get(s.name); ok {
			c.message, c.role = outside, ""
			frame = append(frame, canon.Member{Name: s.name, Value: s.read(c, value)})
			held[s.name] = true
		}
	}
	var parameters []canon.Member
	for _, m := range body.Members {
		if !held[m.Name] {
			parameters = append(parameters, m)
		}
	}
	if model, ok := body.Get("model"); ok {
		frame = append(frame, canon.Member{Name: "model", Value: Escaped(model)})
		if model.Kind == canon.KindString {
			r.Model = model.Text
		}
	}
	r.Parts, r.Frame, r.Parameters = c.parts, canon.Object(frame...), canon.Object(parameters...)
	for i := range r.Parts {
		if r.Parts[i].Marker.Kind != canon.KindAbsent {
			r.Marked = append(r.Marked, i)
		}
	}
	return r, true
}

// first returns the parts of the first messages of a request.
func (r *Request) first(messages int) []Part {
	if r == nil {
		return nil
	}
	from := sort.Search(len(r.Parts), func(i int) bool { return r.Parts[i].Message != outside })
	n := sort.Search(len(r.Parts)-from, func(i int) bool { return r.Parts[from+i].Message >= messages })
	return r.Parts[from : from+n]
}

// AnswerParts returns the parts of an answer: the message of a chat completion, the
// list of output items of a response, the content of a message or of a
// candidate. The next request repeats them in this form.
func AnswerParts(name API, answer canon.Any) []Part {
	c := &partReader{section: Conversation}
	entryOf(name).said(c, answer)
	return c.parts
}
