package postgres_test

import (
	"crypto/rand"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/postgrestest"
)

// An erasure and compacting write every table anew that can hold a text of a node, and
// with it the free parts of its pages.
func TestEveryTableIsWrittenAnew(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	s := open(t, address)
	c, err := pact.Create(t.Context(), dbtest.Of(s), "chat", nil)
	must(t, err)
	_, err = c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Role: "user", Content: "I am Jane Doe"})
		return nil
	}})
	must(t, err)
	var last [][]string
	anew := func(after string) {
		t.Helper()
		now := postgrestest.Exec(t, address, `SELECT relname || ' ' || relfilenode FROM pg_class
			WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
			AND relname <> 'pact_store' ORDER BY relname`)
		for i := range last {
			if now[i][0] == last[i][0] {
				t.Errorf("%s did not write %s anew", after, now[i][0])
			}
		}
		last = now
	}
	anew("nothing")
	_, err = c.Erase(t.Context(), pact.Erasure{Texts: []string{"Jane Doe"}, Reason: "asked for", Random: rand.Reader})
	must(t, err)
	anew("the erasure")
	_, err = s.Compact(t.Context())
	must(t, err)
	anew("compacting")
	if len(last) != 2 {
		t.Errorf("there are other tables: %v", last)
	}
}

func thread(t *testing.T, c *pact.Context, a pact.Address) string {
	t.Helper()
	s, err := c.At(t.Context(), a)
	must(t, err)
	text, err := s.Thread(t.Context())
	must(t, err)
	return string(text)
}
