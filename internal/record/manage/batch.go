package manage

import (
	"context"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/lifecycle"
)

// removeParts returns the decisions by which parts leave a request now, none if that does not pay. A note stands in
// place of a result, so each call keeps its result and no message disappears; thinking goes; all other parts stay.
// Protections keep little of what waits, so they are asked only if it would pay to let all of it go.
func (c *Rules) removeParts(ctx context.Context, g *simulatedTree, l *List, q *Request, b *Ledger) (list []Decision, err error) {
	asks := false
	pays := func(due map[int]bool) bool {
		var picked []int
		if picked, asks = c.clear(l, q, due); !asks {
			picked = c.pick(l, q, due)
		}
		list = c.batch(l, q, picked, asks)
		return c.pays(q, b, list)
	}
	may := func() bool {
		if !c.mayPay(l, q, b, g.waits) {
			return false
		}
		due := make(map[int]bool, len(g.waits))
		for _, i := range g.waits {
			due[i] = false
		}
		return pays(due) || asks && c.pays(q, b, c.batch(l, q, c.pick(l, q, due), false))
	}
	if len(g.waits) == 0 || !g.pairs && !may() {
		return nil, nil
	}
	goes, err := c.released(ctx, g)
	if err != nil || !pays(goes) {
		return nil, err
	}
	return list, nil
}

// pays reports whether it pays to take some decisions now.
func (c *Rules) pays(q *Request, b *Ledger, list []Decision) bool {
	return len(list) > 0 && (c.when == lifecycle.WhenNow || b.pays(c.when, q, q.withDecisions(list)))
}

// mayPay reports whether it may pay to have what is due leave, by notes or by asking the provider.
func (c *Rules) mayPay(l *List, q *Request, b *Ledger, due []int) bool {
	binds, stays := provider.BindsThinking(q.API, q.Of.Model), q.staying()
	byNote := func(p *Part, i int) bool {
		return p.result() && c.isLonger(l, q, i) && !q.hides(p.Part.Content) || p.thinks() && !stays(p)
	}
	may := func(goes func(p *Part, i int) bool, binds bool) bool {
		for k, i := range due {
			if p := &q.Parts[i]; !p.form.isRemoval() && !l.pinned(p.Key) && goes(p, i) {
				return b.mayPay(c.when, q, due[k:], binds, l.Knows(p.Key))
			}
		}
		return false
	}
	if may(byNote, binds) {
		return true
	}
	if q.clears == nil || !c.unnamed {
		return false
	}
	newest := q.newestCalls()
	return may(func(p *Part, _ int) bool { return !newest[p.Call] && (p.result() || p.thinks()) }, false)
}

// batch returns the decisions by which some parts leave; asks says that the provider is asked to clear them.
func (c *Rules) batch(l *List, q *Request, picked []int, asks bool) (list []Decision) {
	for _, i := range picked {
		p := &q.Parts[i]
		d := Decision{Action: Left, Key: p.Key, Since: q.since}
		switch {
		case p.thinks():
			d.Action = Gone
		case asks:
			d.Action, d.Text = Cleared, provider.Cleared
		default:
			d.ID = q.id(l, p)
			d.Text = canon.String(c.replacementText(q, d.ID, i))
		}
		list = append(list, d)
	}
	return list
}

// replacementText returns the text in place of a part with an id.
func (c *Rules) replacementText(q *Request, id string, i int) string {
	return commit.StubText(&c.policy, id, q.callsAfter(i))
}

// callsAfter returns how many answers stand behind a part: so many calls sent it.
func (q *Request) callsAfter(i int) int64 {
	return int64(q.Parts[len(q.Parts)-1].turn - q.Parts[i].turn)
}

// pick returns the numbers of the parts that leave a request together, in order: of those that are due, the
// results that get shorter and the thinking of earlier answers. If the model binds thinking to the text before it,
// all thinking behind goes too; pick returns none if that would touch the last answer.
func (c *Rules) pick(l *List, q *Request, due map[int]bool) (picked []int) {
	stays, binds := q.staying(), provider.BindsThinking(q.API, q.Of.Model)
	for i := range q.Parts {
		p := &q.Parts[i]
		_, isDue := due[i]
		switch {
		case p.form.isRemoval() || isDue && l.pinned(p.Key):
		case p.result() && isDue && c.isLonger(l, q, i) && !q.hides(p.Part.Content):
			picked = append(picked, i)
		case p.thinks() && binds && len(picked) > 0:
			if stays(p) {
				return nil
			}
			picked = append(picked, i)
		case p.thinks() && isDue && !stays(p):
			picked = append(picked, i)
		}
	}
	return picked
}

// staying returns a function that reports whether thinking stays, because it is of the last answer, or all of its
// message.
func (q *Request) staying() func(p *Part) bool {
	last, others := -1, map[int]int(nil) // the last message of the model; parts of messages besides thinking
	return func(p *Part) bool {
		if others == nil {
			others = map[int]int{}
			for i := range q.Parts {
				p := &q.Parts[i]
				if p.answers() && p.Section == provider.Conversation {
					last = max(last, p.Message)
				}
				if p.Kind != "thinking" {
					others[p.Message]++
				}
			}
		}
		return p.Message == last || others[p.Message] == 0
	}
}

// isLonger reports whether a result that may leave is longer than a note in its place.
func (c *Rules) isLonger(l *List, q *Request, i int) bool {
	p := &q.Parts[i]
	size := p.Bytes
	if p.form != nil && p.form.Text != "" {
		size = len(p.form.Text)
	}
	return !p.fresh && !p.doubt && len(c.replacementText(q, l.ID(p.Key, p.Call), i))+2 < size
}

// clear returns the numbers of the results that the provider is asked to clear from a request on: all that is due. The
// results of the newest calls wait until there are others. asks is false if a stub is to name something that is due, or
// the provider cannot be asked for just that; then notes stand for what is due.
func (c *Rules) clear(l *List, q *Request, due map[int]bool) (picked []int, asks bool) {
	if q.clears == nil || !c.unnamed {
		return nil, false
	}
	newest := q.newestCalls()
	more, worth := map[int]bool{}, false
	for i := range q.Parts {
		p := &q.Parts[i]
		stub, isDue := due[i]
		switch {
		case !isDue || p.form.isRemoval() || l.pinned(p.Key) || !p.result() && !p.thinks() || newest[p.Call]:
		case stub || !p.result() || p.fresh || p.doubt:
			return nil, false
		default:
			picked, more[i], worth = append(picked, i), true, worth || c.isLonger(l, q, i)
		}
	}
	if q.clearing(more) == nil {
		return nil, false
	}
	if !worth {
		return nil, true
	}
	return picked, true
}

// newestCalls returns the calls of the newest message that has any.
func (q *Request) newestCalls() map[string]bool {
	newest := map[string]bool{}
	for i, message := len(q.Parts)-1, -1; i >= 0; i-- {
		if p := &q.Parts[i]; p.Kind == "call" && (message < 0 || p.Message == message) {
			newest[p.Call], message = true, p.Message
		}
	}
	return newest
}
