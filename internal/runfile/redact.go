package runfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
)

// blank stands for each character of what was redacted, at most eight.
const blank = "█"

// Members of a line that are not contents: names that the format itself needs, which stay, and what would tell
// of what is gone, which goes.
var (
	structural = []string{"nodeType", "role", "kind", "edition", "spec_version", "status", "encoding", "mime"}
	telling    = []string{"request", "params", "content_hash", "thread", "sent"}
)

// Redact replaces what an expression matches in every text of a history in the compact form: contents, attributes,
// names, ids, messages and errors, and of a text that is JSON itself as it stands. It takes out the recorded bytes of
// requests, because the redacted ones were never sent. It returns how many places were replaced.
// E_DOCUMENT_INVALID if the expression matches what was put in place of the texts, again and again.
func Redact(history []byte, what *regexp.Regexp) (_ []byte, places int, err error) {
	r := redactor{what: what, names: map[string]string{}, taken: map[string]bool{}}
	var out bytes.Buffer
	for line := range bytes.Lines(history) {
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			return nil, 0, err
		}
		v = r.value(v, false)
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			return nil, 0, err
		}
	}
	return out.Bytes(), r.places, r.err
}

type redactor struct {
	what   *regexp.Regexp
	places int
	err    error
	names  map[string]string // what ids and other texts outside of contents became
	taken  map[string]bool   // which of these there are
}

// name redacts a text outside of contents. Different ones stay different, because ids are among them.
func (r *redactor) name(text string) string {
	if of, known := r.names[text]; known {
		return of
	}
	made := r.text(text)
	for of, n := made, 2; made != text && r.taken[made]; n++ {
		made = of + "·" + strconv.Itoa(n)
	}
	r.names[text], r.taken[made] = made, true
	return made
}

// value redacts a value; inside says that it is content or an attribute, of which no member is the format's.
func (r *redactor) value(v any, inside bool) any {
	switch v := v.(type) {
	case string:
		if inside {
			return r.text(v)
		}
		return r.name(v)
	case []any:
		for i := range v {
			v[i] = r.value(v[i], inside)
		}
	case map[string]any:
		made := make(map[string]any, len(v))
		_, attempt := v["number"]
		for name, of := range v {
			switch {
			case !inside && attempt && (name == "params" || name == "thread"):
				made[name] = strings.Repeat("0", 2*sha256.Size) // an attempt must have them
			case !inside && slices.Contains(telling, name):
			case !inside && slices.Contains(structural, name):
				made[name] = of
			case inside:
				made[r.text(name)] = r.value(of, true)
			default:
				content := name == "content" || strings.Contains(name, ":") || strings.HasPrefix(name, "data_") ||
					strings.HasPrefix(name, "content_")
				made[name] = r.value(of, content)
			}
		}
		return made
	}
	return v
}

// text redacts a text, until nothing but blanks matches.
func (r *redactor) text(text string) string {
	const rounds = 8
	for range rounds {
		again := false
		text = r.what.ReplaceAllStringFunc(text, func(match string) string {
			if strings.Trim(match, blank) == "" {
				return match
			}
			again = true
			r.places++
			return strings.Repeat(blank, min(8, len([]rune(match))))
		})
		if !again {
			return text
		}
	}
	r.err = fault.New(fault.DocumentInvalid, "the expression to redact matches what was put in its place", "make it match less")
	return text
}

// RedactText is Redact for the name of a run.
func RedactText(text string, what *regexp.Regexp) (string, error) {
	r := redactor{what: what}
	text = r.text(text)
	return text, r.err
}
