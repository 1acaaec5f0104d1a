package view_test

import (
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// What finds nothing because of a letter is told, with what is meant; what is canonical, or finds something where the
// selector looks, is not.
func TestWhatIsMistypedIsTold(t *testing.T) {
	c := dbtest.Create(t, pact.NewDB(store.NewMemory()), pact.CreateOptions{Edition: selector.Canonical})
	_, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: "Hello", Attrs: map[string]any{"x:mood": "calm"}})
		b.Add("^ah", pact.Spec{Role: "assistant", Kind: "call", Offset: 1, Content: map[string]any{"name": "read"}})
		return nil
	}})
	must(t, err)
	must(t, c.Edit(t.Context(), func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Role: "user", Kind: "note", Content: "draft"})
		return nil
	}, nil))
	for text, want := range map[string][]string{
		".blok, .blok":      {"no node has the type blok; .block is one letter away"},
		".block, .note":     nil,
		"[rol='user']":      {"no node has the attribute rol; did you mean role?"},
		"[mooody='x']":      {"no node has the attribute mooody"},
		"[x:mood='angry']":  nil,
		"@c1 [rol='user']":  {"no node has the attribute rol; did you mean role?"},
		"[role='usr']":      {"no node has the role usr; did you mean user?"},
		"[role='system']":   nil,
		"[role!='usr']":     nil,
		"[kind='image']":    {"no node has the kind image; there are call, note, text"},
		"[tool='raed']":     {"no node has the tool raed; did you mean read?"},
		"@t0 [kind='note']": {"no node has the kind note; there are call, text"},
		"@* [kind='note']":  {"no node has the kind note; there are call, text"},
		"[kind='text']":     nil,
		"@c1..@c1 .blok":    {"no node has the type blok; .block is one letter away"}, // Find takes no range
		"[tag='x']":         nil,
	} {
		q, err := selector.Parse(text, selector.Canonical)
		must(t, err)
		find := func(q *selector.Selector, limit int) ([]pact.Hit, error) {
			return c.Find(t.Context(), q.String(), &pact.SelectOptions{Limit: limit})
		}
		got := slices.Concat(view.MistypedTypes(q, find), view.MistypedAttributes(q, find), view.MistypedValues(t.Context(), q, find))
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
