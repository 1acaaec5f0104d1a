package runfile

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/redact"
)

// blank stands for each redacted character, at most eight.
const blank = "█"

// Members of a line that are not contents: those with values of a closed list, which stay, and those that reveal
// redacted texts, which go.
var (
	structural = []string{"edition", "spec_version", "status"}
	telling    = []string{"request", "params", "content_hash", "thread", "sent", "digest", "pactctx:digest"}
)

// known are the values of some members that reveal nothing, so that they stay.
var known = map[string][]string{
	"role":     {"user", "assistant", "tool", "system", "other"},
	"kind":     {"text", "call", "result", "image", "audio", "document", "file", "thinking", "tool", "summary", "stub"},
	"nodeType": {"root", "^root", "^sys", "^seq", "^ah", "mt", "mc", "cb", "seg", "cont", "block"},
	"encoding": {"utf-8", "base64"},
}

// ours are the custom attributes of PACT, whose names stay.
var ours = regexp.MustCompile(`^(pact:(erased|original|policy|pruned|rule)|` +
	`wire:(answer|call|context|decided|failed|frame|group|name|part|raw|replaces|since|source)|` +
	`openai:conversation|pactctx:item|data_item|data_standing)$`)

// Redact replaces every match of the rules in the texts of a history in the compact form: contents, attributes
// with their names, kinds, ids, messages and errors, and numbers in contents and attributes, which become texts.
// It finds matches that JSON in a text escapes. It removes the recorded bytes of requests, because the redacted
// ones were never sent, and the digests of redacted texts; ids that end in such a digest get a number. It returns
// how many places it replaced. E_DOCUMENT_INVALID if an expression matches its own replacement, again and again.
func Redact(history []byte, what redact.Rules) (_ []byte, places int, err error) {
	r := redactor{what: what, names: map[string]string{}, taken: map[string]bool{}, digests: map[string]string{}}
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
	what   redact.Rules
	places int
	err    error
	names  map[string]string // the replacements of ids and other texts outside of contents
	taken  map[string]bool   // the replacements in use

	digests map[string]string // the replacements of ids that end in a digest
}

// name redacts a text outside of contents. Different ones stay different, because ids are among them.
func (r *redactor) name(text string) string {
	if of, is := r.names[text]; is {
		return of
	}
	if id := digestID.FindStringSubmatch(text); id != nil && id[0] == text && r.digests[id[1]] == "" {
		r.digests[id[1]] = id[2] + strconv.Itoa(len(r.digests)+1)
	}
	made := r.text(text)
	for of, n := made, 2; made != text && r.taken[made]; n++ {
		made = of + "·" + strconv.Itoa(n)
	}
	r.names[text], r.taken[made] = made, true
	return made
}

// digestID is an id with a digest of the content, as the client for TypeScript makes them: kind, digest, and a number
// if the same content stands there again.
var digestID = regexp.MustCompile(`\b((\w+-)[0-9a-f]{16})(?:-[0-9]+)?\b`)

// renumbered puts numbers in the place of digests in ids, wherever a text has such an id.
func (r *redactor) renumbered(text string) string {
	if len(r.digests) == 0 {
		return text
	}
	return digestID.ReplaceAllStringFunc(text, func(id string) string {
		digest := digestID.FindStringSubmatch(id)[1]
		if of, is := r.digests[digest]; is {
			return of + strings.TrimPrefix(id, digest)
		}
		return id
	})
}

// value redacts a value; inside says that it is content or an attribute, of which no member is the format's.
func (r *redactor) value(v any, inside bool) any {
	switch v := v.(type) {
	case string:
		if of, id := r.names[v]; id || !inside {
			if !id {
				of = r.name(v)
			}
			return of
		}
		return r.text(v)
	case json.Number:
		if !inside {
			return v
		}
		if made := r.text(string(v)); made != string(v) {
			return made
		}
	case []any:
		for i := range v {
			v[i] = r.value(v[i], inside)
		}
	case map[string]any:
		return r.object(v, inside)
	}
	return v
}

