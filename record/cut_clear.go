package record

import (
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/lifecycle"
)

// cleared is how many uses of tools the provider is asked to leave the results of, and how many stay.
type cleared struct{ uses, stay int }

// clearing returns what a request asks the provider to leave out, if some more parts join what it left out before. It
// returns nil if the provider cannot be asked for just that: it takes the oldest uses of tools, so all results before
// one that goes must go, and of answers with several calls all.
func (q *question) clearing(more map[int]bool) *cleared {
	results := map[string]int{}
	for i := range q.parts {
		if q.parts[i].result != nil {
			results[q.parts[i].Call] = i
		}
	}
	var c cleared
	last := -1 // the message of the last call whose result goes
	for i := range q.parts {
		p := &q.parts[i]
		if p.Kind != "call" || p.Section != provider.Conversation {
			continue
		}
		at, has := results[p.Call]
		goes := has && (q.parts[at].result.cleared || more[at])
		switch {
		case goes && (c.stay > 0 || q.clears == nil):
			return nil
		case goes:
			c.uses, last = c.uses+1, p.Message
		case p.Message == last:
			return nil
		default:
			c.stay++
		}
	}
	if c.uses > 0 && c.stay == 0 { // no page says that none may stay
		return nil
	}
	return &c
}

// follow has the parts of a request sent as was decided before. If the request cannot ask the provider to clear just
// the results that were cleared, it does not ask: notes stand for them, or they are sent as they came.
func (q *question) follow(e *Entry) {
	for i := range q.parts {
		if p := &q.parts[i]; p.key != "" {
			p.apply(e.cutOf(p.key, q.calls, q.clears != nil))
		}
	}
	if q.clearing(nil) != nil {
		return
	}
	q.clears = nil
	for i := range q.parts {
		if p := &q.parts[i]; p.result != nil && p.result.cleared {
			p.result.cleared, p.taken = false, nil
			p.apply(e.cutOf(p.key, q.calls, false))
		}
	}
}

// clear returns the numbers of the results that the provider is asked to clear from a request on: all that is due. The
// results of the newest calls wait until there are others. asks is false if a stub is to name something that is due, or
// the provider cannot be asked for just that; then notes stand for what is due.
func (c *cutter) clear(q *question, due map[int]bool) (picked []int, asks bool) {
	if q.clears == nil || !c.unnamed {
		return nil, false
	}
	newest := map[string]bool{}
	for i, message := len(q.parts)-1, -1; i >= 0; i-- {
		if p := &q.parts[i]; p.Kind == "call" && (message < 0 || p.Message == message) {
			newest[p.Call], message = true, p.Message
		}
	}
	more, worth := map[int]bool{}, false
	for i := range q.parts {
		p := &q.parts[i]
		stub, isDue := due[i]
		switch {
		case !isDue || p.taken != nil || p.result == nil && p.place == nil || newest[p.Call]:
		case stub || p.result == nil || p.result.Fresh || p.result.doubt:
			return nil, false
		default:
			picked, more[i], worth = append(picked, i), true, worth || c.isLonger(q, i)
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

// pays reports whether it pays that some parts leave a request now.
func (c *cutter) pays(q *question, picked []int, asks bool) bool {
	return len(picked) > 0 && (c.when == lifecycle.WhenNow || c.ledger.pays(q, c.notesFor(q, picked, asks), c))
}
