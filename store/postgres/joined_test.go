package postgres_test

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/postgres"
	"github.com/contexttree/pact/store/storetest"
)

// joiner joins all cycles but the last one after each change.
type joiner struct{ *postgres.Store }

func (j *joiner) Apply(ctx context.Context, key store.Key, g store.Guard, changes ...store.Change) error {
	if err := j.Store.Apply(ctx, key, g, changes...); err != nil {
		return err
	}
	return j.SettleAll(ctx)
}

func (j *joiner) Create(ctx context.Context, g store.Creation) (store.Info, error) {
	info, err := j.Store.Create(ctx, g)
	if err != nil {
		return info, err
	}
	return info, j.SettleAll(ctx)
}

// TestStoreJoined holds a store to the contract in which all but the last cycle is in segments, and
// the statements that this takes to what all engines have.
func TestStoreJoined(t *testing.T) {
	testrun.Long(t, "runs the whole contract once more")
	var addresses sync.Map
	var mu sync.Mutex // guards what follows
	statements, joined := make(map[string]bool), false
	through := func(t *testing.T, address string) store.Store {
		s, w := listen(t, address)
		j := &joiner{s}
		addresses.Store(j, address)
		t.Cleanup(func() {
			mu.Lock()
			defer mu.Unlock()
			w.mu.Lock()
			defer w.mu.Unlock()
			maps.Copy(statements, w.statements)
			joined = joined || len(segments(t, address)) > 5
		})
		return j
	}
	storetest.Suite{
		AtOnce: atOnce,
		Seed:   500,
		Open:   func(t *testing.T) store.Store { return through(t, postgrestest.Database(t)) },
		Reopen: func(t *testing.T, s store.Store) store.Store {
			must(t, s.Close())
			address, _ := addresses.Load(s)
			return through(t, address.(string))
		},
	}.Run(t)
	if !joined {
		t.Error("no store had six segments")
	}
	holdToSubset(t, statements)
}

// TestManyJoinAtOnce has three pools commit to contexts of their own and to one that they share, and
// join all of them at the same time.
func TestManyJoinAtOnce(t *testing.T) {
	address := postgrestest.Database(t)
	_, err := pact.Create(t.Context(), open(t, address), "shared", nil)
	must(t, err)
	var wait sync.WaitGroup
	for i := range 3 {
		s := open(t, address)
		wait.Go(func() {
			own, err := pact.Create(t.Context(), s, fmt.Sprint("own ", i), nil)
			if err != nil {
				t.Error(err)
				return
			}
			for turn := range 12 {
				if _, err := put(t, own, "", fmt.Sprint("turn ", turn)); err != nil {
					t.Error(err)
				}
				shared, err := pact.Open(t.Context(), s, "shared", nil)
				if err == nil {
					_, err = put(t, shared, "", fmt.Sprint("turn ", turn, " of ", i))
				}
				if err != nil && fault.CodeOf(err) != fault.Conflict {
					t.Error(err)
				}
				if err := s.SettleAll(t.Context()); err != nil && fault.CodeOf(err) != fault.Busy {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	s := open(t, address)
	all, err := pact.VerifyAll(t.Context(), s, nil)
	must(t, err)
	if !all.Holds() {
		t.Errorf("%+v", all)
	}
	if list := segments(t, address); len(list) < 12 {
		t.Errorf("there are %d segments", len(list))
	}
}
