package provider

import (
	"slices"

	"github.com/contexttree/pact/internal/record/splice"
)

// boundPrefix reports thinking that is no longer valid because something before it is not
// what the request before had. what says what the provider does with such thinking; each
// calls a function with all thinking of the request, in the order of its parts.
func (c *checker) boundPrefix(what string, each func(func(place string, list splice.Value, i int))) {
	if c.After == nil {
		return
	}
	older, now := c.parts(c.After), c.parts(c.Body)
	if older == nil || now == nil {
		return
	}
	hashes := Hashes{}
	n := 0
	for n < len(older.Parts) && n < len(now.Parts) && older.Parts[n].Section == now.Parts[n].Section &&
		hashes.Of(&older.Parts[n]) == hashes.Of(&now.Parts[n]) {
		n++
	}
	if n == len(older.Parts) {
		return
	}
	isThinking := func(p Part) bool { return p.Kind == "thinking" && p.Section == Conversation }
	valid := 0
	for _, p := range now.Parts[:n] {
		if isThinking(p) {
			valid++
		}
	}
	known := map[[32]byte]bool{} // only thinking of the request before can have been produced under another prefix
	for i := range older.Parts {
		known[hashes.Of(&older.Parts[i])] = true
	}
	var stale []bool
	for i := range now.Parts {
		if isThinking(now.Parts[i]) {
			stale = append(stale, len(stale) >= valid && known[hashes.Of(&now.Parts[i])])
		}
	}
	if first := slices.Index(stale, true); first >= 0 {
		for i := first; i < len(stale); i++ {
			stale[i] = true // what follows invalid thinking is invalid too
		}
	}
	k := 0
	each(func(place string, list splice.Value, i int) {
		if k < len(stale) && stale[k] {
			c.report(place, "something before this thinking differs from the request before: "+what,
				"repeat all that was sent before, or leave this thinking out", func(e *splice.Edits) { e.Remove(list, i) })
		}
		k++
	})
}

// parts reads a body as a request; nil if it is none.
func (c *checker) parts(body []byte) *Request {
	root, ok := splice.Parse(body)
	if !ok {
		return nil
	}
	value, err := root.Canon()
	if err != nil {
		return nil
	}
	r, ok := ReadRequest(c.API, value)
	if !ok {
		return nil
	}
	return r
}