func (r *redactor) object(v map[string]any, inside bool) any {
	made := make(map[string]any, len(v))
	_, attempt := v["number"]
	for _, name := range slices.Sorted(maps.Keys(v)) {
		of := v[name]
		text, isText := of.(string)
		switch {
		case inside:
			made[r.text(name)] = r.value(of, true)
		case attempt && (name == "params" || name == "thread"):
			made[name] = strings.Repeat("0", 2*sha256.Size) // an attempt must have them
		case attempt && name == "request" && isText:
			if left := r.counts(text); left != "" {
				made[name] = left
			}
		case slices.Contains(telling, name):
		case slices.Contains(structural, name):
			made[name] = of
		case known[name] != nil && isText:
			made[name] = r.closed(known[name], text)
		case strings.Contains(name, ":") || strings.HasPrefix(name, "data_") || strings.HasPrefix(name, "content_"):
			made[r.attribute(name)] = r.value(of, true)
		default:
			made[name] = r.value(of, name == "content")
		}
	}
	return made
}

// counts returns what stays of a recorded request: its API and what the provider counted, which are no bytes that were
// sent, but for what matches a rule. "" if there is nothing.
func (r *redactor) counts(code string) string {
	packed, err := base64.StdEncoding.DecodeString(code)
	request := ""
	if err == nil {
		request, err = history.UnpackRequest(string(packed))
	}
	if err != nil {
		return ""
	}
	whole := canon.Value(request).Any()
	about, _ := whole.Get("about")
	numbers := slices.DeleteFunc(slices.Clone(about.Members), func(m canon.Member) bool {
		return m.Value.Kind != canon.KindNumber || r.matches(m.Name) || r.matches(string(m.Value.Value()))
	})
	api, _ := whole.Get("api")
	if len(numbers) == 0 || api.Kind != canon.KindString || r.matches(api.Text) {
		return ""
	}
	left, err := history.PackRequest(string(canon.Object(canon.Member{Name: "api", Value: api},
		canon.Member{Name: "about", Value: canon.Object(numbers...)}).Value()))
	r.err = cmp.Or(r.err, err)
	return base64.StdEncoding.EncodeToString([]byte(left))
}

// matches reports whether a rule finds something in a text.
func (r *redactor) matches(text string) bool {
	found := false
	r.what.Replace(text, func(match string) string { found = true; return match })
	return found
}

// closed redacts the value of a member with a closed list of values. The text behind a colon is never one of these.
func (r *redactor) closed(own []string, text string) string {
	first, rest, parted := strings.Cut(text, ":")
	switch {
	case !slices.Contains(own, first):
		return r.name(text)
	case parted:
		return first + ":" + r.name(rest)
	}
	return text
}

// attribute redacts the name of a custom attribute, which stays one that such an attribute may have.
func (r *redactor) attribute(name string) string {
	if ours.MatchString(name) {
		return name
	}
	made := r.name(name)
	if strings.Contains(made, ":") || strings.HasPrefix(made, "data_") || strings.HasPrefix(made, "content_") {
		return made
	}
	return "data_" + made
}

// token is a string or a number of JSON.
var token = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*`)

// tokens redacts the strings of JSON in a text, without their escapes, and of a text that is JSON the numbers.
func (r *redactor) tokens(text string) string {
	if !strings.Contains(text, `"`) {
		return text
	}
	whole := json.Valid([]byte(text))
	return token.ReplaceAllStringFunc(text, func(is string) string {
		was := is
		if is[0] != '"' && !whole || is[0] == '"' && json.Unmarshal([]byte(is), &was) != nil {
			return is
		}
		made := r.text(was)
		if made == was {
			return is
		}
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		if err := e.Encode(made); err != nil {
			r.err = err
		}
		return strings.TrimSuffix(out.String(), "\n")
	})
}

// text redacts a text, until nothing but blanks matches.
func (r *redactor) text(text string) string {
	const rounds = 8
	text = r.tokens(r.renumbered(text))
	for range rounds {
		again := false
		text = r.what.Replace(text, func(match string) string {
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
	r.err = fault.New(fault.DocumentInvalid, "the expression to redact matches its own replacement", "make it match less")
	return text
}

// RedactText is Redact for the name of a run.
func RedactText(text string, what redact.Rules) (string, error) {
	r := redactor{what: what}
	text = r.text(text)
	return text, r.err
}
