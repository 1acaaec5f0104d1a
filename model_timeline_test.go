package pact_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
)

// modelEvent is an event as the model of a timeline has it.
func modelEvent(e inspect.Event) string { return fmt.Sprint(e.Cycle, " ", e.Kind, " ", e.Other) }

// modelTimeline reads the events of a node off the documents.
func (s *recordedHistory) modelTimeline(id string) map[string]bool {
	want := map[string]bool{}
	tell := func(p *modelState, kind inspect.EventKind, node string) {
		want[modelEvent(inspect.Event{Cycle: p.cycle, Kind: kind, Other: node})] = true
	}
	last := s.states[0].ofCycleZero()
	if last.headers[id] != nil {
		tell(last, inspect.EventBorn, "")
	}
	for _, p := range s.states {
		was, is := last.headers[id], p.headers[id]
		switch {
		case was == nil && is == nil:
			last = p
			continue
		case was == nil:
			tell(p, inspect.EventBorn, "")
		case is == nil:
			tell(p, inspect.EventRemoved, "")
		case !reflect.DeepEqual(versionHeaders(was), versionHeaders(is)):
			tell(p, inspect.EventUpdated, "")
		}
		for _, other := range without(p.kids[id], last.kids[id]) {
			tell(p, inspect.EventAttached, other)
		}
		for _, other := range without(last.kids[id], p.kids[id]) {
			tell(p, inspect.EventDetached, other)
		}
		for other := range union(p.headers, last.headers) {
			now, before := refers(p.headers[other], id), refers(last.headers[other], id)
			switch {
			case other == id:
			case now && !before:
				tell(p, inspect.EventReferred, other)
			case before && !now:
				tell(p, inspect.EventUnreferred, other)
			}
		}
		last = p
	}
	return want
}

// checkTimeline compares what is said of the present, and how it ended.
func (s *recordedHistory) checkTimeline(t *testing.T, l *inspect.Timeline) {
	t.Helper()
	var first, last int64
	for _, p := range s.states[:len(s.states)-1] {
		if p.headers[l.ID] != nil {
			if last = p.cycle; first == 0 {
				first = p.cycle
			}
		}
	}
	if first == 0 != (l.First == nil) || first != 0 && (*l.First != first || *l.Last != last) {
		t.Fatalf("%s: snapshots %v to %v, want %d to %d", l.ID, l.First, l.Last, first, last)
	}
	if last != 0 {
		s.state(last).checkRange(t, l.ID, l.Range)
	}
	latest := int64(len(s.states) - 1)
	_, drafted := s.states[latest].headers[l.ID]
	want := map[bool]map[bool]inspect.Presence{true: {true: inspect.Present, false: inspect.Leaving},
		false: {true: inspect.Draft, false: inspect.Gone}}[last == latest][drafted]
	if l.State != want {
		t.Fatalf("%s is %s, want %s", l.ID, l.State, want)
	}
	if end := l.Events[len(l.Events)-1]; want == inspect.Gone {
		i := slices.IndexFunc(l.Events, func(e inspect.Event) bool { return e.Kind == inspect.EventRemoved })
		end = l.Events[i]
		cause := *end.Cause
		cause.Author = diff.Author{}
		if wanted := s.modelCause(l.ID, int(last)-1, int(last)); cause != wanted {
			t.Fatalf("%s went by %+v, want %+v", l.ID, cause, wanted)
		}
	}
}
