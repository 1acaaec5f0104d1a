package manage

import (
	"crypto/sha256"
	"slices"
	"sort"

	"github.com/contexttree/pact/internal/record/provider"
)

// Of the content of a part in the tree: as it came, as a rule may shorten it, or another.
const (
	asItCame = iota
	asRuled
	another
)

func (p *Part) inTree(seen bool) byte {
	switch {
	case p.form == nil && p.fresh && !seen && !p.again && !p.doubt, p.form != nil && p.form.Action == Shaped:
		return asRuled
	case p.form != nil && p.form.Action != Same:
		return another
	}
	return asItCame
}

// turns notes the number of parts up to the end of each call, and the hash of what the tree depends on of these parts.
// An answer begins the turn of the next call. seen says that the model has seen all results by then. Cost: hashing the
// turns with parts that are not as they were.
func (r *derivedState) turns(q *Request, seen bool) {
	parts := q.Parts
	unseen := slices.Min(append(slices.Clip(q.fresh), len(q.Parts))) // these are others once they were seen
	same := min(r.turned, unseen)
	n, from, at := sort.SearchInts(r.ends, same), 0, hash{}
	r.ends, r.chain = r.ends[:n], r.chain[:n]
	if n > 0 {
		from, at = r.ends[n-1], r.chain[n-1]
	}
	text := append(r.text[:0], at[:]...)
	end := func(n int) {
		at = sha256.Sum256(text)
		r.ends, r.chain, text = append(r.ends, n), append(r.chain, at), append(text[:0], at[:]...)
	}
	for i := from; i < len(parts); i++ {
		p := &parts[i]
		if i > from && p.Section == provider.Conversation && p.answers() && !parts[i-1].answers() &&
			parts[i-1].Section == provider.Conversation {
			end(i)
		}
		// of tools too: a new tool changes the numbers of the parts behind it
		text = append(append(text, p.hash[:]...), p.inTree(seen))
	}
	provider.Looks.Add(int64(len(parts) - from))
	end(len(parts))
	r.text, r.turned = text, unseen
}
