package manage

import (
	"slices"
	"sort"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// form is a form of a request, as a provider reads it. It goes on with the request: nothing that was said of it
// changes, in its arrays, but what is behind its end.
type form struct {
	prompt provider.Prompt
	parts  []Sized
	same   int   // how many parts of the request are as they were when the form was made
	lacks  []int // the places of the parts that it lacks

	first     []float64 // the tokens of the first n blocks, by n, as counts has them
	counts    *Counting
	known     int // of how many of the first blocks counts knows the tokens for good
	forgotten int // how often counts had forgotten all then
}

// Sized is the hash of a part, its size in bytes, and whether these are of what a tool said.
type Sized struct {
	Hash   hash
	Size   int64
	Result bool
}

// sized returns what is counted of a part as it came.
func (p *Part) sized() Sized { return Sized{p.hash, p.size, p.Kind == "result"} }

// OnlyNotes reports whether nothing is left of a content but a note.
func (d *Decision) OnlyNotes() bool {
	return d.Action == Left || d.Action == Same || d.Action == Cleared
}

// The forms of a request: as it is sent, as it came, and as it would have come without a policy, which lacks the calls
// that repeat what had been taken.
const (
	asSent = iota
	asCame
	asAlone
)

// lacks reports whether a form of a request lacks a part.
func (p *Part) lacks(how int) bool {
	return how == asAlone && p.again || how == asSent && p.form != nil && p.form.Action == Gone
}

// prefix returns the first elements of a list that goes on behind them: in its array if these are all, else in another.
func prefix[T any](list []T, n int) []T {
	if n < len(list) {
		return slices.Clip(list[:n])
	}
	return list
}

// formOf makes a form go on with its request. Cost: linear in the parts that are not as they were when it was made
// last; if it lacks some, in all.
func formOf(q *Request, s *summed, how int, f *form) {
	from := f.before(f.same)
	f.lacks = f.lacks[:f.same-from]
	f.parts = slices.Grow(prefix(f.parts, from), len(q.Parts)-f.same)
	for i := f.same; i < len(q.Parts); i++ {
		p := &q.Parts[i]
		if p.lacks(how) {
			f.lacks = append(f.lacks, i)
			continue
		}
		is := p.sized()
		if how == asSent && p.form != nil && p.form.Text != "" {
			one := *p.Part
			one.Content, is.Size = p.sent, int64(len(p.form.Text))
			if p.Part.Content.Kind == canon.KindObject { // of Gemini: what stands around the text stays
				is.Size += p.size - int64(p.Bytes)
			}
			is.Hash, is.Result = q.hashes(&one), is.Result && !p.form.OnlyNotes()
		}
		f.parts = append(f.parts, is)
	}
	provider.Looks.Add(int64(len(q.Parts) - f.same))
	f.same = len(q.Parts)
	f.count(s.counts, from)
	r := q.Of // the contents of a conversation count by their hashes alone
	if len(f.lacks) > 0 {
		r = q.withoutParts(f.lacks)
	}
	provider.CacheRulesOf(q.API).ReadHashed(&f.prompt, r, q.Of.Model, from, func(i int) hash { return f.parts[i].Hash })
}

// before returns how many blocks stand before a part.
func (f *form) before(part int) int { return part - sort.SearchInts(f.lacks, part) }

// count counts the tokens of the first blocks, by their number; so many of them are those of the last time.
func (f *form) count(c *Counting, same int) {
	if f.counts != c || f.forgotten != c.forgotten {
		f.counts, f.forgotten, f.known = c, c.forgotten, 0
	}
	f.known = min(f.known, same)
	if f.first = f.first[:min(len(f.first), f.known+1)]; len(f.first) == 0 {
		f.first = append(f.first, 0)
	}
	for i := f.known; i < len(f.parts); i++ {
		n, known := c.parts[f.parts[i].Hash]
		if !known {
			n = c.estimate(f.parts[i])
		} else if i == f.known {
			f.known++
		}
		f.first = append(f.first, f.first[i]+n)
	}
}

// withoutParts returns what a request says without the parts in some places.
func (q *Request) withoutParts(places []int) *provider.Request {
	r := *q.Of
	r.Parts, r.Marked = make([]provider.Part, 0, len(q.Parts)-len(places)), nil
	for i := range q.Of.Parts {
		if len(places) > 0 && places[0] == i {
			places = places[1:]
			continue
		}
		if r.Parts = append(r.Parts, q.Of.Parts[i]); slices.Contains(q.Of.Marked, i) {
			r.Marked = append(r.Marked, len(r.Parts)-1)
		}
	}
	return &r
}

// sentForm returns the form of a request as it is sent: often just as it was asked for.
func (q *Request) sentForm() *form {
	switch {
	case q.made != nil:
	case q.sum.sent: // the answer will need what the room has
		q.made = &form{}
		formOf(q, q.sum, asSent, q.made)
	case q.sum.asked == &q.derived.asked && len(q.formed) == 0 && q.again == 0:
		q.made = q.sum.asked
	default:
		q.made = &q.derived.sent
		formOf(q, q.sum, asSent, q.made)
	}
	return q.made
}
