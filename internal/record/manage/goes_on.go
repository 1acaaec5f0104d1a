package manage

import (
	"slices"
	"sort"

	"github.com/contexttree/pact/internal/canon"
)

// derivedState is what was made of a request. It goes on with the request.
type derivedState struct {
	asked, sent form
	ends        []int
	chain       []hash
	turned      int // how many of the first parts are as they were when the others were made
	text        []byte
}

// differs notes that a part, and perhaps those behind it, is not as it was.
func (r *derivedState) differs(part int) {
	r.asked.same, r.sent.same, r.turned = min(r.asked.same, part), min(r.sent.same, part), min(r.turned, part)
}

// Clone returns the request as it came, for another list to follow.
func (q *Request) Clone() *Request {
	other := &Request{}
	other.GoOn(q, 0)
	return other
}

// GoOn has the request, with the forms of its parts, go on as another that came. Its first parts, so many as same says,
// are those of the other in their place. Cost: linear in the others, unless some parts of it are gone.
func (q *Request) GoOn(to *Request, same int) {
	q.API, q.Of, q.Clears, q.Fixed = to.API, to.Of, to.Clears, to.Fixed
	q.Hides, q.Bytes, q.Root = to.Hides, to.Bytes, to.Root
	q.Parts, q.sum, q.made = append(q.Parts[:same], to.Parts[same:]...), nil, nil
	for i := same; i < len(q.Parts); i++ {
		q.Parts[i].form, q.Parts[i].again, q.changed = nil, false, append(q.changed, i)
	}
	q.formed = q.formed[:sort.SearchInts(q.formed, same)]
	q.refs = slices.DeleteFunc(q.refs, func(r placedDecision) bool { return r.place >= same })
	q.Begin(same, to.together, to.hashes)
}

// withDecisions returns the request with some more decisions.
func (q *Request) withDecisions(list []Decision) *Request {
	other := *q
	other.Parts, other.made, other.derived = slices.Clone(q.Parts), nil, &derivedState{}
	other.formed, other.refs = slices.Clone(q.formed), slices.Clone(q.refs)
	for i := range list {
		for place := range q.all(list[i].Key) {
			if !q.Parts[place].doubt {
				other.decide(place, &list[i])
			}
		}
	}
	other.refer()
	return &other
}

// refAt returns where a reference of a part stands among the references, or would.
func (q *Request) refAt(place int) (at int, refers bool) {
	return slices.BinarySearchFunc(q.refs, place, func(r placedDecision, place int) int { return r.place - place })
}

// decide gives a part a form, nil for none.
func (q *Request) decide(place int, d *Decision) {
	at, has := q.refAt(place)
	if has {
		q.refs = slices.Delete(q.refs, at, at+1)
	}
	if d != nil && d.Action == Same {
		q.refs = slices.Insert(q.refs, at, placedDecision{place, d})
	}
	q.apply(place, d)
}

// Formed returns the places of the parts that do not go as they came, in order, until the request goes on.
func (q *Request) Formed() []int { return q.formed }

// Changed returns the places of the parts whose form changed since it was asked last, and of new ones.
func (q *Request) Changed() []int {
	slices.Sort(q.changed)
	changed := slices.Compact(q.changed)
	q.changed = nil
	return changed
}

// CommonParts returns how many of the first parts of two requests are the same.
func (q *Request) CommonParts(other *Request) (same int) {
	for same < min(len(q.Parts), len(other.Parts)) {
		if a, b := &q.Parts[same], &other.Parts[same]; a.hash != b.hash || a.Section != b.Section || a.Message != b.Message ||
			a.Key != b.Key || a.Bytes != b.Bytes {
			break
		}
		same++
	}
	return same
}

// apply gives a part a form, and notes that it has it.
func (q *Request) apply(place int, d *Decision) {
	p := &q.Parts[place]
	was := p.form
	if p.apply(d); p.form == was {
		return
	}
	q.derived.differs(place)
	q.changed = append(q.changed, place)
	switch at := sort.SearchInts(q.formed, place); {
	case was == nil:
		q.formed = slices.Insert(q.formed, at, place)
	case p.form == nil:
		q.formed = slices.Delete(q.formed, at, at+1)
	}
}

// apply gives a part a form.
func (p *Part) apply(d *Decision) {
	p.form, p.sent = nil, canon.Any{}
	if d == nil || d.Action == Raw || d.Action == Pinned || d.Action == Ended {
		return
	}
	if p.form, p.sent = d, d.value; p.sent.Kind == canon.KindAbsent && d.Text != "" {
		p.sent = d.Text.Any()
	}
}
