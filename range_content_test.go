package pact_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

// revised has two snapshots between which one text and one JSON content change.
func revised(t *testing.T) *pact.Context {
	c := create(t, store.NewMemory())
	_, err := c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Add("^sys", pact.Spec{ID: "text", MIME: "text/plain", Content: "one\ntwo\n"})
		must(t, b.Err())
		b.Add("^sys", pact.Spec{ID: "json", Content: map[string]any{"a": 1}})
		must(t, b.Err())
		b.Add("^sys", pact.Spec{ID: "same", Content: "same"})
		return nil
	}})
	must(t, err)
	_, err = c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Update("text", map[string]any{"content": "one\n2\n"})
		b.Update("json", map[string]any{"content": map[string]any{"a": 2}})
		b.Update("same", map[string]any{"priority": 4})
		return nil
	}})
	must(t, err)
	return c
}

func TestRangeShowsContents(t *testing.T) {
	c := revised(t)
	r := ranged(t, c, "@t-1..@t0 .cb", pact.RangeOptions{Content: &pact.ContentOptions{Lines: new(int)}})
	changed := r.Diffs[0].Changed
	if len(changed) != 3 || changed[0].ID != "text" || changed[1].ID != "json" || changed[2].ContentDiff != nil {
		t.Fatalf("got %s", text(t, r))
	}
	want := diff.ContentDiff{Mode: diff.Unified, MIME: "text/plain", Summary: diff.ContentSummary{BytesNewer: 6,
		BytesOlder: 8}}
	got := *changed[0].ContentDiff
	if d := "--- older(@t-1)/text\n+++ newer(@t0)/text\n@@ -2 +2 @@\n-two\n+2\n"; got.Diff == nil || *got.Diff != d {
		t.Errorf("got %s", text(t, got))
	}
	if got.Mode != want.Mode || got.MIME != want.MIME || got.Summary != want.Summary || len(r.Warnings) != 0 {
		t.Errorf("got %s", text(t, r))
	}
	r = ranged(t, c, "@t-1..@t0 .cb", pact.RangeOptions{Content: &pact.ContentOptions{Mode: diff.JSONPatch}})
	changed = r.Diffs[0].Changed
	if changed[0].ContentDiff.Mode != diff.Unified || len(r.Warnings) != 1 ||
		text(t, changed[1].ContentDiff.Patch) != `[{"value":2,"op":"replace","path":"/a"}]` {
		t.Errorf("got %s", text(t, r))
	}
}

func TestRangeMaterializesHeaders(t *testing.T) {
	c := revised(t)
	r := ranged(t, c, "@t-1..@t0 #text", pact.RangeOptions{Materialize: []string{"content", "mime", "encoding"}})
	m := r.Diffs[0].Changed[0].Materialized
	same := func(got map[string]json.RawMessage, content string) bool {
		return len(got) == 3 && string(got["content"]) == content && string(got["mime"]) == `"text/plain"` &&
			string(got["encoding"]) == "null"
	}
	if m == nil || !same(m.From, `"one\n2\n"`) || !same(m.To, `"one\ntwo\n"`) {
		t.Errorf("got %s", text(t, r))
	}
	for _, o := range []pact.RangeOptions{{Materialize: []string{"role"}},
		{Content: &pact.ContentOptions{Mode: "words"}}} {
		if _, err := c.RangeDiffLatest(background, "@t-1..@t0 .cb", &o); !errors.Is(err, fault.SelectorInvalid) {
			t.Errorf("got %v", err)
		}
	}
}
