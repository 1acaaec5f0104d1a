package sqlite_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/store"
)

// TestContextRows damages rows of context: a fork and its origin in a ring, a
// context that is marked as deleted, another key, another name. Whoever asks is
// told, and in time.
func TestContextRows(t *testing.T) {
	for _, c := range []struct{ damage, want string }{
		{`UPDATE context SET origin = 2, origin_cycle = 1, origin_revision = 2 WHERE key = 1`,
			`the row of the context "turns"`},
		{`UPDATE context SET origin = 2 WHERE key = 2`, `the row of the context "fork"`},
		{`UPDATE context SET deleted = 1 WHERE key = 1`, `the row of the context "turns"`},
		{`UPDATE context SET key = 9 WHERE key = 1`, "the store is damaged"},
		{`UPDATE context SET name = 'other' WHERE key = 1`, `the row of the context "other"`},
		{`UPDATE context SET proof = NULL WHERE key = 1`, `the row of the context "turns"`},
		{`DELETE FROM context WHERE key = 1`, "the context with key 1 is gone"},
		{`DELETE FROM log WHERE branch = 1`, `the context "turns" has no log`},
	} {
		path := filepath.Join(t.TempDir(), "pact.db")
		s := open(t, path)
		w := begin(t, s)
		w.next(t, "one")
		f, err := s.Fork(t.Context(), w.state.Key, 1, store.Fork{Name: "fork"})
		must(t, err)
		must(t, s.Close())
		raw(t, path, c.damage).Close()

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		s = open(t, path)
		said := func(call string, err error) {
			if err == nil || !strings.Contains(err.Error(), c.want) || ctx.Err() != nil {
				t.Errorf("%s\n%s says %v, want %s", c.damage, call, err, c.want)
			}
		}
		_, err = s.Contexts(ctx)
		said("Contexts", err)
		if _, err = s.Find(ctx, "turns"); err != nil { // the fork may be what is damaged
			said("Find", err)
		}
		if _, err = s.Load(ctx, 1); err != nil {
			said("Load", err)
		}
		for _, key := range []store.Key{1, f.Key} { // none of these may hang, and what they answer is right
			s.Check(ctx, key)
			store.Snapshot(ctx, s, key, 1)
			s.Log(ctx, key, 1, 9)
			s.Erase(ctx, key, store.Erase{IDs: []string{"b1"}, Salt: make([]byte, 32), Guard: store.Guard{Cycle: 1,
				Revision: 2}})
			s.Delete(ctx, key)
		}
		if ctx.Err() != nil {
			t.Errorf("%s: it takes more than a minute", c.damage)
		}
		must(t, s.Close())
		cancel()
	}
}
