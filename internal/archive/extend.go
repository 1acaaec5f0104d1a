package archive

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// Extension returns the changes that give a context the snapshots and the working state that
// another one has beyond it; none if it has all of them. E_CONFLICT if the other one does not
// begin with the snapshots of the context, or lacks something of its uncommitted edits. Cost:
// reading every snapshot of both.
func Extension(ctx context.Context, of, by *provenance.Source, actor string) ([]store.Change, error) {
	s, longer := &of.State, &by.State
	if s.Edition != longer.Edition || s.First != longer.First || s.Cycle > longer.Cycle {
		return nil, parted(longer.Name, "does not begin as this one")
	}
	if err := beginsAs(ctx, of, by); err != nil {
		return nil, err
	}
	next := longer.Working
	if s.Cycle < longer.Cycle {
		var err error
		if next, err = store.Snapshot(ctx, by.Store, longer.Key, s.Cycle+1); err != nil {
			return nil, err
		}
	}
	if err := keepsEdits(s, next); err != nil {
		return nil, err
	}
	if s.Cycle == longer.Cycle && s.Working.Digest() == longer.Working.Digest() {
		return nil, nil
	}
	log := by.Publications(ctx)
	defer log.Stop()
	return changesAfter(ctx, by, log, s.Cycle, s.Working, actor)
}

func parted(name, why string) error {
	return fault.At(fault.Conflict, fault.NoOffset, name, "the context "+strconv.Quote(name)+" "+why, "")
}

// beginsAs compares all snapshots of a context with those of a longer one.
func beginsAs(ctx context.Context, of, by *provenance.Source) error {
	s := &of.State
	if s.Cycle < s.First {
		return nil
	}
	next, stop := iter.Pull2(of.Store.History(ctx, s.Key, s.First, s.Cycle))
	defer stop()
	for t, err := range by.Store.History(ctx, by.State.Key, s.First, s.Cycle) {
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

// keepsEdits refuses the next state of a longer context that lacks an uncommitted edit of this
// one.
func keepsEdits(s *store.State, next *tree.Tree) error {
	gone, born := s.Head.Delta(s.Working)
	for _, id := range gone {
		if next.Has(id) {
			return edited(id)
		}
	}
	for _, b := range born {
		n := next.Node(b.Node.ID)
		if n == nil || !n.Same(b.Node) && (s.Head.Has(b.Node.ID) || !saysMore(n, b.Node)) {
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
