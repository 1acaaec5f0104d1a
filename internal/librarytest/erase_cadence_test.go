package librarytest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
)

// An erased key is nowhere: not in what commits noted of its cadence, which ends, nor in a fork.
func TestEraseOfAKeyThatComesAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.db")
	s, err := sqlite.Open(background, file)
	must(t, err)
	for name, db := range map[string]*pact.DB{"memory": pact.NewDB(store.NewMemory()), "sqlite": pact.NewDB(s)} {
		for way, e := range map[string]func(id string) pact.Erasure{
			"id": func(id string) pact.Erasure { return erasure(id) },
			"text": func(string) pact.Erasure {
				return pact.Erasure{Texts: []string{"alice"}, Reason: "asked", Random: chance()}
			},
		} {
			t.Run(name+" by "+way, func(t *testing.T) {
				c, err := pact.Create(background, db.WithEdition(selector.V1), way, nil)
				must(t, err)
				var id string
				must(t, c.Edit(background, func(b *pact.Batch) error {
					id = b.Add("^ah", pact.Spec{Key: "alice-smith", Cad: 9, TTL: 2, Content: "x"})
					b.Add("^ah", pact.Spec{Key: "other", Cad: 9, TTL: 2, Content: "x", Offset: 1})
					return nil
				}, nil))
				for range 4 {
					turn(t, c, "y")
				}
				fork, err := c.Fork(background, pact.Cycle(2), way+" fork", nil)
				must(t, err)
				turn(t, fork, "y")
				_, err = c.Erase(background, e(id))
				must(t, err)
				must(t, fork.Refresh(background))
				for of, c := range map[string]*pact.Context{"the context": c, "the fork": fork} {
					for _, last := c.Cycles(); last < 10; last++ {
						turn(t, c, "z")
					}
					var b bytes.Buffer
					must(t, c.Export(background, &b))
					if bytes.Contains(b.Bytes(), []byte("alice")) || !bytes.Contains(b.Bytes(), []byte("other")) {
						t.Errorf("the export of %s has the erased key, or not the other:\n%s", of, b.String())
					}
					if got, err := c.Select(background, "@t-1 #other", nil); err != nil || len(got.IDs) != 1 {
						t.Errorf("the other key came again %d times in %s, %v", len(got.IDs), of, err)
					}
				}
			})
		}
	}
	must(t, s.Close())
	raw, err := os.ReadFile(file)
	must(t, err)
	if bytes.Contains(raw, []byte("alice")) {
		t.Error("the file has the erased key")
	}
}
