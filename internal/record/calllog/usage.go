package calllog

import (
	"strings"

	"github.com/contexttree/pact/internal/record/provider"
)

// usage reads the tokens of an answer. Each text has the names under which a program may count them, with a
// space between; a name may be a path with dots.
func usage(f fields, in, out, cached, written, reasoning string) provider.Usage {
	return provider.Usage{In: f.count(in), Out: f.count(out), Cached: f.count(cached), Written: f.count(written),
		Reasoning: f.count(reasoning)}
}

// count returns the first of some members that is a number of tokens, nil if none is.
func (f fields) count(names string) *int64 {
	for path := range strings.FieldsSeq(names) {
		at := f
		name, rest, deeper := strings.Cut(path, ".")
		for ; deeper; name, rest, deeper = strings.Cut(rest, ".") {
			at = at[name].fields()
		}
		if n := provider.Count(at[name].value()); n != nil {
			return n
		}
	}
	return nil
}

// nonZero returns a count of a program that writes 0 where the provider says nothing.
func nonZero(n *int64) *int64 {
	if n != nil && *n == 0 {
		return nil
	}
	return n
}

// sum adds up counts, nil if none is there.
func sum(counts ...*int64) (all *int64) {
	for _, n := range counts {
		if n != nil && all == nil {
			all = new(int64)
		}
		if n != nil {
			*all += *n
		}
	}
	return all
}

// withCached returns the tokens of a program that counts the cached ones beside the input: In includes them.
func withCached(u provider.Usage) provider.Usage {
	if u.In != nil {
		u.In = sum(u.In, u.Cached, u.Written)
	}
	return u
}
