package provenance_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
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

// A snapshot of another tool may hold something in ^ah. The next commit seals it
// into a turn: that is no edit, and the committer did it.
func TestSealingWhatAnImportLeftInTheActiveHead(t *testing.T) {
	doc := `{"cycle":3,"edition":"v0.1","root":{"id":"root","children":[{"id":"ah","nodeType":"^ah","children":[
		{"id":"d","nodeType":"cb","cycle":3,"created_at_ns":7,"content":"draft"},
		{"id":"e","nodeType":"cb","cycle":3,"created_at_ns":8,"content":"draft","ttl":5},{"id":"f","nodeType":"cb","cycle":3,"created_at_ns":9,"content":"draft"}]}]}}`
	c, _, err := pact.Import(background, pact.NewDB(store.NewMemory()), "c", []byte(doc),
		&pact.ImportOptions{OpenOptions: pact.OpenOptions{Clock: steps()}})
	must(t, err)
	must(t, c.Edit(background, func(b *pact.Batch) error {
		b.Update("f", func(s *pact.Spec) { s.Content = "changed" })
		return nil
	}, &pact.Note{Actor: "ed"}))
	_, err = c.Commit(background, &pact.CommitOptions{Note: pact.Note{Actor: "dora"}})
	must(t, err)
	sealed := diff.Cause{Kind: diff.BySeal, Cycle: 4, Author: diff.Author{Revision: 3, Actor: "dora"}}

	l, err := c.Timeline(background, "d")
	must(t, err)
	if len(l.Events) != 2 || l.State != inspect.Present || l.Cycle != 3 || *l.First != 3 || *l.Last != 4 {
		t.Fatalf("%+v", l)
	}
	born, seal := l.Events[0], l.Events[1]
	if born.Kind != inspect.EventBorn || born.Cycle != 3 || born.Region != "^ah" || born.Parent != "ah" ||
		born.Turn != "" {
		t.Errorf("born %+v", born)
	}
	if seal.Kind != inspect.EventSealed || seal.Cycle != 4 || seal.Region != "^seq" || seal.Turn != l.Turn ||
		l.Turn == "" || *seal.Cause != sealed {
		t.Errorf("sealed %+v, turn %s", seal, l.Turn)
	}

	r, err := c.RichDiff(background, pact.Cycle(3), pact.Cycle(4), nil)
	must(t, err)
	i := slices.IndexFunc(r.Modified, func(m diff.Modification) bool { return m.ID == "d" })
	if i < 0 || r.Modified[i].Cause != sealed || r.Modified[i].ParentChanged.Previous != "ah" {
		t.Errorf("modified %+v", r.Modified)
	}
	for id, want := range map[string]diff.Kind{"e": diff.BySeal, "f": diff.ByEdit} { // e has another ttl by now
		if i := slices.IndexFunc(r.Modified, func(m diff.Modification) bool { return m.ID == id }); r.Modified[i].Cause.Kind != want {
			t.Errorf("%s is modified by %+v, want %s", id, r.Modified[i], want)
		}
	}
}

// An erasure is told of the cycle that was under way, with who asked for it and why.
func TestTimelineTellsOfAnErasure(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	must(t, c.Edit(background, say("secret"), nil))
	first, err := c.Commit(background, nil)
	must(t, err)
	var id string
	for entry := range sure.All(tree.Of(first).All()) {
		n := entry.Node()
		if n.Content.Size() > 0 {
			id = n.ID
		}
	}
	_, err = c.Erase(background, pact.Erasure{IDs: []string{id}, Reason: "asked for", Actor: "ann",
		Random: bytes.NewReader(make([]byte, 32))})
	must(t, err)
	l, err := c.Timeline(background, id)
	must(t, err)
	end := l.Events[len(l.Events)-1]
	want := diff.Cause{Kind: diff.ByErasure, Cycle: 2, Author: diff.Author{Revision: 4, Actor: "ann",
		Message: "asked for"}}
	if end.Kind != inspect.EventErased || end.Cycle != 2 || end.Draft || end.Cause == nil || *end.Cause != want {
		t.Errorf("%+v by %+v, want %+v", end, end.Cause, want)
	}
	if others, err := c.Timeline(background, "seq"); err != nil || slices.ContainsFunc(others.Events,
		func(e inspect.Event) bool { return e.Kind == inspect.EventErased }) {
		t.Errorf("^seq: %+v, %v", others, err)
	}
}
