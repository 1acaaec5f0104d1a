package pact_test

import (
	"context"
	"iter"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

var errUnread = fault.New(fault.Store, "the disk does not answer", "")

// unreadable is a store in memory of which one part cannot be read: what the method of
// this name returns or, for "turns", the turns of the trees that Load and History return.
// It counts how often that part was asked for.
type unreadable struct {
	engine.Contexts
	part   string
	failed int
}

func (s *unreadable) fails(part string) error {
	if s.part != part {
		return nil
	}
	s.failed++
	return errUnread
}

func (s *unreadable) List(ctx context.Context) ([]engine.Info, error) {
	if err := s.fails("List"); err != nil {
		return nil, err
	}
	return s.Contexts.List(ctx)
}

func (s *unreadable) Find(ctx context.Context, name string) (engine.Info, error) {
	if err := s.fails("Find"); err != nil {
		return engine.Info{}, err
	}
	return s.Contexts.Find(ctx, name)
}

func (s *unreadable) Info(ctx context.Context, key history.Key) (engine.Info, error) {
	if err := s.fails("Info"); err != nil {
		return engine.Info{}, err
	}
	return s.Contexts.Info(ctx, key)
}

func (s *unreadable) Load(ctx context.Context, key history.Key) (*engine.State, error) {
	if err := s.fails("Load"); err != nil {
		return nil, err
	}
	st, err := s.Contexts.Load(ctx, key)
	if err != nil {
		return nil, err
	}
	loaded := *st
	if loaded.Head, err = s.stubbed(st.Head); err == nil {
		loaded.Working, err = s.stubbed(st.Working)
	}
	return &loaded, err
}

func (s *unreadable) Deltas(ctx context.Context, key history.Key, from, to int64) iter.Seq2[engine.Delta, error] {
	if err := s.fails("Deltas"); err != nil {
		return func(yield func(engine.Delta, error) bool) { yield(engine.Delta{}, err) }
	}
	return s.Contexts.Deltas(ctx, key, from, to)
}

func (s *unreadable) History(ctx context.Context, key history.Key, from, to int64) iter.Seq2[*tree.Tree, error] {
	return func(yield func(*tree.Tree, error) bool) {
		if err := s.fails("History"); err != nil {
			yield(nil, err)
			return
		}
		for t, err := range s.Contexts.History(ctx, key, from, to) {
			if err == nil {
				t, err = s.stubbed(t)
			}
			if !yield(t, err) {
				return
			}
		}
	}
}

func (s *unreadable) Has(ctx context.Context, key history.Key, id string) (bool, error) {
	if err := s.fails("Has"); err != nil {
		return false, err
	}
	return s.Contexts.Has(ctx, key, id)
}

func (s *unreadable) Trace(ctx context.Context, key history.Key, id string) ([]history.Entry, error) {
	if err := s.fails("Trace"); err != nil {
		return nil, err
	}
	return s.Contexts.Trace(ctx, key, id)
}

func (s *unreadable) Log(ctx context.Context, key history.Key, from, to int64) ([]history.Entry, error) {
	if err := s.fails("Log"); err != nil {
		return nil, err
	}
	return s.Contexts.Log(ctx, key, from, to)
}

func (s *unreadable) Request(ctx context.Context, key history.Key, token string) (*history.Entry, error) {
	if err := s.fails("Request"); err != nil {
		return nil, err
	}
	return s.Contexts.Request(ctx, key, token)
}

func (s *unreadable) Attempts(ctx context.Context, key history.Key, from, to int64) ([]history.Attempt, error) {
	if err := s.fails("Attempts"); err != nil {
		return nil, err
	}
	return s.Contexts.Attempts(ctx, key, from, to)
}

// stubbed makes a tree again with a stub in the place of all turns, if these cannot be read.
func (s *unreadable) stubbed(of *tree.Tree) (*tree.Tree, error) {
	if s.part != "turns" {
		return of, nil
	}
	var nodes []tree.Placed
	at := map[string]int{"": -1}
	var add func(e *tree.Entry, parent string)
	add = func(e *tree.Entry, parent string) {
		at[e.Node().ID] = len(nodes)
		nodes = append(nodes, tree.Placed{Node: e.Node(), Parent: at[parent]})
		if e.Class() == tree.Seq {
			return
		}
		for k := range sure.All(e.Children().All()) {
			add(k, e.Node().ID)
		}
	}
	add(of.Root(), "")
	stub, _ := of.Region(tree.Seq).Children().Stub()
	run := stub.List(func(context.Context) (*tree.List, error) { return nil, s.fails("turns") })
	return tree.BuildAround(of.Cycle(), nodes, []tree.Between{{Run: run}}, &tree.Unloaded{
		Find:      func(string) (*tree.Node, string, error) { return nil, "", s.fails("turns") },
		Referrers: func(string) ([]string, error) { return nil, s.fails("turns") },
	})
}
