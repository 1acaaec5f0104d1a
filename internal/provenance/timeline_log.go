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
func (b *timelineBuilder) describe() {
	l, now := b.timeline, &b.source.State
	var latest *tree.Tree
	for _, t := range b.states {
		if cycle := t.Cycle(); cycle >= now.First && cycle <= now.Cycle && t.Has(l.ID) {
			if l.Last = &cycle; l.First == nil {
				l.First = &cycle
			}
			latest = t
		}
	}
	if latest != nil {
		l.Range = differ.RangeOf(latest, l.ID)
	}
	working := b.states[len(b.states)-1]
	switch {
	case working.Has(l.ID) && l.Last == nil:
		l.State = inspect.Draft
	case working.Has(l.ID):
		l.State = inspect.Present
	case l.Last != nil && *l.Last == now.Cycle:
		l.State = inspect.Leaving
	default:
		l.State = inspect.Gone
	}
	if working.Has(l.ID) {
		latest = working
	}
	if latest == nil {
		return
	}
	e := latest.Entry(l.ID)
	n := e.Node()
	l.Type, l.Class, l.Role, l.Kind, l.Key = n.Type, e.Class().String(), n.Role, n.Kind, n.Key
	if n.Expiry != tree.Never {
		l.Expiry = &n.Expiry
	}
	l.Parent = latest.Parent(l.ID)
	_, l.Turn = regionAndTurn(latest, l.ID)
	for k := range e.Children().All() {
		l.Children = append(l.Children, k.Node().ID)
	}
	l.Refs = append(l.Refs, n.Refs...)
	l.ReferredBy = slices.AppendSeq(l.ReferredBy, latest.Referrers(l.ID))
	slices.SortFunc(l.ReferredBy, latest.Order)
}
