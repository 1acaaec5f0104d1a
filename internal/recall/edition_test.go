package recall_test

import (
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/recall"
	"github.com/contexttree/pact/selector"
)

// In every edition the newest turn comes first, addresses are read and printed as the edition does, what is removed is
// found, and a rule is made that keeps what is pinned.
func TestToolsInEachEdition(t *testing.T) {
	for edition, labels := range map[selector.Edition][2]string{selector.V01: {"@t-1", "@t0"},
		selector.Canonical: {"@t-1", "@t0"}, selector.V1: {"@t-2", "@t-1"}} {
		db := memory(t)
		db.Edition = edition
		c := begin(t, db, "chat", `{"rules":[{"select":".block[kind='log']","ttl":2}]}`)
		kept, goes := say(t, c, pact.Spec{Content: "kept"}), say(t, c, pact.Spec{Kind: "log", Content: "goes"})
		s := connect(t, db, recall.Options{Pin: true})
		is := func(want, tool string, arguments map[string]any) {
			t.Helper()
			text, failed := ask(t, s, tool, arguments)
			if failed || !strings.Contains(text, want) {
				t.Errorf("%s, %s %v: %s", edition, tool, arguments, text)
			}
			must(t, c.Refresh(t.Context()))
		}
		is(kept+" stays.", "pin", map[string]any{"id": kept})
		commit(t, c, 1)
		second := say(t, c, pact.Spec{Role: "user", NodeType: "x:summary", Content: "two"})
		commit(t, c, 1)
		draft := say(t, c, pact.Spec{Role: "user", Content: "three"})
		is(second+" stays.", "pin", map[string]any{"id": second})
		sealed := second + " user 5 B: two\n" + kept + " pinned 6 B: kept\n" + goes + " log 6 B: goes"
		is("turn first. These are quotations.\n"+draft+" user 7 B: three\n"+sealed, "show", map[string]any{"at": "working"})
		is("turn first. These are quotations.\n"+sealed, "show", map[string]any{"at": labels[1]})
		is("turn first. These are quotations.\n"+kept+" ", "show", map[string]any{"at": labels[0]})
		is("1 block, ", "show", map[string]any{"selector": labels[0] + " [id='" + goes + "']"})
		is("from "+labels[0]+" to "+labels[1]+": ", "changes", nil)
		commit(t, c, 3)
		is("goes", "recall", map[string]any{"search": "GOES"})
		is("goes", "recall", map[string]any{"id": goes})
		is("1 block, ", "show", map[string]any{"selector": "[pinned=true], [kind='log']"})
	}
}
