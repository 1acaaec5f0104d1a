package redact

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/contexttree/pact/fault"
)

// Known is the word that asks for the secrets of a known form, where else an expression stands.
const Known = "secrets"

// Mark stands in the place of what was redacted.
const Mark = "[redacted]"

// Rules say what is redacted.
type Rules struct {
	Expressions []*regexp.Regexp
	Secrets     bool // those of a known form, too
}

// Parse reads what a user asks for: expressions of RE2, and [Known]. E_DOCUMENT_INVALID for another text.
func Parse(list []string) (r Rules, err error) {
	for _, text := range list {
		if text == Known {
			r.Secrets = true
			continue
		}
		compiled, err := regexp.Compile(text)
		if err != nil {
			return r, fault.Wrap(fault.DocumentInvalid, err, "this is no regular expression",
				"write it as RE2 has it, such as sk-[0-9a-z]+; the word "+Known+" stands for the known forms of keys and tokens")
		}
		r.Expressions = append(r.Expressions, compiled)
	}
	return r, nil
}

// Empty reports whether the rules redact nothing.
func (r Rules) Empty() bool { return len(r.Expressions) == 0 && !r.Secrets }

// Replace puts what with returns in the place of each match. Cost: one pass over the text for each expression, and one
// for all known forms; a match is read once more.
func (r Rules) Replace(text string, with func(match string) string) string {
	if r.Secrets {
		text = replaceKnown(text, with)
	}
	for _, e := range r.Expressions {
		text = e.ReplaceAllStringFunc(text, with)
	}
	return text
}

// A value is taken for a credential from this length on and with this much Shannon entropy, in bits for each byte. A
// shorter or plainer one, such as a word or a placeholder of one letter, would match inside ordinary text.
const (
	shortest     = 16
	leastEntropy = 3
)

// Credible reports whether a text is long and mixed enough for a credential, and has no space.
func Credible(text string) bool {
	return len(text) >= shortest && !strings.ContainsFunc(text, unicode.IsSpace) && mixed(text)
}

func mixed(text string) bool {
	var count [256]float64
	for i := range len(text) {
		count[text[i]]++
	}
	entropy := 0.0
	for _, n := range count {
		if n > 0 {
			share := n / float64(len(text))
			entropy -= share * math.Log2(share)
		}
	}
	return entropy >= leastEntropy
}

// start is how secrets of a form begin.
type start struct {
	text string
	form *form
}

// starts has the beginnings of all forms by their first byte, the longest first.
var starts = func() (by [256][]start) {
	for i := range forms {
		f := &forms[i]
		then := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(?:" + f.then + ")") })
		f.match = func(text string) []int { return then().FindStringSubmatchIndex(text) } // a program that redacts nothing compiles nothing
		for _, text := range f.begins {
			by[text[0]] = append(by[text[0]], start{text, f})
		}
	}
	for _, list := range by {
		slices.SortStableFunc(list, func(a, b start) int { return len(b.text) - len(a.text) })
	}
	return by
}()

// replaceKnown replaces the secrets of the known forms. Each begins and ends where no word goes on.
func replaceKnown(text string, with func(string) string) string {
	var out strings.Builder
	done := 0 // what is in out
	for i := 0; i < len(text); i++ {
		for _, s := range starts[text[i]] {
			if !strings.HasPrefix(text[i:], s.text) || !mayBegin(text, i) {
				continue
			}
			from, to, is := s.form.find(text, i, len(s.text))
			if is {
				out.WriteString(text[done:from])
				out.WriteString(with(text[from:to]))
				done = to
			}
			if to > i { // also what is too plain is not read again
				i = to - 1
				break
			}
		}
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

// find returns the secret that begins at a byte of the text, the first bytes of which are known: all of it or, where
// the form has a group, what that matches. to is 0 if the form is another, and is false if the text is too plain.
func (f *form) find(text string, at, known int) (from, to int, is bool) {
	m := f.match(text[at+known:])
	if m == nil {
		return 0, 0, false
	}
	from, to = at, at+known+m[1]
	if to < len(text) && isWordByte(text[to]) && isWordByte(text[to-1]) {
		return from, to, false
	}
	if len(m) > 2 {
		if m[2] < 0 { // the form of what only looks like the secret
			return from, to, false
		}
		from, to = at+known+m[2], at+known+m[3]
	}
	return from, to, f.long || Credible(text[from:to]) && (!f.drawn || drawn(text[from:to]))
}

// drawn reports whether a text was drawn at random: one in seven of its characters or more is of another kind than the
// one before it, lower case, upper case or digit. In words and their numbers fewer are.
func drawn(text string) bool {
	changes := 0
	for i := 1; i < len(text); i++ {
		a, b := kind(text[i-1]), kind(text[i])
		if a != b && a != 0 && b != 0 && (a != 'A' || b != 'a') { // a word may begin with a capital
			changes++
		}
	}
	return changes*7 >= len(text)
}

func kind(b byte) byte {
	switch {
	case 'a' <= b && b <= 'z':
		return 'a'
	case 'A' <= b && b <= 'Z':
		return 'A'
	case '0' <= b && b <= '9':
		return '0'
	}
	return 0
}

// mayBegin reports whether a secret may begin at a byte: one that is no letter, digit or _, or is behind such, or
// behind an escape: of JSON, such as the \n in the arguments of a call, of an address, or of a terminal that shows
// colours.
func mayBegin(text string, i int) bool {
	return i == 0 || !isWordByte(text[i]) || !isWordByte(text[i-1]) || escape().MatchString(text[max(0, i-24):i])
}

var escape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\\[bfnrt]|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}|\[[0-9;]{0,20}[mK])$`)
})

func isWordByte(b byte) bool {
	return b == '_' || kind(b) != 0
}
