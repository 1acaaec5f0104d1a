package librarytest

import (
	"bytes"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// An empty group that something kept is looked at again, whoever goes on with the
// context: the same process, another one, a fork, what is left after undo, a copy
// in another store.
func TestEmptyGroupsAreRememberedByWhoeverGoesOn(t *testing.T) {
	ctx := t.Context()
	for _, way := range []struct {
		name string
		next func(s *pact.DB, c *pact.Context) (*pact.Context, error)
	}{
		{"the same process", func(_ *pact.DB, c *pact.Context) (*pact.Context, error) { return c, nil }},
		{"after an edit", func(_ *pact.DB, c *pact.Context) (*pact.Context, error) {
			return c,
				c.Edit(ctx, say("more"), nil)
		}},
		{"another process", func(s *pact.DB, c *pact.Context) (*pact.Context, error) {
			return pact.Open(ctx, s, c.Name(),
				nil)
		}},
		{"after a refresh", func(_ *pact.DB, c *pact.Context) (*pact.Context, error) { return c, c.Refresh(ctx) }},
		{"a fork", func(_ *pact.DB, c *pact.Context) (*pact.Context, error) {
			return c.Fork(ctx, pact.Latest(), "fork", nil)
		}},
		{"undo", func(_ *pact.DB, c *pact.Context) (*pact.Context, error) {
			if _, err := c.Commit(ctx, nil); err != nil {
				return nil, err
			}
			_, err := c.Undo(ctx, nil)
			return c, err
		}},
		{"a copy", func(_ *pact.DB, c *pact.Context) (*pact.Context, error) {
			return c.Copy(ctx, pact.NewDB(store.NewMemory()), "copy")
		}},
		{"a copy of a history that says so in its reports alone", func(_ *pact.DB, c *pact.Context) (*pact.Context,
			error) {
			var text bytes.Buffer
			if err := c.Export(ctx, &text); err != nil {
				return nil, err
			}
			older := strings.Replace(text.String(), `"idle":["group"],`, "", 1)
			if older == text.String() {
				t.Error("the history does not say which groups are empty")
			}
			c, _, err := pact.ImportHistory(ctx, pact.NewDB(store.NewMemory()), "copy", strings.NewReader(older), nil)
			return c, err
		}},
		{"after its report was erased", func(s *pact.DB, c *pact.Context) (*pact.Context, error) {
			_, err := c.Erase(ctx, pact.Erasure{Revisions: []int64{c.Revision()}, Reason: "asked for", Random: rand.Reader})
			if err != nil {
				return nil, err
			}
			return c.Copy(ctx, pact.NewDB(store.NewMemory()), "copy")
		}},
		{"many cycles later", func(_ *pact.DB, c *pact.Context) (*pact.Context, error) {
			for range 5 {
				if _, err := c.Commit(ctx, nil); err != nil {
					return nil, err
				}
			}
			return c, nil
		}},
	} {
		t.Run(way.name, func(t *testing.T) {
			s := pact.NewDB(store.NewMemory())
			c := create(t, s)
			must(t, c.Edit(ctx, func(b *pact.Batch) error {
				for _, add := range []struct {
					into string
					spec pact.Spec
				}{
					{"^ah", pact.Spec{ID: "group", NodeType: "mc", Offset: 1, Removable: true}},
					{"group", pact.Spec{ID: "last", TTL: 1}},
					{"^sys", pact.Spec{ID: "holder", Refs: []string{"group"}}},
				} {
					b.Add(add.into, add.spec)
				}
				return nil
			}, nil))
			for range 2 {
				_, err := c.Commit(ctx, nil)
				must(t, err)
			}
			if sure.Get(tree.Of(c.Working()).Node("last")) != nil || sure.Get(tree.Of(c.Working()).Node("group")) == nil {
				t.Fatal("the group is not empty, or not there")
			}
			c, err := way.next(s, c)
			must(t, err)
			must(t, c.Edit(ctx, func(b *pact.Batch) error {
				b.Remove("holder")
				return nil
			}, nil))
			snapshot, err := c.Commit(ctx, nil)
			must(t, err)
			if sure.Get(tree.Of(snapshot).Node("group")) != nil {
				t.Errorf("the empty group is there still: %+v", snapshot.Report)
			}
		})
	}
}
