package calllog

import (
	"slices"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// Continues returns the rebuilt request of a call with only the messages behind those of another call's, if it begins
// with all of them. Cost: a comparison of the messages that share no memory.
func (c *Call) Continues(before *Call) (more canon.Any, continues bool, err error) {
	if before == nil || c.Body != nil || before.Body != nil || c.API != before.API || c.of != before.of {
		return canon.Any{}, false, nil
	}
	if n := len(before.sent); c.of != nil {
		if at := c.shared(before); n > len(c.sent) || !slices.EqualFunc(c.sent[at:n], before.sent[at:], c.of.equal) {
			return canon.Any{}, false, nil
		}
		more, err = c.messages(n)
		return more, err == nil, err
	}
	at := slices.IndexFunc(c.Request.Members, func(m canon.Member) bool { return m.Name == provider.ListOf(c.API) })
	first, _ := before.Request.Get(provider.ListOf(c.API))
	if at < 0 || first.Kind != canon.KindArray || len(c.Request.Members[at].Value.Elems) < len(first.Elems) {
		return canon.Any{}, false, nil
	}
	all := c.Request.Members[at].Value
	begins := all
	begins.Elems = all.Elems[:len(first.Elems)]
	if !equal(&begins, &first) {
		return canon.Any{}, false, nil
	}
	more = c.Request
	more.Members = slices.Clone(more.Members)
	more.Members[at].Value = canon.ArrayOf(all.Elems[len(first.Elems):]...)
	return more, true, nil
}

// shared returns how many messages in texts a request begins with as the one before, nil for none.
func (c *Call) shared(before *Call) (n int) {
	if before == nil {
		return 0
	}
	most := min(len(c.sent), len(before.sent))
	if most > 0 && &c.sent[0] == &before.sent[0] {
		return most
	}
	for n < most && c.sent[n] == before.sent[n] {
		n++
	}
	return n
}

// equal reports whether two values are the same. What shares its memory is not compared further.
func equal(a, b *canon.Any) bool {
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Elems) != len(b.Elems) || len(a.Members) != len(b.Members) {
		return false
	}
	if len(a.Elems) > 0 && &a.Elems[0] != &b.Elems[0] {
		for i := range a.Elems {
			if !equal(&a.Elems[i], &b.Elems[i]) {
				return false
			}
		}
	}
	if len(a.Members) > 0 && &a.Members[0] != &b.Members[0] {
		for i := range a.Members {
			if a.Members[i].Name != b.Members[i].Name || !equal(&a.Members[i].Value, &b.Members[i].Value) {
				return false
			}
		}
	}
	return true
}
