package manage

import (
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/lifecycle"
)

// ByHand returns the decision of a person about the result of a call: to leave it out, to send it as it came and have no
// rule take it, or, with [Raw], to end both. It holds from the next request on, also where the last one is sent again. ok
// is false if no such decision can be made: the request has no result of the call or two, a secret is in it, it is out
// already, a note would be no shorter, or there is nothing to end.
func (q *Request) ByHand(l *List, call string, what What) (d Decision, ok bool) {
	i, has := q.results[call]
	if !has || i < 0 || q.since == "" {
		return d, false
	}
	p := &q.Parts[i]
	if !p.result() || p.doubt || q.hides(p.Part.Content) || what == Left && p.form.taken() ||
		what == Raw && p.form == nil && !l.pinned(p.Key) {
		return d, false
	}
	d = Decision{What: what, Key: p.Key, Since: q.since, Why: "by hand"}
	if what == Left {
		d.ID, d.Why = q.id(l, p), ""
		d.Text = canon.String(commit.StubText(&lifecycle.Policy{}, d.ID, q.callsAfter(i)))
		if len(d.Text) >= p.Bytes {
			return d, false
		}
	}
	return d, true
}
