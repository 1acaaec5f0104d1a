package record

import (
	"errors"
	"net/http"
	"regexp"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/wire"
)

// redacted replaces what a recorder must not store.
const redacted = "[redacted]"

// shortest is the length of the shortest text that hider treats as a secret. A
// shorter one would match inside ordinary text.
const shortest = 8

// hider removes what a recorder must not store: what the user's patterns match,
// and the credentials of the request where a provider quotes them.
type hider struct {
	patterns []*regexp.Regexp
	secrets  []string
}

// secretsOf notes the secrets of a request.
func (h *hider) secretsOf(req *http.Request) {
	for name, values := range req.Header {
		for _, value := range values {
			if secret(name) {
				h.secret(value)
			}
		}
	}
	for name, values := range req.URL.Query() {
		for _, value := range values {
			if secret(name) {
				h.secret(value)
			}
		}
	}
}

// secret notes a value, and the part of it that follows a scheme such as
// Bearer.
func (h *hider) secret(value string) {
	_, word, _ := strings.Cut(value, " ")
	for _, text := range []string{value, word} {
		if len(text) >= shortest {
			h.secrets = append(h.secrets, text)
		}
	}
}

func (h *hider) text(s string) (string, int) {
	n := 0
	for _, text := range h.secrets {
		if found := strings.Count(s, text); found > 0 {
			s, n = strings.ReplaceAll(s, text, redacted), n+found
		}
	}
	for _, p := range h.patterns {
		s = p.ReplaceAllStringFunc(s, func(string) string {
			n++
			return redacted
		})
	}
	return s, n
}

func (h *hider) err(err error) error {
	if text, n := h.text(err.Error()); n > 0 {
		return errors.New(text)
	}
	return err
}

// value hides secrets in all strings of a value and in the names of its
// members.
func (h *hider) value(v canon.Any) (canon.Any, int) {
	total := 0
	switch v.Kind {
	case canon.KindString:
		text, n := h.text(v.Text)
		return canon.Any{Kind: canon.KindString, Text: text}, n
	case canon.KindArray:
		elems := make([]canon.Any, len(v.Elems))
		for i, e := range v.Elems {
			hidden, n := h.value(e)
			elems[i], total = hidden, total+n
		}
		return canon.ArrayOf(elems...), total
	case canon.KindObject:
		members := make([]canon.Member, len(v.Members))
		for i, m := range v.Members {
			name, named := h.text(m.Name)
			hidden, n := h.value(m.Value)
			members[i], total = canon.Member{Name: name, Value: hidden}, total+n+named
		}
		return canon.Object(members...), total
	}
	return v, 0
}

// body reads a body and removes what must not be stored. If it removed
// anything, it drops the notes on how the body was written, because they could
// show what stood there.
func (h *hider) body(text []byte) (wire.Body, int, error) {
	body, err := wire.Read(text)
	if err != nil {
		return wire.Body{}, 0, err
	}
	value, n := h.value(body.Value)
	if body.Notes.Raw != nil && n == 0 {
		_, n = h.text(string(text)) // of two members with one name the value keeps only one: count in the text
	}
	if n == 0 {
		return body, 0, nil
	}
	return wire.Body{Value: value}, n, nil
}
