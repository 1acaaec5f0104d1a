package server

import (
	"context"
	"crypto/rand"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/transfer"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
)

// What a request may use of a store refuses what concerns a context that the caller may not use, also by its key, and what
// concerns all of the store.
func TestWhatIsPermittedRefusesWhatItCannotCheck(t *testing.T) {
	db := pact.NewDB(store.NewMemory())
	for _, name := range []string{"open", "secret"} {
		c, err := pact.Create(t.Context(), db, name, nil)
		must(t, err)
		_, err = c.Commit(t.Context(), nil)
		must(t, err)
	}
	refused := errors.New("not this one")
	may := func(_ context.Context, name string) error {
		if name == "secret" {
			return refused
		}
		return nil
	}
	g := pact.NewDB(engine.Given{Contexts: permitted{engine.Of(db), may}})
	find := func(name string) history.Key {
		i, err := db.Find(t.Context(), name)
		must(t, err)
		return i.Key
	}
	erase := func(db *pact.DB) error {
		c, err := pact.Open(t.Context(), db, "open", nil)
		must(t, err)
		_, err = c.Erase(t.Context(), pact.Erasure{Texts: []string{"x"}, Reason: "asked", Random: rand.Reader})
		return err
	}
	keyed := map[string]func(db *pact.DB, key history.Key) error{
		"Log": func(db *pact.DB, k history.Key) error {
			return second(engine.Of(db).Log(t.Context(), k, 1, math.MaxInt64))
		},
		"Request":  func(db *pact.DB, k history.Key) error { return second(engine.Of(db).Request(t.Context(), k, "x")) },
		"Attempts": func(db *pact.DB, k history.Key) error { return second(engine.Of(db).Attempts(t.Context(), k, 1, 1)) },
	}
	for name, call := range keyed {
		if err := call(g, find("secret")); !errors.Is(err, refused) {
			t.Errorf("%s of a context that is refused: %v", name, err)
		}
		must(t, call(g, find("open")))
	}
	if err := erase(g); !errors.Is(err, refused) {
		t.Errorf("an erasure that may change what is refused: %v", err)
	}
	verified, err := pact.Verify(t.Context(), g, "open", nil)
	must(t, err)
	if !verified.Holds() {
		t.Errorf("a context behind a guard does not hold: %+v", verified.Defect)
	}
	must(t, pact.Delete(t.Context(), db, "secret"))
	must(t, erase(g)) // the caller may use all that is there

	token := history.AccessToken{Name: "t"}
	for name, call := range map[string]func() error{
		"AddToken":    func() error { return engine.Of(g).AddToken(t.Context(), token) },
		"Tokens":      func() error { return second(engine.Of(g).Tokens(t.Context())) },
		"RevokeToken": func() error { return engine.Of(g).RevokeToken(t.Context(), "t") },
		"Compact":     func() error { return second(g.Compact(t.Context())) },
		"Discard":     func() error { return second(transfer.Discard(t.Context(), engine.Of(g), nil)) },
		"Copy from": func() error {
			return second(transfer.Copy(t.Context(), engine.Of(g), engine.InMemory(), nil, nil))
		},
		"Copy to": func() error {
			return second(transfer.Copy(t.Context(), engine.InMemory(), engine.Of(g), nil, nil))
		},
	} {
		if err := call(); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// What this process remembers of a context does not hide that another process deleted it.
func TestARequestToADeletedContextFindsNoContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	here, err := dbtest.Open(sqlite.Open(t.Context(), path))
	must(t, err)
	defer here.Close()
	there, err := dbtest.Open(sqlite.Open(t.Context(), path))
	must(t, err)
	defer there.Close()
	_, err = pact.Create(t.Context(), here, "a", nil)
	must(t, err)
	info, err := here.Find(t.Context(), "a")
	must(t, err)
	all := permitted{engine.Of(here), func(context.Context, string) error { return nil }}
	if e, err := all.Request(t.Context(), info.Key, "token"); e != nil || err != nil {
		t.Fatalf("of a request that nobody made: %+v, %v", e, err)
	}
	must(t, pact.Delete(t.Context(), there, "a"))
	for _, token := range []string{"", "token"} {
		if e, err := all.Request(t.Context(), info.Key, token); e != nil || fault.CodeOf(err) != fault.ContextNotFound {
			t.Errorf("%q of a deleted context: %+v, %v", token, e, err)
		}
	}
}
