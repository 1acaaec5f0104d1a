package storetest

import (
	"context"
	"reflect"
	"testing"

	"github.com/contexttree/pact/store"
)

// power is an ability that a store may have beyond store.Store.
type power struct {
	name string
	of   func(store.Store) bool
}

func powerOf[P any]() power {
	return power{reflect.TypeFor[P]().String(), func(s store.Store) bool {
		_, ok := s.(P)
		return ok
	}}
}

// The powers that tests use.
var (
	forks    = powerOf[store.Forker]()
	attempts = powerOf[store.AttemptKeeper]()
	renames  = powerOf[store.Renamer]()
	deletes  = powerOf[store.Deleter]()
	erases   = powerOf[store.Eraser]()
	checks   = powerOf[store.Checker]()
	copies   = powerOf[store.Copier]()
	keeps    = powerOf[store.TokenKeeper]()
)

// demand skips a test, with the reason, if the store lacks a power that the test needs.
func (s Suite) demand(t *testing.T, needs ...power) {
	t.Helper()
	for _, p := range needs {
		if !p.of(s.able) {
			t.Skip("left out: the store does not implement " + p.name)
		}
	}
}

// open returns an empty store under test.
func (s Suite) open(t *testing.T) tested {
	t.Helper()
	return tested{s.Open(t)}
}

// tested is a store under test, with the methods of all powers. A test that calls one that the
// store lacks fails.
type tested struct{ store.Store }

// can reports whether the store has a power.
func (s tested) can(p power) bool { return p.of(s.Store) }

func (s tested) Fork(ctx context.Context, key store.Key, cycle int64, f store.Fork) (store.Info, error) {
	p, err := store.Power[store.Forker](s.Store)
	if err != nil {
		return store.Info{}, err
	}
	return p.Fork(ctx, key, cycle, f)
}

func (s tested) PutAttempt(ctx context.Context, key store.Key, a store.Attempt) (store.Attempt, error) {
	p, err := store.Power[store.AttemptKeeper](s.Store)
	if err != nil {
		return store.Attempt{}, err
	}
	return p.PutAttempt(ctx, key, a)
}

func (s tested) Attempts(ctx context.Context, key store.Key, from, to int64) ([]store.Attempt, error) {
	p, err := store.Power[store.AttemptKeeper](s.Store)
	if err != nil {
		return nil, err
	}
	return p.Attempts(ctx, key, from, to)
}

func (s tested) Rename(ctx context.Context, key store.Key, name string) error {
	p, err := store.Power[store.Renamer](s.Store)
	if err != nil {
		return err
	}
	return p.Rename(ctx, key, name)
}

func (s tested) Delete(ctx context.Context, key store.Key) error {
	p, err := store.Power[store.Deleter](s.Store)
	if err != nil {
		return err
	}
	return p.Delete(ctx, key)
}

func (s tested) Erase(ctx context.Context, key store.Key, e store.Erase) (*store.Erased, error) {
	p, err := store.Power[store.Eraser](s.Store)
	if err != nil {
		return nil, err
	}
	return p.Erase(ctx, key, e)
}

func (s tested) Check(ctx context.Context, key store.Key) (*store.Damage, error) {
	p, err := store.Power[store.Checker](s.Store)
	if err != nil {
		return nil, err
	}
	return p.Check(ctx, key)
}

func (s tested) CheckAll(ctx context.Context) (*store.Damage, error) {
	p, err := store.Power[store.Checker](s.Store)
	if err != nil {
		return nil, err
	}
	return p.CheckAll(ctx)
}
