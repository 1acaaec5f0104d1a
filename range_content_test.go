package pact_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/fault"
)

func TestRangeShowsContents(t *testing.T) {
	c := revisedContents(t)
	r := rangeDiff(t, c, "@t-1..@t0 .cb", pact.RangeOptions{IncludeContent: true, ContextLines: -1})
	changed := r.Diffs[0].Changed
	if len(changed) != 3 || changed[0].ID != "text" || changed[1].ID != "json" || changed[2].ContentDiff != nil {
		t.Fatalf("got %s", jsonText(t, r))
	}
	want := diff.ContentDiff{Mode: diff.Unified, MIME: "text/plain", Summary: diff.ContentSummary{BytesNewer: 6,
		BytesOlder: 8}}
	got := *changed[0].ContentDiff
	if d := "--- older(@t-1)/text\n+++ newer(@t0)/text\n@@ -2 +2 @@\n-two\n+2\n"; got.Diff == nil || *got.Diff != d {
		t.Errorf("got %s", jsonText(t, got))
	}
	if got.Mode != want.Mode || got.MIME != want.MIME || got.Summary != want.Summary || len(r.Warnings) != 0 {
		t.Errorf("got %s", jsonText(t, r))
	}
	r = rangeDiff(t, c, "@t-1..@t0 .cb", pact.RangeOptions{IncludeContent: true, ContentMode: diff.JSONPatch})
	changed = r.Diffs[0].Changed
	if changed[0].ContentDiff.Mode != diff.Unified || len(r.Warnings) != 1 ||
		jsonText(t, changed[1].ContentDiff.Patch) != `[{"value":2,"op":"replace","path":"/a"}]` {
		t.Errorf("got %s", jsonText(t, r))
	}
}

func TestRangeMaterializesHeaders(t *testing.T) {
	c := revisedContents(t)
	r := rangeDiff(t, c, "@t-1..@t0 #text", pact.RangeOptions{Materialize: []string{"content", "mime", "encoding"}})
	m := r.Diffs[0].Changed[0].Materialized
	same := func(got map[string]json.RawMessage, content string) bool {
		return len(got) == 3 && string(got["content"]) == content && string(got["mime"]) == `"text/plain"` &&
			string(got["encoding"]) == "null"
	}
	if m == nil || !same(m.From, `"one\n2\n"`) || !same(m.To, `"one\ntwo\n"`) {
		t.Errorf("got %s", jsonText(t, r))
	}
	for _, o := range []pact.RangeOptions{{Materialize: []string{"role"}},
		{IncludeContent: true, ContentMode: "words"}} {
		if _, err := c.RangeDiffLatest(background, "@t-1..@t0 .cb", &o); !errors.Is(err, fault.SelectorInvalid) {
			t.Errorf("got %v", err)
		}
	}
}
