package manage

import (
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/lifecycle"
)

// ByHand returns the decision of a person about the result of a call: to leave it out, to have no rule take it, or, with
// [Raw], to send it as it came. It holds from the next request on, also where the last one is sent again. ok is false if
// no such decision can be made: the request has no result of the call or two, a secret is in it, it is out already, or a
// note would be no shorter.
func (q *Request) ByHand(l *List, call string, what What) (d Decision, part int, ok bool) {
	i, has := q.results[call]
	if !has || i < 0 {
		return d, 0, false
	}
	p := &q.Parts[i]
	if !p.result() || p.doubt || q.hides(p.Part.Content) || what != Raw && p.form.taken() {
		return d, 0, false
	}
	d = Decision{What: what, Key: p.Key, Since: q.since, Why: "by hand"}
	if what == Left {
		d.ID, d.Why = q.id(l, p), ""
		d.Text = canon.String(commit.StubText(&lifecycle.Policy{}, d.ID, callsAfter(q.Parts, i)))
		if len(d.Text) >= p.Bytes {
			return d, 0, false
		}
	}
	return d, i, true
}
