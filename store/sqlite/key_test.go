package sqlite_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/selector"
)

// TestAnIDIsAKey asks a file, in which most turns stand in a checkpoint, for nodes by their ids as keys: the
// id of a node without a key is its key (003, 001 §3.5.3).
func TestAnIDIsAKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	s := open(t, path)
	c, err := pact.Create(t.Context(), dbtest.Of(s), "chat", &pact.CreateOptions{Edition: selector.Canonical})
	must(t, err)
	const turns = 300
	for i := range turns {
		_, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			spec := pact.Spec{Role: "user", Content: "hello"}
			if i%50 == 7 {
				spec.ID = "mine" + string(rune('a'+i/50))
			}
			b.Add("^ah", spec)
			return nil
		}})
		must(t, err)
	}
	found, err := c.Select(t.Context(), ".block", nil)
	must(t, err)
	all := found.IDs
	must(t, s.Close())
	c, err = pact.Open(t.Context(), dbtest.Of(open(t, path)), "chat", nil)
	must(t, err)
	if len(all) != turns {
		t.Fatalf("%d blocks", len(all))
	}
	for i, id := range all {
		if i%7 > 0 && id[:4] != "mine" {
			continue
		}
		got, err := c.Select(t.Context(), "#'"+id+"'", nil)
		must(t, err)
		if !slices.Equal(got.IDs, []string{id}) {
			t.Errorf("the key %q is of %q", id, got)
		}
	}
}
