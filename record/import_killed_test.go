package record_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// ending is a store that takes no more than a context of a name, before anything is in that.
type ending struct {
	engine.Contexts
	with string
}

func (e ending) over(ctx context.Context) error {
	if _, err := e.Find(ctx, e.with); err == nil {
		return fault.New(fault.Store, "the process was killed", "")
	}
	return nil
}

func (e ending) Apply(ctx context.Context, key history.Key, g engine.Guard, changes ...engine.Change) error {
	if err := e.over(ctx); err != nil {
		return err
	}
	return e.Contexts.Apply(ctx, key, g, changes...)
}

func (e ending) PutAttempt(ctx context.Context, key history.Key, a history.Attempt) (history.Attempt, error) {
	if err := e.over(ctx); err != nil {
		return a, err
	}
	return e.Contexts.PutAttempt(ctx, key, a)
}

// An import that ends when it has made a context, and nothing is in that yet, goes on with this context: the names and
// the requests are those of an import that nothing interrupts.
func TestAnImportGoesOnWithAContextWithoutCalls(t *testing.T) {
	paths, err := filepath.Glob(logs + "/*")
	must(t, err)
	interrupted := 0
	for _, path := range paths {
		calls := past(t, logOfCalls(t, path))
		whole := pact.NewDB(store.NewMemory())
		want, _ := addAll(t, whole, calls)
		for _, with := range want {
			medium := engine.InMemory()
			i, err := record.NewImporter(t.Context(), dbtest.Of(ending{medium, with}), record.ImportOptions{Context: "run"})
			must(t, err)
			for at := 0; err == nil && at < len(calls); at++ {
				_, err = i.Add(t.Context(), calls[at])
			}
			if fault.CodeOf(err) != fault.Store {
				t.Fatalf("%s: %s: %v", path, with, err)
			}
			interrupted++
			again := dbtest.Of(medium)
			got, _ := addAll(t, again, calls)
			if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
				t.Errorf("%s: after %s the contexts are %q, not %q", filepath.Base(path), with, got, want)
				continue
			}
			for _, name := range want {
				if a, b := ownBodies(t, again, name), ownBodies(t, whole, name); !slices.Equal(a, b) {
					t.Errorf("%s: after %s the requests of %s are\n%s\nnot\n%s", filepath.Base(path), with, name, a, b)
				}
			}
		}
	}
	if interrupted < len(paths) {
		t.Errorf("%d imports ended early", interrupted)
	}
}
