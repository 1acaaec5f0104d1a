package archive

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/tree"
)

// Extension returns the changes that give a context the snapshots and the working state that
// another one has beyond it, and how many snapshots these are; none if there are none. g makes the other
// one. E_CONFLICT if the shorter one of them does not begin as the longer one, or if the other one goes on
// without an uncommitted edit of the context. Cost: reading every snapshot that both have, two at a time,
// and those beyond.
func Extension(ctx context.Context, of *provenance.Source, g engine.Creation) (list []engine.Change, cycles int64, err error) {
	s := &of.State
	if s.Edition != g.Edition || s.First != g.First() {
		return nil, 0, parted(g.Name, "begins in another way")
	}
	next, stop := iter.Pull2(of.Store.History(ctx, s.Key, s.First, s.Cycle))
	defer stop()
	other, last := engine.State{Head: g.Tree, Working: g.Tree}, s.First-1
	for c, err := range changesOf(g) {
		if err != nil {
			return nil, 0, err
		}
		if other.Working = c.After; c.Sealed != nil {
			other.Head, last = c.Sealed, c.Sealed.Cycle()
		}
		if c.Sealed == nil || last > s.Cycle {
			list = append(list, c)
			continue
		}
		own, err, there := next()
		if err != nil {
			return nil, 0, err
		}
		if !there || own.Digest() != c.Sealed.Digest() {
			return nil, 0, parted(g.Name, "has another snapshot @c"+strconv.FormatInt(last, 10))
		}
	}
	switch {
	case last < s.Cycle && last < s.First: // no snapshot tells the other one from a stranger
		first, err := engine.Snapshot(ctx, of.Store, s.Key, s.First)
		if err != nil {
			return nil, 0, err
		}
		if err = keepsEdits(&other, first); errors.Is(err, fault.Conflict) {
			err = parted(g.Name, "begins in another way")
		}
		return nil, 0, err
	case last < s.Cycle:
		return nil, 0, nil
	case last == s.Cycle:
		if err := keepsEdits(&other, s.Working); !errors.Is(err, fault.Conflict) {
			return nil, 0, err
		}
	}
	then := list[0].Sealed
	if then == nil {
		then = list[0].After
	}
	list[0].Before = s.Working
	return list, last - s.Cycle, keepsEdits(s, then)
}

// changesOf yields the changes that make a context from one without snapshots.
func changesOf(g engine.Creation) iter.Seq2[engine.Change, error] {
	return func(yield func(engine.Change, error) bool) {
		first := engine.Change{Sealed: g.Tree, After: g.Tree.WithCycle(g.Stamps.Cycle), Stamps: g.Stamps, Entry: g.Entry}
		if g.Imported && !yield(first, nil) || g.Changes == nil {
			return
		}
		g.Changes(yield)
	}
}

func parted(name, why string) error {
	return fault.At(fault.Conflict, fault.NoOffset, name, "the context "+strconv.Quote(name)+" "+why,
		"import it under another name")
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
		if n != nil && n.Equal(b.Node) {
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
