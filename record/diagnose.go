package record

import (
	"bytes"
	"io"
	"net/http"
	"regexp"

	"github.com/contexttree/pact/internal/api"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/dialect"
)

// answerID matches the ids that providers give to answers.
var answerID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// asked identifies a conversation by the request alone, without the store.
type asked string

// diagnose asks the provider why it did not read all of its cache: it adds the
// one field for this question to the body, unless the client set it. It returns
// the body to send and the conversation of the call. Where the API or the model
// has no such field, it returns the body unchanged and "".
func (r *Recorder) diagnose(name api.Name, req *http.Request, body []byte) ([]byte, *http.Request, asked) {
	if !r.options.Diagnose || req.Header.Get("Content-Encoding") != "" ||
		name != api.Messages && name != api.Responses {
		return body, req, ""
	}
	value, err := canon.ParseAny(body)
	if err != nil {
		return body, req, ""
	}
	request, ok := api.Read(name, value)
	if !ok {
		return body, req, ""
	}
	of := conversationOf(name, req, request)
	field := r.question(request, r.answered(of))
	open := bytes.IndexByte(body, '{')
	if of == "" || field == "" || len(value.Members) == 0 {
		return body, req, of
	}
	body = bytes.Join([][]byte{body[:open+1], []byte(field), []byte(","), body[open+1:]}, nil)
	again := *req
	again.Body, again.ContentLength = readCloser{bytes.NewReader(body), req.Body}, int64(len(body))
	again.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return body, &again, of
}

// conversationOf identifies a conversation by whose it is and what it begins
// with.
func conversationOf(name api.Name, req *http.Request, r *api.Request) asked {
	for _, p := range r.Parts {
		if p.Section == api.Conversation {
			g := groupOfHeaders(req.Header)
			if g.id == "" {
				g = groupOfBody(r, nil)
			}
			return asked(hashed(string(name), req.URL.Host, g.id, string(p.Content.Value())))
		}
	}
	return ""
}

// question returns the JSON member that asks the provider, "" for none.
// previous is the id of the answer to the previous call, "" for none.
func (r *Recorder) question(request *api.Request, previous string) string {
	switch request.API {
	case api.Messages:
		if _, has := request.Parameters.Get("diagnostics"); has {
			return ""
		}
		if previous == "" {
			return `"diagnostics":{"previous_message_id":null}`
		}
		return `"diagnostics":{"previous_message_id":"` + previous + `"}`
	case api.Responses:
		_, has := request.Parameters.Get("prompt_cache_options")
		if has || previous == "" || !dialect.Diagnoses(request.Model) {
			return ""
		}
		return `"prompt_cache_options":{"comparison_response_id":"` + previous + `"}`
	}
	return ""
}

// answered returns the id of the last answer of a conversation, "" for none.
func (r *Recorder) answered(of asked) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.previous[of]
}

// noteAnswer keeps the id of an answer for the next call of its conversation.
func (r *Recorder) noteAnswer(of asked, id string) {
	if of == "" || !answerID.MatchString(id) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.previous[of] = id
}
