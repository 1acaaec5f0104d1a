package manage

import "github.com/contexttree/pact/internal/record/provider"

// Follow gives each part of a request the form that was decided for it. If the request cannot ask the provider to clear
// just the results that were cleared, it does not ask: notes stand for them, or they are sent as they came. An error
// says that a text could not be read; its part goes as it came.
func (q *Request) Follow(l *List) (err error) {
	q.made, q.ended, q.why, q.stopped, q.clears, q.until = nil, false, "", false, q.Clears, len(q.Parts)
	l.mu.Lock()
	for i := 0; i < len(q.Parts) && l.ends; i++ {
		for _, d := range l.by[q.Parts[i].Key] {
			if q.Parts[i].Key != "" && (d.Since == "" || q.has(d.Since)) {
				q.ended, q.stopped = q.ended || d.What == Ended, q.stopped || d.What == Stopped
				if d.What == Ended || d.What == Stopped {
					q.until = min(q.until, q.calls[d.Since])
				}
				if d.What == Ended {
					q.why = d.Why
				}
			}
		}
	}
	l.mu.Unlock()
	if cleared := q.follow(l, q.clears != nil, &err); cleared && q.clearing(nil) == nil {
		q.clears = nil
		q.follow(l, false, &err)
	}
	q.reread(l)
	return err
}

// follow applies the list, and reports whether the provider is asked to clear a part. Other requests do not wait while
// it reads texts.
func (q *Request) follow(l *List, asks bool, failed *error) (cleared bool) {
	if q.room == nil { // nobody begins such a request: its form alone is asked for
		q.room = &room{}
	}
	decided := q.room.decided[:0]
	l.mu.Lock()
	for i := range q.Parts {
		var d *Decision
		if p := &q.Parts[i]; p.Key != "" && !q.ended && !p.doubt {
			d = l.of(p.Key, q.has, asks)
		}
		decided = append(decided, d)
	}
	l.mu.Unlock()
	q.room.decided = decided
	for i, d := range decided {
		if q.Parts[i].Key == "" {
			continue
		}
		d, err := d.read()
		if err != nil {
			*failed = err
		}
		q.Parts[i].apply(d)
		cleared = cleared || d != nil && d.What == Cleared
	}
	q.refer()
	return cleared
}

// refer has each reference that leads to nothing become the text again: the result that it repeats must stand before it
// in the same request, as it came, and alone have its call.
func (q *Request) refer() {
	var at map[string]bool // whether the results with a key that were passed stand; nil before the first reference
	for i := range q.Parts {
		p := &q.Parts[i]
		if p.form != nil && p.form.What == Same && at == nil {
			at = map[string]bool{}
			for k := range q.Parts[:i] {
				if q.stands(k) {
					at[q.Parts[k].Key] = true
				}
			}
		}
		if at == nil {
			continue
		}
		if q.stands(i) {
			at[p.Key] = true
		} else if d := p.form; d != nil && d.What == Same {
			if !at[d.Of] {
				p.apply(nil)
			}
		}
	}
}

// stands reports whether a part is a result that the request has as it came, and alone with its call.
func (q *Request) stands(i int) bool {
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
		goes := has && (q.Parts[at].form != nil && q.Parts[at].form.What == Cleared || more[at])
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
