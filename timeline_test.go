package pact_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
)

func TestTimelineAgreesWithModel(t *testing.T) {
	counts := map[inspect.EventKind]int{}
	for seed := range uint64(20) {
		s := genRecordedHistory(t, seed, 8)
		all := map[string]bool{}
		for _, p := range s.states {
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
				if e.Draft != (e.Cycle == int64(len(s.states))) {
					t.Fatalf("%s: %+v is no draft, or is one", id, e)
				}
				switch e.Kind {
				case inspect.EventBorn, inspect.EventRemoved: // by what they were or became, and of a birth the region
					e.Other = ""
				case inspect.EventSealed, inspect.EventRetained, inspect.EventHeld:
					continue
				}
				got[modelEvent(e)] = true
			}
			want := s.modelTimeline(id)
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

func TestTimelineOfAnUnknownNode(t *testing.T) {
	s := genRecordedHistory(t, 3, 4)
	_, err := s.context.Timeline(background, "nobody")
	if !errors.Is(err, fault.NodeNotFound) || !strings.Contains(err.Error(), "'@* *'") {
		t.Errorf("got %v", err)
	}
}
