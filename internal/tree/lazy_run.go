package tree

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/contexttree/pact/fault"
)

// LazyRun describes a run of turns that stays in a store until
// somebody looks inside. Sums, ranks, digests, and all that follows from them, come from
// the stub and load nothing.
type LazyRun struct {
	Level   uint8   // of the run in its list
	Count   int     // turns
	Summary Summary // over the turns and all below them
	Digest  Digest  // of the run; what is loaded must have it
	Proof   Digest  // of its blocks, as [Tree.ThreadDigest] takes it
	// Names reports whether a node in the run may have a key or a tag of this text; nil if the store
	// cannot tell.
	Names func(text string) bool
}

// LazyRun returns the stub that can stand for a run. It returns false for a run that holds
// anything but turns, as a foreign tree may. Cost: nothing, if a tree with this run was
// asked for its thread digest before.
func (l *List) LazyRun() (LazyRun, bool) {
	if l.classes != 1<<Turn {
		return LazyRun{}, false
	}
	return LazyRun{Level: l.level, Count: l.count, Summary: l.sum, Digest: l.digest, Proof: l.proof()}, true
}

// List returns the stub as a run for [Build] and [BuildRun]. When somebody first looks
// inside the run, it calls load, which returns what [BuildRun] made. It calls load once
// unless load fails, and never twice at the same time. If load fails or returns another
// run than the stub stands for, the caller who looked gets an
// error of package fault.
func (s LazyRun) List(load func(context.Context) (*List, error)) *List {
	l := &List{loader: &runLoader{load: load, names: s.Names}, level: s.Level, classes: 1 << Turn, count: s.Count, sum: s.Summary,
		digest: s.Digest}
	l.proven.store(s.Proof)
	return l
}

// runLoader loads a run into memory.
type runLoader struct {
	load   func(context.Context) (*List, error)
	names  func(text string) bool
	mu     sync.Mutex // held by the one who loads
	loaded atomic.Pointer[List]
}

func (s *runLoader) open(ctx context.Context, l *List) (*listBody, error) {
	if in := s.loaded.Load(); in != nil {
		return &in.body, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if in := s.loaded.Load(); in != nil {
		return &in.body, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, fault.Wrap(fault.Store, err, "the call was canceled",
			"call it again, with a context that has not ended")
	}
	in, err := s.load(ctx)
	if err == nil && (in == nil || in.loader != nil || in.digest != l.digest || in.level != l.level ||
		in.count != l.count || in.sum != l.sum) {
		err = fault.New(fault.Store, "a run of turns is not the one that its digest names",
			"restore the store from a backup or an export")
	}
	if err != nil {
		return nil, err
	}
	s.loaded.Store(in)
	return &in.body, nil
}

// loaded returns what is inside a list as far as it is in memory: nothing for a stub that
// nobody opened.
func (l *List) loaded() *listBody {
	if l.loader != nil {
		if in := l.loader.loaded.Load(); in != nil {
			return &in.body
		}
	}
	return &l.body
}

// Unopened reports whether a list is a stub that nobody has looked into.
func (l *List) Unopened() bool { return l.loader != nil && l.loader.loaded.Load() == nil }

// MayName reports whether a node in a list may have a key or a tag of this text. It loads nothing,
// and says no of a stub alone.
func (l *List) MayName(text string) bool {
	return l.loader == nil || l.loader.names == nil || l.loader.names(text)
}

// OnDemand reports whether the tree holds runs of turns that are loaded when somebody
// looks inside them.
func (t *Tree) OnDemand() bool { return t.unloaded != nil }

// CachesRecent reports whether something that was rendered or measured is kept with one
// of the newest n turns. It loads nothing.
func (t *Tree) CachesRecent(n int) bool {
	seq := t.Region(Seq)
	return seq != nil && seq.kids.cachesRecent(&n)
}

func (l *List) cachesRecent(left *int) bool {
	if l == nil || *left <= 0 || l.Unopened() {
		return false
	}
	if l.measured.first.Load() != nil {
		return true
	}
	in := l.loaded()
	for i := len(in.items); i >= 0; i-- {
		if in.runBefore(i).cachesRecent(left) {
			return true
		}
		if i == 0 || *left <= 0 {
			return false
		}
		if e := in.items[i-1]; e.rendered.Load() != nil || e.measured.first.Load() != nil {
			return true
		}
		*left--
	}
	return false
}

// Unloaded finds the nodes in the stubs of a tree by their ids. Both functions answer for
// the tree that [BuildAround] made, whatever was done to it since. They load the runs
// that hold what they return, and are safe for concurrent use.
type Unloaded struct {
	// Find returns the node of an id that is in a stub, as it is there, and the id
	// of its parent; nil if no stub has the id.
	Find func(id string) (n *Node, parent string, err error)
	// Referrers returns the ids of the nodes in stubs that refer to an id, each once.
	// The id itself may be anywhere or nowhere.
	Referrers func(id string) ([]string, error)
}

// lookUp returns what the index knows about an id: where it is, or that it is nowhere.
func (t *Tree) lookUp(id string) (location, bool, error) {
	p, known := t.ids.get(id)
	if known || t.unloaded == nil || id == "" {
		return p, p.node != nil, nil
	}
	n, parent, err := t.unloaded.Find(id)
	return location{node: n, parent: parent}, n != nil, err
}
