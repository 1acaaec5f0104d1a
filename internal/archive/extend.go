package archive

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/tree"
)

// Extension returns the changes that give a context the snapshots and the working state that
// another one has beyond it; none if there are none. E_CONFLICT if the shorter one of them does
// not begin as the longer one, or if the other one goes on without an uncommitted edit of the
// context. Cost: reading every snapshot that both have, and those beyond.
func Extension(ctx context.Context, of, by *provenance.Source, actor string) ([]engine.Change, error) {
	s, other := &of.State, &by.State
	if s.Edition != other.Edition || s.First != other.First {
		return nil, parted(other.Name, "begins in another way")
	}
	if err := sameUpTo(ctx, of, by, min(s.Cycle, other.Cycle)); err != nil {
		return nil, err
	}
	next, err := other.Working, error(nil)
	switch {
	case s.Cycle > other.Cycle && other.Cycle >= other.First:
		return nil, nil
	case s.Cycle > other.Cycle: // no snapshot tells the other one from a stranger
		if next, err = engine.Snapshot(ctx, of.Store, s.Key, s.First); err == nil && keepsEdits(other, next) != nil {
			err = parted(other.Name, "begins in another way")
		}
		return nil, err
	case s.Cycle < other.Cycle:
		if next, err = engine.Snapshot(ctx, by.Store, other.Key, s.Cycle+1); err != nil {
			return nil, err
		}
	case keepsEdits(other, s.Working) == nil:
		return nil, nil
	}
	if err := keepsEdits(s, next); err != nil {
		return nil, err
	}
	var list []engine.Change
	for c, err := range changesAfter(ctx, by, s.Cycle, s.Working, actor) {
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

func parted(name, why string) error {
	return fault.At(fault.Conflict, fault.NoOffset, name, "the context "+strconv.Quote(name)+" "+why, "")
}

// sameUpTo compares all snapshots of two contexts up to a cycle.
func sameUpTo(ctx context.Context, of, by *provenance.Source, cycle int64) error {
	s := &of.State
	if cycle < s.First {
		return nil
	}
	next, stop := iter.Pull2(of.Store.History(ctx, s.Key, s.First, cycle))
	defer stop()
	for t, err := range by.Store.History(ctx, by.State.Key, s.First, cycle) {
		if err != nil {
			return err
		}
		own, err, there := next()
		if err != nil {
			return err
		}
		if !there || own.Digest() != t.Digest() {
			return parted(by.State.Name, "has another snapshot @c"+strconv.FormatInt(t.Cycle(), 10))
		}
	}
	return nil
}

// keepsEdits refuses a later state that lacks an uncommitted edit of a context.
func keepsEdits(s *engine.State, next *tree.Tree) error {
	gone, born, err := s.Head.Delta(s.Working)
	if err != nil {
		return err
	}
	for _, id := range gone {
		has, err := next.Has(id)
		if err != nil {
			return err
		}
		if has {
			return edited(id)
		}
	}
	for _, b := range born {
		n, err := next.Node(b.Node.ID)
		if err != nil {
			return err
		}
		if n != nil && n.Same(b.Node) {
			continue
		}
		if sealed, err := s.Head.Has(b.Node.ID); err != nil {
			return err
		} else if n == nil || sealed || !saysMore(n, b.Node) {
			return edited(b.Node.ID)
		}
	}
	return nil
}

// saysMore reports whether a node says what an earlier version of it said; references may have
// come since, because a call refers to its results.
func saysMore(n, earlier *tree.Node) bool {
	for _, h := range earlier.Headers {
		if h.Name != "refs" && n.Header(h.Name) != h.Value {
			return false
		}
	}
	for _, id := range earlier.Refs {
		if !slices.Contains(n.Refs, id) {
			return false
		}
	}
	return n.Type == earlier.Type && n.Offset == earlier.Offset && n.Priority == earlier.Priority &&
		n.Expiry == earlier.Expiry && n.SameContent(earlier)
}

func edited(id string) error {
	return fault.OnNode(fault.Conflict, id, "the context has an edit that is not committed and that the longer one lacks",
		"take the edit back, or choose another name")
}
