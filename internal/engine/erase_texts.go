package engine

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// finder looks for texts in all spellings that JSON allows: as they are, escaped once or twice,
// and inside strings that hold JSON themselves.
type finder struct {
	texts []string
	forms []string
	raw   []string // the forms in canonical JSON; most values have none and need no decoding
}

// newFinder returns a finder of the texts of an erasure.
func newFinder(texts []string) *finder {
	f, known := &finder{texts: texts}, map[string]bool{}
	for _, text := range texts {
		forms := []string{text}
		for range 2 {
			for _, form := range forms {
				forms = append(forms, inner(canon.String(form)), escaped(form))
			}
		}
		for _, form := range forms {
			if !known[form] {
				known[form] = true
				f.forms = append(f.forms, form)
				f.raw = append(f.raw, inner(canon.String(form)))
			}
		}
	}
	return f
}

// inner is a string in canonical JSON without its quotes.
func inner(v canon.Value) string { return string(v[1 : len(v)-1]) }

// escaped returns a text as JSON that escapes no more than it must.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text)
}

// in reports whether a text contains one of the texts of the finder. Cost: the length of the
// text, once more for each level of JSON inside strings.
func (f *finder) in(text string) bool {
	if holdsAny(text, f.forms) {
		return true
	}
	found := false
	if len(f.texts) > 0 {
		decoded(text, func(inner string) bool {
			found = holdsAny(inner, f.texts)
			return !found
		})
	}
	return found
}

func holdsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// inValue reports whether a string, a name or a number of a JSON value contains one of the
// texts.
func (f *finder) inValue(v canon.Value) bool {
	// a backslash in a string may begin an escape
	if len(f.texts) == 0 || !holdsAny(string(v), f.raw) && !strings.Contains(string(v), `\\`) {
		return false
	}
	return f.inAny(v.Any(), f.in)
}

func (f *finder) inAny(v canon.Any, in func(string) bool) bool {
	switch v.Kind {
	case canon.KindString, canon.KindNumber:
		return in(v.Text)
	case canon.KindArray:
		return slices.ContainsFunc(v.Elems, func(e canon.Any) bool { return f.inAny(e, in) })
	case canon.KindObject:
		return slices.ContainsFunc(v.Members, func(m canon.Member) bool { return in(m.Name) || f.inAny(m.Value, in) })
	}
	return false
}

// inNode reports whether erasing the node would remove one of the texts, and whether what
// remains of the node contains one.
func (f *finder) inNode(n *tree.Node, content canon.Value) (goes, stays bool) {
	goes = f.inValue(content)
	n.Erasable(func(v canon.Value) bool {
		goes = goes || f.inValue(v)
		return !goes
	})
	_, canonical := tree.ClassOfType(n.Type)
	_, suffix, named := strings.Cut(n.Type, ":")
	switch {
	case f.inID(n.ID) || slices.ContainsFunc(n.Refs, f.inID):
		stays = true
	case !canonical:
		stays = f.in(n.Type)
	case named:
		stays = f.in(suffix)
	}
	return goes, stays
}

// generated matches the end of an id that a context generated: cycle and index, and in a fork
// the number of the fork.
var generated = regexp.MustCompile(`^\d+-\d+(-f\d+)?$`)

// inID reports whether an id contains one of the texts. It ignores the fixed parts of
// generated ids and the names of regions.
func (f *finder) inID(id string) bool {
	kind := id
	if at := strings.LastIndexByte(id, ':'); at > 0 && generated.MatchString(id[at+1:]) {
		kind = id[:at]
		base, suffix, named := strings.Cut(kind, ":")
		if _, canonical := tree.ClassOfType(base); canonical {
			return named && f.in(suffix)
		}
	}
	if _, region := tree.ClassOfType("^" + kind); region && !strings.Contains(kind, ":") {
		return false
	}
	return f.in(kind)
}

// inEntry reports whether a text that a person may have written into a log entry contains one
// of the texts.
func (f *finder) inEntry(e *history.Entry) bool {
	if f.in(e.Actor) || f.in(e.Message) || f.in(e.Request) {
		return true
	}
	return e.Kind != history.Erasing && f.inAny(canon.Value(e.Report).Any(), func(text string) bool {
		return f.in(text) && f.inID(text)
	})
}

func endsIn(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return text != "" && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

func beginsWith(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text != "" && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// nested is how many levels of JSON inside strings of JSON the search decodes. Each level
// doubles the backslashes that the level inside it needs.
const nested = 16

// decoded yields a text with its JSON escapes decoded, then that result decoded again, level
// after level, until nothing is left to decode. JSON has backslashes only in strings, so the
// whole text can be decoded at once, whatever stands around the JSON in it. Cost: the length of
// the text, once for each level.
func decoded(text string, yield func(string) bool) {
	for range nested {
		inner, changed := unescaped(text)
		if !changed || !yield(inner) {
			return
		}
		text = inner
	}
}

// unescaped decodes every escape sequence of JSON in a text (RFC 8259 §7) and leaves everything
// else as it is, including lone surrogates.
func unescaped(text string) (inner string, changed bool) {
	at := strings.IndexByte(text, '\\')
	if at < 0 {
		return text, false
	}
	out := make([]byte, 0, len(text))
	for at >= 0 {
		out = append(out, text[:at]...)
		r, size := canon.EscapeAt(text[at:])
		if size == 0 || utf16.IsSurrogate(r) {
			out, size = append(out, '\\'), 1
		} else {
			out, changed = utf8.AppendRune(out, r), true
		}
		text = text[at+size:]
		at = strings.IndexByte(text, '\\')
	}
	return string(append(out, text...)), changed
}
