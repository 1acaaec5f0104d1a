package provenance_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
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
	if drafted {
		s.checkPlaced(t, l, s.states[latest])
	} else if last != 0 {
		s.checkPlaced(t, l, s.state(last))
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

// checkPlaced compares what is said of the node in the last state that has it.
func (s *recordedHistory) checkPlaced(t *testing.T, l *inspect.Timeline, p *modelState) {
	t.Helper()
	n := p.headers[l.ID]
	turn := ""
	for id := n["parent"].(string); id != ""; id = p.headers[id]["parent"].(string) {
		if p.headers[id]["nodeType"] == "mt" {
			turn = id
		}
	}
	var refs []string
	for _, id := range p.order {
		if refers(p.headers[id], l.ID) {
			refs = append(refs, id)
		}
	}
	if l.Parent != n["parent"] || l.Turn != turn || !slices.Equal(l.Children, p.kids[l.ID]) || !slices.Equal(l.ReferredBy, refs) ||
		l.Type != n["nodeType"] {
		t.Fatalf("%s is %+v, want it in %s of turn %q with %q, referred to by %q", l.ID, l, n["parent"], turn, p.kids[l.ID], refs)
	}
	if ttl, _ := n["ttl"].(json.Number); (l.Expiry != nil) != (ttl != "") || ttl != "" && fmt.Sprint(max(0, *l.Expiry-p.cycle)) != string(ttl) {
		t.Fatalf("%s expires in cycle %v, in cycle %d its ttl is %q", l.ID, l.Expiry, p.cycle, ttl)
	}
}

// modelCause says why a node differs between two states, by what commits said
// when they were made and by the documents between the two.
func (s *recordedHistory) modelCause(id string, older, newer int) diff.Cause {
	was, is := s.states[older].headers[id], s.states[newer].headers[id]
	cause := diff.Cause{Kind: diff.ByEdit}
	sealedKind := func(n map[string]any, p *modelState) bool {
		kind, parent := n["nodeType"].(string), n["parent"].(string)
		if kind == "mc" && p.headers[parent]["nodeType"] == "mt" && n["offset"] == json.Number("0") && s.actors[id] == "" {
			return true
		}
		return kind == "mt" || kind == "^ah"
	}
	for i := older + 1; i <= newer; i++ {
		last, now := s.states[i-1].headers[id], s.states[i].headers[id]
		switch {
		case was == nil && last == nil && now != nil, is == nil && last != nil && now == nil:
			cause.Cycle = s.states[i].cycle
		case was != nil && is != nil && !reflect.DeepEqual(withoutTTL(last), withoutTTL(now)):
			cause.Cycle = s.states[i].cycle
		}
	}
	switch {
	case is == nil && s.removed[id].Kind != "":
		return s.removed[id]
	case is == nil && sealedKind(was, s.states[older]), was == nil && sealedKind(is, s.states[newer]):
		cause.Kind = diff.BySeal
	case was != nil && is != nil && reflect.DeepEqual(withoutTTL(was), withoutTTL(is)):
		return diff.Cause{Kind: diff.ByTTL, Cycle: s.states[newer].cycle}
	}
	return cause
}

// modelPrefix is how many whole objects two threads share, and their bytes in the
// newer.
func modelPrefix(older, newer *modelState) (blocks int, bytes int64) {
	for blocks < len(older.blocks) && blocks < len(newer.blocks) &&
		older.objects[older.blocks[blocks]] == newer.objects[newer.blocks[blocks]] {
		blocks++
	}
	var list []string
	for _, id := range newer.blocks[:blocks] {
		list = append(list, newer.objects[id])
	}
	text := "[" + strings.Join(list, ",")
	if blocks == len(newer.blocks) {
		text += "]"
	}
	if !strings.HasPrefix(newer.thread, text) {
		panic("the prefix of the model is none")
	}
	return blocks, int64(len(text))
}

// modelBreak says what ended a prefix: what removed the block that stood there,
// else what put another before it.
func (s *recordedHistory) modelBreak(t *testing.T, was, now *modelState, p *inspect.SharedPrefix) (diff.Kind, string) {
	t.Helper()
	moved := map[string]bool{}
	r, err := s.context.RichDiff(background, pact.Cycle(was.cycle), pact.Cycle(now.cycle), nil)
	must(t, err)
	for _, m := range r.Moves {
		moved[m.PreviousID], moved[m.NewID] = true, true
	}
	switch {
	case p.Older == p.Newer:
		return diff.ByEdit, p.Older
	case now.objects[p.Older] == "" && s.removed[p.Older].Kind != "":
		return s.removed[p.Older].Kind, p.Older
	case now.objects[p.Older] == "" && moved[p.Older]:
		return diff.ByReordering, p.Older
	case now.objects[p.Older] == "":
		return diff.ByEdit, p.Older
	case was.objects[p.Newer] == "" && moved[p.Newer]:
		return diff.ByReordering, p.Newer
	case was.objects[p.Newer] == "":
		return diff.ByInsertion, p.Newer
	}
	return diff.ByReordering, p.Newer
}
