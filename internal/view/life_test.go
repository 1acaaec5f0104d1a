package view_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/view"
)

func TestEventsInWords(t *testing.T) {
	by := func(kind diff.Kind, rule, message string) *diff.Cause {
		return &diff.Cause{Kind: kind, Rule: rule, Author: diff.Author{Message: message}}
	}
	guess := by(diff.ByPruning, "max_tokens", "")
	guess.Inferred = true
	field := func(name, before, now string) diff.Field {
		return diff.Field{Name: name, Previous: json.RawMessage(before), New: json.RawMessage(now)}
	}
	for _, x := range []struct {
		e    inspect.Event
		want string
	}{
		{inspect.Event{Kind: inspect.EventBorn, Region: "^sys", Parent: "sys"}, "born in ^sys"},
		{inspect.Event{Kind: inspect.EventBorn, Region: "^sys", Parent: "g"}, "born in ^sys, below g"},
		{inspect.Event{Kind: inspect.EventBorn, Turn: "t1", Parent: "t1", Other: "old"}, "born in turn t1; it was probably old before"},
		{inspect.Event{Kind: inspect.EventBorn, Turn: "t1", Parent: "core"}, "born in turn t1, below core"},
		{inspect.Event{Kind: inspect.EventBorn}, "born"},
		{inspect.Event{Kind: inspect.EventBorn, Turn: "t", Parent: "t", Cause: by(diff.BySeal, "", "")}, "made by sealing"},
		{inspect.Event{Kind: inspect.EventBorn, Turn: "t", Parent: "t", Cause: by(diff.ByPruning, "", "")}, "left in turn t for what was pruned"},
		{inspect.Event{Kind: inspect.EventBorn, Region: "^ah", Cause: by(diff.ByEdit, "", "")}, "born in ^ah"},
		{inspect.Event{Kind: inspect.EventSealed, Turn: "t", Parent: "t"}, "sealed into turn t"},
		{inspect.Event{Kind: inspect.EventMoved, Region: "^ah", Parent: "ah"}, "moved into ^ah"},
		{inspect.Event{Kind: inspect.EventUpdated, Fields: []diff.Field{field("content_hash", `"a"`, `"b"`), field("ttl", "3", `"none"`), field("key", `""`, `"k"`)}},
			`updated: content, ttl 3 → none, key "" → k`},
		{inspect.Event{Kind: inspect.EventAttached, Other: "x"}, "x came below it"}, {inspect.Event{Kind: inspect.EventDetached, Other: "x"}, "x left it"},
		{inspect.Event{Kind: inspect.EventReferred, Other: "x"}, "x refers to it"}, {inspect.Event{Kind: inspect.EventUnreferred, Other: "x"}, "x refers to it no more"},
		{inspect.Event{Kind: inspect.EventRetained}, "retained by a holder"}, {inspect.Event{Kind: inspect.EventErased}, "erased for good, in all snapshots"},
		{inspect.Event{Kind: inspect.EventHeld, Reason: "expiry", KeptBy: "referenced", Other: "x"}, "expired, kept: x refers to it"},
		{inspect.Event{Kind: inspect.EventRemoved, Cause: by(diff.ByEdit, "", "by hand")}, "removed by an edit"},
		{inspect.Event{Kind: inspect.EventRemoved, Cause: by(diff.ByEdit, "", "the log says that the agent compacted the conversation")}, "removed by a compaction"},
		{inspect.Event{Kind: inspect.EventRemoved, Cause: by(diff.ByEdit, "", "the agent rewrote the conversation: it quotes the last answer")},
			"removed as the agent rewrote the conversation"},
		{inspect.Event{Kind: inspect.EventRemoved, Cause: by(diff.BySeal, "", "")}, "gave way to the next active head when it was sealed"},
		{inspect.Event{Kind: inspect.EventRemoved, Cause: by(diff.ByExpiry, "", ""), Other: "y"}, "expired; it is probably y now"},
		{inspect.Event{Kind: inspect.EventRemoved, Cause: by(diff.ByPruning, "named", "")}, "pruned by name"},
		{inspect.Event{Kind: inspect.EventRemoved, Cause: by(diff.ByPruning, "rule 3", "")}, "left by rule 3"},
		{inspect.Event{Kind: inspect.EventRemoved, Cause: guess}, "probably pruned for max_tokens"},
	} {
		if got := view.EventInWords(x.e); got != x.want {
			t.Errorf("%+v: %s, want %s", x.e, got, x.want)
		}
	}
}

