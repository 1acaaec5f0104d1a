package manage

import (
	"math"
	"slices"

	"github.com/contexttree/pact/internal/record/provider"
)

// placedDecision is a decision about the part in a place.
type placedDecision struct {
	place int
	*Decision
}

// followed says how far a request followed a list.
type followed struct {
	list        *List
	ended, asks bool
	decisions   int
	parts       int
}

// Follow gives each part of a request the form that was decided for it. If the request cannot ask the provider to clear
// just the results that were cleared, it does not ask: notes stand for them, or they are sent as they came. An error
// says that a text could not be read; its part goes as it came. Cost: linear in the parts and decisions that came since
// it followed the list last.
func (q *Request) Follow(l *List) (err error) {
	q.made, q.ended, q.why, q.stopped, q.clears, q.until = nil, false, "", false, q.Clears, math.MaxInt
	l.mu.Lock()
	for at, i := 0, 0; i < len(l.ends); i++ {
		place := q.Place(l.ends[i])
		for _, d := range l.by[l.ends[i]] {
			if place < 0 || d.Since != "" && !q.hasCall(d.Since) || d.Action != Ended && d.Action != Stopped {
				continue
			}
			q.ended, q.stopped = q.ended || d.Action == Ended, q.stopped || d.Action == Stopped
			q.until = min(q.until, q.calls[d.Since])
			if d.Action == Ended && place >= at {
				q.why, at = d.Why, place
			}
		}
	}
	l.mu.Unlock()
	if cleared := q.follow(l, q.clears != nil, &err); cleared && q.clearing(nil) == nil {
		q.clears = nil
		q.follow(l, false, &err)
	}
	q.marksAgain(l)
	return err
}

// follow applies the list, and reports whether the provider is asked to clear a part. Other requests do not wait while
// it reads texts.
func (q *Request) follow(l *List, asks bool, failed *error) (cleared bool) {
	if q.followed.list != l || q.followed.asks != asks || q.followed.ended != q.ended {
		q.followed = followed{list: l, asks: asks, ended: q.ended}
	}
	f := &q.followed
	var decided []placedDecision
	l.mu.Lock()
	decides := func(place int) {
		var d *Decision
		if p := &q.Parts[place]; !q.ended && !p.doubt {
			d = l.of(p.Key, q.hasCall, asks)
		}
		decided = append(decided, placedDecision{place, d})
	}
	known := func(key string) {
		for place := range q.all(key) {
			if place < f.parts {
				decides(place)
			}
		}
	}
	for ; f.parts > 0 && f.decisions < len(l.order); f.decisions++ {
		known(l.order[f.decisions].key)
	}
	for i := f.parts; i < len(q.Parts); i++ {
		if p := &q.Parts[i]; p.Kind == "call" && f.parts > 0 {
			for _, key := range l.since[p.Call] {
				known(key)
			}
		}
		if q.Parts[i].Key != "" {
			decides(i)
		}
	}
	provider.Looks.Add(int64(len(q.Parts) - f.parts + len(decided)))
	f.decisions, f.parts = len(l.order), len(q.Parts)
	l.mu.Unlock()
	for _, one := range decided {
		d, err := one.Decision.read()
		if err != nil {
			*failed, f.list = err, nil // it is read again the next time
		}
		q.decide(one.place, d)
	}
	q.refer()
	return slices.ContainsFunc(q.formed, func(i int) bool { return q.Parts[i].form.Action == Cleared })
}

// refer has each reference that leads to nothing become the text again: the result that it repeats must stand before it
// in the same request, as it came, and alone have its call.
func (q *Request) refer() {
	for _, r := range q.refs {
		stands := (*Decision)(nil)
		for place := range q.all(r.Of) {
			if _, refers := q.refAt(place); place < r.place && !refers && q.isUnchangedResult(place) {
				stands = r.Decision
			}
		}
		q.apply(r.place, stands)
	}
}

// isUnchangedResult reports whether a part is a result that the request has as it came, and alone with its call.
func (q *Request) isUnchangedResult(i int) bool {
	p := &q.Parts[i]
	return p.result() && p.form == nil && !p.doubt && q.results[p.Call] == i
}

// cleared is how many uses of tools the provider is asked to leave the results of, and how many stay.
type cleared struct{ uses, stay int }

// clearing returns what a request asks the provider to leave out, if some more parts join what it left out before. It
// returns nil if the provider cannot be asked for just that: it takes the oldest uses of tools, so all results before
// one that goes must go, and of answers with several calls all.
func (q *Request) clearing(more map[int]bool) *cleared {
	var c cleared
	last := -1 // the message of the last call whose result goes
	for i := range q.Parts {
		p := &q.Parts[i]
		if p.Kind != "call" || p.Section != provider.Conversation {
			continue
		}
		at, has := q.results[p.Call]
		has = has && at >= 0 && q.Parts[at].result()
		goes := has && (q.Parts[at].form != nil && q.Parts[at].form.Action == Cleared || more[at])
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

// Clearing returns how the provider is asked to clear results, how many, and how many uses of tools stay; nil if it is
// not asked.
func (q *Request) Clearing() (how *provider.Clearing, uses, stay int) {
	if c := q.clearing(nil); c != nil && c.uses > 0 {
		return q.clears, c.uses, c.stay
	}
	return nil, 0, 0
}
