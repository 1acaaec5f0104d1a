package provenance

import (
	"slices"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/differ"
	"github.com/contexttree/pact/internal/tree"
)

// addReported adds what the reports of commits say about the node: that a holder kept it, or
// that it was held back when it was due.
func (b *timelineBuilder) addReported() {
	for cycle := b.states[0].Cycle(); cycle <= b.source.State.Cycle; cycle++ {
		r := b.log.Report(cycle)
		if r == nil {
			continue
		}
		if slices.Contains(r.Retained, b.timeline.ID) {
			b.addRepeated(inspect.Event{Cycle: cycle, Kind: inspect.EventRetained})
		}
		for _, h := range r.Kept {
			if h.ID == b.timeline.ID {
				reason := string(causeKind(h.Reason))
				b.addRepeated(inspect.Event{Cycle: cycle, Kind: inspect.EventHeld, Reason: reason, KeptBy: h.Why, Other: h.By})
			}
		}
	}
}

// addRepeated adds an event, or extends the event of the previous cycle if the same happened
// again.
func (b *timelineBuilder) addRepeated(e inspect.Event) {
	for i := len(b.timeline.Events) - 1; i >= 0; i-- {
		was := &b.timeline.Events[i]
		same := was.Kind == e.Kind && was.Reason == e.Reason && was.KeptBy == e.KeptBy && was.Other == e.Other
		if same && max(was.Cycle, was.Until) == e.Cycle-1 {
			was.Until = e.Cycle
			return
		}
	}
	b.add(e)
}

// addErasures adds when the node was emptied. That happened in every snapshot at once, so the
// event belongs to the cycle that was current then.
func (b *timelineBuilder) addErasures() {
	for _, e := range b.log.erasures {
		erased := e.Erased()
		if erased == nil || !slices.Contains(erased.IDs, b.timeline.ID) {
			continue
		}
		b.timeline.Events = append(b.timeline.Events, inspect.Event{Cycle: e.Cycle, Kind: inspect.EventErased,
			Cause: &diff.Cause{Kind: diff.ByErasure, Cycle: e.Cycle, Author: authorOf(e)}})
	}
}

// describe fills in what the latest state that has the node says about it. Without such a state
// it sets only the state.
func (b *timelineBuilder) describe() error {
	l, now := b.timeline, &b.source.State
	var latest *tree.Tree
	for _, t := range b.states {
		cycle := t.Cycle()
		if cycle < now.First || cycle > now.Cycle {
			continue
		}
		if has, err := t.Has(l.ID); err != nil {
			return err
		} else if has {
			if l.Last = &cycle; l.First == nil {
				l.First = &cycle
			}
			latest = t
		}
	}
	if latest != nil {
		var err error
		if l.Range, err = differ.RangeOf(latest, l.ID); err != nil {
			return err
		}
	}
	working := b.states[len(b.states)-1]
	has, err := working.Has(l.ID)
	if err != nil {
		return err
	}
	switch {
	case has && l.Last == nil:
		l.State = inspect.Draft
	case has:
		l.State = inspect.Present
	case l.Last != nil && *l.Last == now.Cycle:
		l.State = inspect.Leaving
	default:
		l.State = inspect.Gone
	}
	if has {
		latest = working
	}
	if latest == nil {
		return nil
	}
	e, err := latest.Entry(l.ID)
	if err != nil {
		return err
	}
	n := e.Node()
	l.Type, l.Class, l.Role, l.Kind, l.Key = n.Type, e.Class().String(), n.Role, n.Kind, n.Key
	if n.Expiry != tree.Never {
		l.Expiry = &n.Expiry
	}
	if l.Parent, err = latest.Parent(l.ID); err != nil {
		return err
	}
	if _, l.Turn, err = regionAndTurn(latest, l.ID); err != nil {
		return err
	}
	for k, err := range e.Children().All() {
		if err != nil {
			return err
		}
		l.Children = append(l.Children, k.Node().ID)
	}
	l.Refs = append(l.Refs, n.Refs...)
	for from, err := range latest.Referrers(l.ID) {
		if err != nil {
			return err
		}
		l.ReferredBy = append(l.ReferredBy, from)
	}
	return latest.Sort(l.ReferredBy)
}
