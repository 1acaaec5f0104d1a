package record

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/wire"
)

// redacted replaces secrets.
const redacted = "[redacted]"

// shortest is the length of the shortest text that hider treats as a secret. A
// shorter one would match inside ordinary text.
const shortest = 8

// hider removes secrets: texts that match the patterns of the user, and the credentials of the request where a
// provider quotes them.
type hider struct {
	patterns []*regexp.Regexp
	secrets  []string
}

// secretNames are parts of the names of headers and of members of a query that
// carry credentials.
var secretNames = []string{"authoriz", "cookie", "key", "token", "secret", "signature", "credential", "password"}

// secret reports whether a header or a member of a query carries a secret.
func secret(name string) bool {
	name = strings.ToLower(name)
	return name == "sig" || strings.HasSuffix(name, "auth") ||
		slices.ContainsFunc(secretNames, func(part string) bool { return strings.Contains(name, part) })
}

// secretsOf notes the secrets of a request.
func (h *hider) secretsOf(req *http.Request) {
	for _, carriers := range []map[string][]string{req.Header, req.URL.Query()} {
		for name, values := range carriers {
			for _, value := range values {
				if secret(name) {
					h.secret(value)
				}
			}
		}
	}
	if _, password, ok := req.BasicAuth(); ok {
		h.note(password)
	}
	if password, ok := req.URL.User.Password(); ok {
		h.note(password)
	}
}

// secret notes a value and the secrets in it: what follows a scheme such as
// Bearer, each cookie, each part of a signature.
func (h *hider) secret(value string) {
	h.note(value)
	words := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" ,;", r) })
	for i, word := range words {
		_, part, named := strings.Cut(word, "=")
		if i > 0 && !named {
			h.note(word)
		}
		h.note(strings.Trim(part, `"`))
	}
}

func (h *hider) note(text string) {
	if len(text) >= shortest {
		h.secrets = append(h.secrets, text)
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
// members. It copies what holds one, which is seldom, and nothing else.
func (h *hider) value(v canon.Any) (canon.Any, int) {
	total := 0
	switch v.Kind {
	case canon.KindString:
		text, n := h.text(v.Text)
		return canon.Text(text), n
	case canon.KindArray:
		elems := v.Elems
		for i, e := range v.Elems {
			hidden, n := h.value(e)
			if n == 0 {
				continue
			}
			if total == 0 {
				elems = slices.Clone(elems)
			}
			elems[i], total = hidden, total+n
		}
		return canon.ArrayOf(elems...), total
	case canon.KindObject:
		members := v.Members
		for i, m := range v.Members {
			name, named := h.text(m.Name)
			hidden, n := h.value(m.Value)
			if n += named; n == 0 {
				continue
			}
			if total == 0 {
				members = slices.Clone(members)
			}
			members[i], total = canon.Member{Name: name, Value: hidden}, total+n
		}
		if total > 0 {
			return canon.Object(members...), total
		}
	}
	return v, total
}

// body reads a body and removes secrets. If it removed any, it drops the notes on how the body was written,
// because they could reveal the secret.
func (h *hider) body(text []byte) (wire.Body, int, error) {
	body, err := wire.Read(text)
	if err != nil {
		return wire.Body{}, 0, err
	}
	if len(h.secrets)+len(h.patterns) == 0 {
		return body, 0, nil
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
