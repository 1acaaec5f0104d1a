package manage

import (
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/lifecycle"
)

// ByHand returns the decision of a person about the result of a call: to leave it out, to send it as it came and have
// no rule take it, or, with [Raw], to end both. It holds from the next request on, also where the last one is sent
// again. why says why no such decision can be made, "" if one can.
func (q *Request) ByHand(l *List, call string, what Action) (d Decision, why string) {
	i, has := q.results[call]
	if !has || q.since == "" {
		return d, "the last request has no such result"
	}
	if i < 0 || q.Parts[i].doubt {
		return d, "the last request has two results of the call"
	}
	p := &q.Parts[i]
	switch {
	case !p.result():
		return d, "it has no form that can change"
	case q.hides(p.Part.Content):
		return d, "it has a redacted text"
	case what == Raw && p.form == nil && !l.pinned(p.Key):
		return d, "it is neither left out nor pinned"
	case what == Left && p.form.isRemoval():
		return d, "it is left out already"
	case what == Left && p.form.hidesContent():
		return d, "the policy shortened it before it was first sent; pinned, it comes back whole, and can be left out then"
	}
	d = Decision{Action: what, Key: p.Key, Since: q.since, Why: "by hand"}
	if what == Left {
		d.ID, d.Why = q.id(l, p), ""
		d.Text = canon.String(commit.StubText(&lifecycle.Policy{}, d.ID, q.callsAfter(i)))
		if len(d.Text) >= p.Bytes {
			return d, "a note in its place would be no shorter"
		}
	}
	return d, ""
}
