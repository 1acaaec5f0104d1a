package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// answerID matches the ids that providers give to answers.
var answerID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// asked identifies a conversation by the request alone, without the store.
type asked string

// diagnose asks the provider why it did not read all of its cache: it adds the
// one field for this question to the body, unless the client set it. It returns
// the body to send and the conversation of the call. Where the API or the model
// has no such field, it returns the body unchanged and "".
func (r *Recorder) diagnose(name provider.API, req *http.Request, body []byte) ([]byte, *http.Request, asked) {
	if !r.options.Diagnose || req.Header.Get("Content-Encoding") != "" || !provider.AsksAboutCache(name) ||
		provider.Compacts(req.URL.Path) {
		return body, req, ""
	}
	request := skimmed(name, body)
	of := conversationOf(req, request)
	field := request.QuestionAboutCache(r.answered(of))
	if of == "" || field == "" {
		return body, req, of
	}
	open := bytes.IndexByte(body, '{')
	body = bytes.Join([][]byte{body[:open+1], []byte(field), []byte(","), body[open+1:]}, nil)
	return body, withBody(req, body), of
}

// skimmed reads the part of a body that the question needs: all but the tools, the system prompt, and the messages
// behind the first one of the conversation. The client waits for it, so it passes over the rest; the queue reads
// the whole body later. It returns no parts if the body is not JSON.
func skimmed(name provider.API, body []byte) *provider.Request {
	nothing := &provider.Request{API: name}
	if !json.Valid(body) {
		return nothing
	}
	list := provider.ListOf(name)
	var messages []byte
	var fields []canon.Member
	s := canon.Scanner{Data: body}
	for s.Open('{'); s.Peek() == '"'; s.Next() {
		field, err := canon.ParseAny(s.Name())
		switch text := s.Value(); field.Text {
		case list:
			messages = text
		case "tools", "system", "instructions":
		default:
			value, failed := canon.ParseAny(text)
			if err = errors.Join(err, failed); err == nil {
				fields = append(fields, canon.Member{Name: field.Text, Value: value})
			}
		}
		if err != nil {
			return nothing
		}
	}
	if messages == nil {
		return nothing
	}
	readWith := func(said canon.Any) *provider.Request {
		r, _ := provider.ReadRequest(name, canon.Object(slices.Concat(fields, []canon.Member{{Name: list, Value: said}})...))
		return r
	}
	m := canon.Scanner{Data: messages}
	if m.Open('['); m.At == 0 { // no list
		said, _ := canon.ParseAny(messages)
		return readWith(said)
	}
	for ; m.At < len(messages) && m.Peek() != ']'; m.Next() {
		message, err := canon.ParseAny(m.Value())
		if err != nil {
			return nothing
		}
		if r := readWith(canon.ArrayOf(message)); begins(r) != nil {
			return r
		}
	}
	return nothing
}

// begins returns the first part of the conversation of a request, nil if it has none.
func begins(r *provider.Request) *provider.Part {
	at := slices.IndexFunc(r.Parts, func(p provider.Part) bool { return p.Section == provider.Conversation })
	if at < 0 {
		return nil
	}
	return &r.Parts[at]
}

// conversationOf identifies a conversation by its group and its first part, "" before it has one.
func conversationOf(req *http.Request, r *provider.Request) asked {
	first := begins(r)
	if first == nil {
		return ""
	}
	g := groupOfHeaders(req.Header)
	if g.id == "" {
		g = groupOfBody(r, nil)
	}
	return asked(hashed(string(r.API), req.URL.Host, g.id, string(first.Content.Value())))
}

// answered returns the id of the last answer of a conversation, "" for none.
func (r *Recorder) answered(of asked) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.previous[of]
}

// noteAnswer keeps the id of an answer for the next call of its conversation. With too many conversations it forgets
// them all: the next question of each asks nothing.
func (r *Recorder) noteAnswer(of asked, id string) {
	if of == "" || !answerID.MatchString(id) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.previous) >= mostKeys {
		clear(r.previous)
	}
	r.previous[of] = id
}
