package librarytest

import (
	"context"
	"crypto/rand"
	"errors"
	"math"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/transfer"
	"github.com/contexttree/pact/store"
)

// A guarded DB refuses what concerns a context that the caller may not use, also by its key, and what
// concerns all of the store.
func TestGuardedRefusesWhatItCannotCheck(t *testing.T) {
	db := pact.NewDB(store.NewMemory())
	for _, name := range []string{"open", "secret"} {
		c, err := pact.Create(background, db, name, nil)
		must(t, err)
		_, err = c.Commit(background, nil)
		must(t, err)
	}
	refused := errors.New("not this one")
	may := func(_ context.Context, name string) error {
		if name == "secret" {
			return refused
		}
		return nil
	}
	g := pact.NewDB(engine.Given{Contexts: engine.Guarded{Contexts: engine.Of(db), May: may}})
	find := func(name string) history.Key {
		i, err := db.Find(background, name)
		must(t, err)
		return i.Key
	}
	erase := func(db *pact.DB) error {
		c, err := pact.Open(background, db, "open", nil)
		must(t, err)
		_, err = c.Erase(background, pact.Erasure{Texts: []string{"x"}, Reason: "asked", Random: rand.Reader})
		return err
	}
	keyed := map[string]func(db *pact.DB, key history.Key) error{
		"Log": func(db *pact.DB, k history.Key) error {
			return second(engine.Of(db).Log(background, k, 1, math.MaxInt64))
		},
		"Request":  func(db *pact.DB, k history.Key) error { return second(engine.Of(db).Request(background, k, "x")) },
		"Attempts": func(db *pact.DB, k history.Key) error { return second(engine.Of(db).Attempts(background, k, 1, 1)) },
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
	verified, err := pact.Verify(background, g, "open", nil)
	must(t, err)
	if !verified.Holds() {
		t.Errorf("a context behind a guard does not hold: %+v", verified.Defect)
	}
	must(t, pact.Delete(background, db, "secret"))
	must(t, erase(g)) // the caller may use all that is there

	token := history.AccessToken{Name: "t"}
	for name, call := range map[string]func() error{
		"AddToken":    func() error { return engine.Of(g).AddToken(background, token) },
		"Tokens":      func() error { return second(engine.Of(g).Tokens(background)) },
		"RevokeToken": func() error { return engine.Of(g).RevokeToken(background, "t") },
		"Compact":     func() error { return second(g.Compact(background)) },
		"Discard":     func() error { return second(transfer.Discard(background, engine.Of(g), nil)) },
		"Copy from": func() error {
			return second(transfer.Copy(background, engine.Of(g), engine.InMemory(), nil, nil))
		},
		"Copy to": func() error {
			return second(transfer.Copy(background, engine.InMemory(), engine.Of(g), nil, nil))
		},
	} {
		if err := call(); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// A DB without a store returns E_STORE, as one that was closed does.
func TestNoStoreIsAnError(t *testing.T) {
	for name, db := range map[string]*pact.DB{"NewDB(nil)": pact.NewDB(nil), "zero": {}} {
		_, created := pact.Create(background, db, "a", nil)
		_, listed := pact.List(background, db)
		for _, err := range []error{created, listed, second(db.Find(background, "a")), second(engine.Of(db).Tokens(background)),
			second(db.Compact(background)), second(engine.Of(db).Log(background, 1, 1, 1))} {
			if fault.CodeOf(err) != fault.Store {
				t.Errorf("%s: %v", name, err)
			}
		}
		must(t, db.Close())
	}
}
