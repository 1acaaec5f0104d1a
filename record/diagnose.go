package record

import (
	"bytes"
	"net/http"
	"regexp"
	"slices"

	"github.com/contexttree/pact/internal/record/provider"
)

// answerID matches the ids that providers give to answers.
var answerID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// conversationKey identifies a conversation by the request alone, without the store.
type conversationKey string

// diagnose asks the provider why it did not read all of its cache: it adds the
// one field for this question to the body, unless the client set it. It returns
// the body to send and the conversation of the call. Where the API or the model
// has no such field, it returns the body unchanged and "".
func (r *Recorder) diagnose(name provider.API, req *http.Request, body []byte, m *managing) ([]byte, *http.Request, conversationKey) {
	if !r.options.Diagnose || req.Header.Get("Content-Encoding") != "" || !provider.AsksAboutCache(name) ||
		provider.Compacts(req.URL.Path) {
		return body, req, ""
	}
	q := m.question
	if q == nil {
		var ok bool
		if q, ok = r.memory.Read(name, "", body, r.fromOneAnswer); !ok {
			return body, req, ""
		}
	}
	of := conversationOf(req, q.Of)
	field := q.Of.QuestionAboutCache(r.lastAnswerID(of))
	if of == "" || field == "" {
		return body, req, of
	}
	open := bytes.IndexByte(body, '{')
	body = bytes.Join([][]byte{body[:open+1], []byte(field), []byte(","), body[open+1:]}, nil)
	return body, withBody(req, body), of
}

// firstPart returns the first part of the conversation of a request, nil if it has none.
func firstPart(r *provider.Request) *provider.Part {
	at := slices.IndexFunc(r.Parts, func(p provider.Part) bool { return p.Section == provider.Conversation })
	if at < 0 {
		return nil
	}
	return &r.Parts[at]
}

// conversationOf identifies a conversation by its group and its first part, "" before it has one.
func conversationOf(req *http.Request, r *provider.Request) conversationKey {
	first := firstPart(r)
	if first == nil {
		return ""
	}
	g := groupOfHeaders(req.Header)
	if g.id == "" {
		g = groupOfBody(r, nil)
	}
	return conversationKey(hashed(string(r.API), req.URL.Host, g.id, string(first.Content.Value())))
}

// lastAnswerID returns the id of the last answer of a conversation, "" for none.
func (r *Recorder) lastAnswerID(of conversationKey) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.previous[of]
}

// noteAnswer keeps the id of an answer for the next call of its conversation. With too many conversations it forgets
// them all: the next question of each asks nothing.
func (r *Recorder) noteAnswer(of conversationKey, id string) {
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
