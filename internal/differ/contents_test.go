package differ_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

func rangeDiff(t *testing.T, c *pact.Context, text string, opts ...diff.RangeOptions) *diff.RangeDiffLatestResult {
	t.Helper()
	var o diff.RangeOptions
	for _, given := range opts {
		o = given
	}
	r, err := c.RangeDiffLatest(context.Background(), text, &o)
	must(t, err)
	return r
}

func TestRangeShowsContents(t *testing.T) {
	c := revisedContents(t)
	r := rangeDiff(t, c, "@t-1..@t0 .cb", diff.RangeOptions{IncludeContent: true, ContextLines: -1})
	changed := r.Diffs[0].Changed
	if len(changed) != 3 || changed[0].ID != "text" || changed[1].ID != "json" || changed[2].ContentDiff != nil || changed[0].Materialized != nil {
		t.Fatalf("got %s", fmt.Sprintf("%+v", r))
	}
	want := diff.ContentDiff{Mode: diff.Unified, MIME: "text/plain", Summary: diff.ContentSummary{BytesNewer: 6,
		BytesOlder: 8}}
	got := *changed[0].ContentDiff
	if d := "--- older(@t-1)/text\n+++ newer(@t0)/text\n@@ -2 +2 @@\n-two\n+2\n"; got.Diff == nil || *got.Diff != d {
		t.Errorf("got %s", fmt.Sprintf("%+v", got))
	}
	if got.Mode != want.Mode || got.MIME != want.MIME || got.Summary != want.Summary || len(r.Warnings) != 0 {
		t.Errorf("got %s", fmt.Sprintf("%+v", r))
	}
	r = rangeDiff(t, c, "@t-1..@t0 .cb", diff.RangeOptions{IncludeContent: true, ContentMode: diff.JSONPatch})
	changed = r.Diffs[0].Changed
	if changed[0].ContentDiff.Mode != diff.Unified || len(r.Warnings) != 1 ||
		string(changed[1].ContentDiff.Patch) != `[{"value":2,"op":"replace","path":"/a"}]` {
		t.Errorf("got %s", fmt.Sprintf("%+v", r))
	}
}

func TestRangeMaterializesHeaders(t *testing.T) {
	c := revisedContents(t)
	r := rangeDiff(t, c, "@t-1..@t0 #text", diff.RangeOptions{Materialize: []string{"content", "mime", "encoding"}})
	m := r.Diffs[0].Changed[0].Materialized
	same := func(got map[string]json.RawMessage, content string) bool {
		return len(got) == 3 && string(got["content"]) == content && string(got["mime"]) == `"text/plain"` &&
			string(got["encoding"]) == "null"
	}
	if m == nil || !same(m.From, `"one\n2\n"`) || !same(m.To, `"one\ntwo\n"`) {
		t.Errorf("got %s", fmt.Sprintf("%+v", r))
	}
	for _, o := range []diff.RangeOptions{{Materialize: []string{"role"}},
		{IncludeContent: true, ContentMode: "words"}} {
		if _, err := c.RangeDiffLatest(context.Background(), "@t-1..@t0 .cb", &o); !errors.Is(err, fault.SelectorInvalid) {
			t.Errorf("got %v", err)
		}
	}
}

// revisedContents has two snapshots between which one text and one JSON content change.
func revisedContents(t *testing.T) *pact.Context {
	c := created(t)
	_, err := c.Commit(context.Background(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Add("^sys", pact.Spec{ID: "text", MIME: "text/plain", Content: "one\ntwo\n"})
		must(t, b.Err())
		b.Add("^sys", pact.Spec{ID: "json", Content: map[string]any{"a": 1}})
		must(t, b.Err())
		b.Add("^sys", pact.Spec{ID: "same", Content: "same"})
		return nil
	}})
	must(t, err)
	_, err = c.Commit(context.Background(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Update("text", func(s *pact.Spec) { s.Content = "one\n2\n" })
		b.Update("json", func(s *pact.Spec) { s.Content = map[string]any{"a": 2} })
		b.Update("same", func(s *pact.Spec) { s.Priority = 4 })
		return nil
	}})
	must(t, err)
	return c
}

func created(t *testing.T) *pact.Context {
	t.Helper()
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "c", &pact.CreateOptions{Edition: selector.V01})
	must(t, err)
	return c
}

var must = testrun.Must
