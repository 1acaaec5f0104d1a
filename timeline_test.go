package pact_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
)

// happened is what the naive timeline of a node knows of an event.
func happened(e inspect.Event) string { return fmt.Sprint(e.Cycle, " ", e.Kind, " ", e.Other) }

func TestTimelinesAgreeWithDocuments(t *testing.T) {
	counts := map[inspect.EventKind]int{}
	for seed := range uint64(20) {
		s := tell(t, seed, 8)
		all := map[string]bool{}
		for _, p := range s.pages {
			for _, id := range p.order {
				all[id] = true
			}
		}
		for id := range all {
			l, err := s.context.Timeline(background, id)
			must(t, err)
			got := map[string]bool{}
			for _, e := range l.Events {
				counts[e.Kind]++
				if e.Draft != (e.Cycle == int64(len(s.pages))) {
					t.Fatalf("%s: %+v is no draft, or is one", id, e)
				}
				switch e.Kind {
				case inspect.EventBorn, inspect.EventRemoved: // by what they were or became, and of a birth the region
					e.Other = ""
				case inspect.EventSealed, inspect.EventRetained, inspect.EventHeld:
					continue
				}
				got[happened(e)] = true
			}
			want := s.naiveTimeline(id)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, %s:\n got %v\nwant %v", seed, id, got, want)
			}
			s.checkTimeline(t, l)
		}
	}
	for _, kind := range []inspect.EventKind{inspect.EventBorn, inspect.EventSealed, inspect.EventUpdated,
		inspect.EventAttached, inspect.EventDetached,
		inspect.EventReferred, inspect.EventUnreferred, inspect.EventRetained, inspect.EventHeld, inspect.EventRemoved} {
		if counts[kind] < 3 {
			t.Errorf("%d times %s", counts[kind], kind)
		}
	}
}

// naiveTimeline reads the events of a node off the documents.
func (s *saga) naiveTimeline(id string) map[string]bool {
	want := map[string]bool{}
	tell := func(p *page, kind inspect.EventKind, node string) {
		want[happened(inspect.Event{Cycle: p.cycle, Kind: kind, Other: node})] = true
	}
	last := s.pages[0].ofCycleZero()
	if last.headers[id] != nil {
		tell(last, inspect.EventBorn, "")
	}
	for _, p := range s.pages {
		was, is := last.headers[id], p.headers[id]
		switch {
		case was == nil && is == nil:
			last = p
			continue
		case was == nil:
			tell(p, inspect.EventBorn, "")
		case is == nil:
			tell(p, inspect.EventRemoved, "")
		case !reflect.DeepEqual(lasting(was), lasting(is)):
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

// ofCycleZero is what a new context begins with: root and regions.
func (p *page) ofCycleZero() *page {
	zero := &page{headers: map[string]map[string]any{}, kids: map[string][]string{}}
	for _, id := range p.order {
		if n := p.headers[id]; fmt.Sprint(n["cycle"]) == "0" {
			zero.headers[id] = n
			parent := n["parent"].(string)
			zero.kids[parent] = append(zero.kids[parent], id)
		}
	}
	return zero
}

func union(a, b map[string]map[string]any) map[string]bool {
	all := map[string]bool{}
	for id := range a {
		all[id] = true
	}
	for id := range b {
		all[id] = true
	}
	return all
}

func refers(n map[string]any, id string) bool {
	list, _ := n["refs"].([]any)
	return slices.Contains(list, any(id))
}

// checkTimeline compares what is said of the present, and how it ended.
func (s *saga) checkTimeline(t *testing.T, l *inspect.Timeline) {
	t.Helper()
	var first, last int64
	for _, p := range s.pages[:len(s.pages)-1] {
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
		s.page(last).checkRange(t, l.ID, l.Range)
	}
	latest := int64(len(s.pages) - 1)
	_, drafted := s.pages[latest].headers[l.ID]
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
		if wanted := s.wantCause(l.ID, int(last)-1, int(last)); cause != wanted {
			t.Fatalf("%s went by %+v, want %+v", l.ID, cause, wanted)
		}
	}
}

func TestTimelineOfAnUnknownNode(t *testing.T) {
	s := tell(t, 3, 4)
	_, err := s.context.Timeline(background, "nobody")
	if !errors.Is(err, fault.NodeNotFound) || !strings.Contains(err.Error(), "'@* *'") {
		t.Errorf("got %v", err)
	}
}