// A cause names the cycle and who did it, but what changed by itself has neither.
func TestCausesInWords(t *testing.T) {
	for _, x := range []struct {
		c    diff.Cause
		want string
	}{
		{diff.Cause{Kind: diff.ByEdit, Cycle: 3, Author: diff.Author{Actor: "ann", Message: "tidied"}}, "edited in @c3 by ann (tidied)"},
		{diff.Cause{Kind: diff.ByEdit, Cycle: 3, Author: diff.Author{Message: "tidied"}}, "edited in @c3 (tidied)"},
		{diff.Cause{Kind: diff.ByTTL, Cycle: 3}, "its ttl ran down"}, {diff.Cause{Kind: diff.BySelection, Cycle: 3}, "the same on both sides, selected on one"},
		{diff.Cause{Kind: diff.ByExpiry, Cycle: 3}, "expired in @c3"},
	} {
		if got := view.CauseInWords(x.c, "edited"); got != x.want {
			t.Errorf("%+v: %s, want %s", x.c, got, x.want)
		}
	}
	for want, r := range map[string]*diff.Range{"not in the thread": nil, "nothing at byte 3": {Start: 3, End: 3}, "bytes 3 to 4": {Start: 3, End: 4}} {
		if got := view.RangeInWords(r); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for raw, want := range map[string]string{`"a\u001bb"`: "a\uFFFDb", `""`: `""`, `[1,2]`: "[1,2]", `"` + strings.Repeat("é", 60) + `"`: strings.Repeat("é", 60),
		`"` + strings.Repeat("é", 61) + `"`: strings.Repeat("é", 60) + "…"} {
		if got := view.HeaderInWords(json.RawMessage(raw)); got != want {
			t.Errorf("%s is %s, want %s", raw, got, want)
		}
	}
}

func TestWhereANodeIsNow(t *testing.T) {
	for _, x := range []struct {
		l    inspect.Timeline
		want string
	}{
		{inspect.Timeline{State: inspect.Draft}, "in no snapshot, a draft, to stay"},
		{inspect.Timeline{State: inspect.Draft, Expiry: new(int64(4))}, "in no snapshot, a draft, to go at the commit of cycle 4"},
		{inspect.Timeline{State: inspect.Gone, First: new(int64(2)), Last: new(int64(2)), Expiry: new(int64(4))}, "in the snapshot @c2, gone"},
		{inspect.Timeline{State: inspect.Leaving, First: new(int64(2)), Last: new(int64(3))}, "in the snapshots @c2 to @c3, removed since"},
		{inspect.Timeline{State: inspect.Present, First: new(int64(2)), Last: new(int64(3))}, "in the snapshots @c2 to @c3, to stay"},
	} {
		if got := view.Presence(&x.l); got != x.want {
			t.Errorf("%+v: %s, want %s", x.l, got, x.want)
		}
	}
	for _, x := range [][4]string{
		{"pruned", "referenced", "", "to be pruned, kept: referenced"}, {"cascade", "contains", "x", "left empty, kept: x below it stays"},
		{"orphan", "task", "", "left alone by expiry, kept: the first message of the user"}, {"pruning", "recent", "", "to be pruned, kept: among the most recent turns"},
		{"expired", "waiting", "", "expired, kept: pruning waits"}, {"pruned", "whole", "x", "to be pruned, kept: x would have to go too, and was not named"},
		{"pruned", "whole", "", "to be pruned, kept: only a whole turn or a block outside a core can be pruned"},
		{"pruned", "pinned", "x", "to be pruned, kept: x is pinned"}, {"pruned", "pinned", "", "to be pruned, kept: pinned"},
	} {
		if got := view.WhyKept(x[0], x[1], x[2]); got != x[3] {
			t.Errorf("%q: %s", x, got)
		}
	}
}
