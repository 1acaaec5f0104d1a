package librarytest

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/selector"
)

func rangeDiff(t *testing.T, c *pact.Context, text string, opts ...pact.RangeOptions) *diff.RangeDiffLatestResult {
	t.Helper()
	var o pact.RangeOptions
	for _, given := range opts {
		o = given
	}
	r, err := c.RangeDiffLatest(background, text, &o)
	must(t, err)
	return r
}

func TestRangeModes(t *testing.T) {
	c := threeSnapshots(t, pact.CreateOptions{Edition: selector.Depth})
	for text, want := range map[string][]string{
		"@t-2..@t0 .cb @mode=union":          {"s", "u2", "u1"},
		"@t-2..@t0 .cb @mode=latest":         {"s", "u2", "u1"}, // three families of one
		"@t-2..@t0 .cb @mode=union @first":   {"s"},             // in each snapshot
		"@c1..@c1 .cb @mode=latest":          {"s", "u1"},
		"@* .cb @mode=union":                 {"s", "u2", "u1"},
		"@t-2..@t0 .cb @mode=union @limit=2": {"s", "u2", "u1"},
	} {
		if got := ids(t, c, text); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	reduced := rangeDiff(t, c, "@t-2..@t0 .cb @mode=reduce")
	if len(reduced.Snapshots) != 3 || len(reduced.Diffs) != 1 || reduced.Mode != "reduce" {
		t.Fatalf("reduce: got %s", jsonText(t, reduced))
	}
	b := reduced.Diffs[0]
	if b.From.Label != "@t0" || b.To.Label != "@t-2" || !slices.Equal(b.AddedIDs, []string{"u2"}) ||
		!slices.Equal(b.RemovedIDs, []string{"u1"}) || len(b.Changed) != 1 {
		t.Errorf("reduce: got %s", jsonText(t, b))
	}
	for _, text := range []string{"@t-2..@t0 .cb", "@t-2..@t0 .cb @mode=reduce"} {
		if _, err := c.Find(background, text, nil); !errors.Is(err, fault.SelectorInvalid) {
			t.Errorf("Find(%s): got %v", text, err)
		}
		for _, o := range []pact.SelectOptions{{}, {Skip: 1}, {Limit: 1}, {Where: "^seq"}, {RangeAsIDs: true}} {
			if _, err := c.Select(background, text, &o); !errors.Is(err, fault.SelectorInvalid) {
				t.Errorf("Select(%s) with %+v: got %v", text, o, err)
			}
		}
	}
	for _, bad := range []string{".cb", "@t0 .cb", "@* .cb", "@t-2..@t0 .cb @mode=union"} {
		if _, err := c.RangeDiffLatest(background, bad, nil); !errors.Is(err,
			fault.SelectorInvalid) {
			t.Errorf("RangeDiffLatest(%s): got %v", bad, err)
		}
	}
}

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
