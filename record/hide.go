package record

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/wire"
	"github.com/contexttree/pact/internal/redact"
)

// redacted replaces secrets.
const redacted = redact.Mark

// hider removes what the user's rules say, and the credentials of the request where a provider or an agent repeats
// them.
type hider struct {
	rules   redact.Rules
	secrets []string
}

// hider returns one for a request. Its credentials are not yet known.
func (o *Options) hider() hider {
	return hider{rules: redact.Rules{Expressions: o.Redact, Secrets: o.RedactSecrets}}
}

// Names of what carries credentials, in small letters, - for _: headers with a credential behind a scheme, parts of such
// a header, ends of the names of headers with nothing else, but for names of what is no secret, members of queries,
// cookies of sessions. A header may have more before its name.
var (
	authorizations = []string{"authorization", "helicone-auth"}
	signatures     = []string{"signature", "response", "credential", "oauth-token", "oauth-signature", "mac", "client-token"}
	keyHeaders     = []string{"key", "token", "secret", "assertion", "apikey", "x-auth", "x-signature"}
	noKeys         = []string{"idempotency-key", "cache-key", "partition-key", "routing-key", "public-key", "websocket-key"}
	keyMembers     = []string{"key", "api-key", "apikey", "token", "access-token", "auth", "password", "sig", "signature",
		"x-amz-signature", "x-amz-credential", "x-amz-security-token", "x-goog-signature"}
	sessionCookies = []string{"session", "sessionid", "session-id", "session-token", "sessionkey", "sid", "connect.sid", "jsessionid",
		"phpsessid", "asp.net-sessionid", "auth-token", "access-token", "next-auth.session-token", "authjs.session-token",
		"laravel-session", "cf-authorization"}
)

// plain returns a name as the lists have it.
func plain(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "-") }

func nameIn(name string, names []string) bool { return slices.Contains(names, plain(name)) }

// endsAs reports whether a header has one of the names, or ends with one behind a dash.
func endsAs(header string, names []string) bool {
	header = plain(header)
	return slices.ContainsFunc(names, func(name string) bool { return header == name || strings.HasSuffix(header, "-"+name) })
}

// isSession reports whether a cookie has the name of a session, also behind __Host- or __Secure-.
func isSession(cookie string) bool {
	name := strings.TrimLeft(plain(cookie), "-")
	return nameIn(strings.TrimPrefix(strings.TrimPrefix(name, "host-"), "secure-"), sessionCookies)
}

// secretsOf notes the credentials of a request.
func (h *hider) secretsOf(req *http.Request) {
	for name, values := range req.Header {
		for _, value := range values {
			switch {
			case endsAs(name, authorizations):
				h.authorization(value)
			case endsAs(name, keyHeaders) && !endsAs(name, noKeys):
				h.note(value)
			}
		}
	}
	for _, cookie := range req.Cookies() {
		if isSession(cookie.Name) {
			h.note(cookie.Value)
		}
	}
	for name, values := range req.URL.Query() {
		if nameIn(name, keyMembers) {
			for _, value := range values {
				h.note(value)
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

// authorization notes what follows a scheme such as Bearer, or what of a signed request only the client can know: not its
// algorithm, nor the address and the headers that it signs.
func (h *hider) authorization(value string) {
	words := strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ',' })
	if len(words) > 1 {
		words = words[1:]
	}
	for _, word := range words {
		word = strings.Trim(word, ";")
		if len(words) == 1 || !strings.Contains(word, "=") {
			h.note(word)
		}
		for one := range strings.SplitSeq(word, ";") { // a list of headers that are signed has a name before its first
			name, part, named := strings.Cut(one, "=")
			if !named && !strings.Contains(word, "=") {
				h.note(one)
			}
			if named && word == one && len(words) == 1 || nameIn(name, signatures) || nameIn(name, keyMembers) {
				h.note(strings.Trim(part, `"`))
			}
		}
	}
}

// note keeps a text if it is long and mixed enough for a credential.
func (h *hider) note(text string) {
	if redact.Credible(text) {
		h.secrets = append(h.secrets, text)
	}
}

func (h *hider) text(s string) (string, int) {
	n := 0
	slices.SortFunc(h.secrets, func(a, b string) int { return len(b) - len(a) }) // a short one may be part of a long one
	for _, text := range h.secrets {
		if found := strings.Count(s, text); found > 0 {
			s, n = strings.ReplaceAll(s, text, redacted), n+found
		}
	}
	s = h.rules.Replace(s, func(string) string {
		n++
		return redacted
	})
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

// body reads a body and removes secrets. If it removed any, it drops the notes on how the body was written, except for
// the habit of escaping, because they could reveal the secret.
func (h *hider) body(text []byte) (wire.Body, int, error) {
	body, err := wire.Read(text)
	if err != nil {
		return wire.Body{}, 0, err
	}
	if len(h.secrets) == 0 && h.rules.Empty() {
		return body, 0, nil
	}
	value, n := h.value(body.Value)
	if body.Notes.Raw != nil && n == 0 {
		_, n = h.text(string(text)) // of two members with one name the value keeps only one: count in the text
	}
	if n == 0 {
		return body, 0, nil
	}
	return wire.Body{Value: value, Notes: wire.Notes{Escapes: body.Notes.Escapes}}, n, nil
}
