package librarytest

import (
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/engine"
)

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
