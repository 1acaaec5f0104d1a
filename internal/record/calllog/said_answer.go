package calllog

import (
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// answer writes a turn of the model as the body of an answer.
func (w writer) answer(t *turn) canon.Any {
	a := t.answer
	a.API = w.api
	switch {
	case len(t.parts) == 0 && a.Failure != "":
	case w.api == provider.Messages:
		a.Content = canon.ArrayOf(w.parts(t)...)
	default:
		a.Content = w.said(t)
	}
	return a.Body()
}

// count returns the first of these members that is a number of tokens, nil if
// none is. Names may be paths with a dot.
func count(f fields, names ...string) *int64 {
	for _, name := range names {
		if n, ok := f[name].value().Value().Int64(); ok && n >= 0 {
			return &n
		}
	}
	return nil
}

// positive is count for programs that write 0 where a provider says nothing.
func positive(f fields, names ...string) *int64 {
	if n := count(f, names...); n != nil && *n > 0 {
		return n
	}
	return nil
}

// orElse returns text, or other if text is empty.
func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// isTrue reports whether a value is true.
func isTrue(r raw) bool { return string(r) == string(canon.True) }

// withCached returns tokens of a log that counts the cached ones beside the input: In includes them.
func withCached(u provider.Usage) provider.Usage {
	if u.In == nil {
		return u
	}
	in := *u.In
	for _, n := range []*int64{u.Cached, u.Written} {
		if n != nil {
			in += *n
		}
	}
	u.In = &in
	return u
}
