package store

import (
	"context"
	"maps"
	"slices"

	"github.com/contexttree/pact/tree"
)

// Erase implements Eraser.
func (m *Memory) Erase(ctx context.Context, key Key, e Erase) (*Erased, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.contexts == nil || e.Nothing() {
		return m.cleaned()
	}
	k, err := m.with(key)
	if err != nil {
		return nil, err
	}
	if err := e.Check(); err != nil {
		return nil, err
	}
	if e.Guard.Cycle != k.info.Cycle || e.Guard.Revision != k.info.Revision {
		return nil, Moved(e.Guard, k.info.Cycle, k.info.Revision)
	}
	x := &memoryErasure{Erase: e, ctx: ctx, finder: e.Finder(), ids: map[string]bool{}, versions: map[*tree.Node]bool{},
		done: map[*tree.Tree]*tree.Tree{}}
	x.gather(m, k)
	if err := x.targets(k); err != nil {
		return nil, err
	}
	return x.erase()
}

// cleaned is the answer if only a clean-up is asked for. In memory the garbage collector cleans
// up.
func (m *Memory) cleaned() (*Erased, error) {
	if m.contexts == nil {
		return nil, Closed()
	}
	return &Erased{}, nil
}

// memoryErasure is an erasure under way.
type memoryErasure struct {
	Erase
	ctx      context.Context
	finder   *Finder
	family   []*memoryContext // oldest first, with deleted ones that forks share
	deleted  map[*memoryContext]bool
	ids      map[string]bool
	entries  map[*memoryContext]map[int64]bool // revisions of its own entries to blank
	stale    map[*memoryContext]map[int64]bool // revisions of its own entries whose digest goes with the texts
	versions map[*tree.Node]bool
	done     map[*tree.Tree]*tree.Tree // trees that contexts share, rewritten once

	past, all int // trees walked and in all, for Progress
}

// gather finds the family: all contexts that go back to the same first one.
func (x *memoryErasure) gather(m *Memory, k *memoryContext) {
	first := func(k *memoryContext) *memoryContext {
		for k.origin != nil {
			k = k.origin
		}
		return k
	}
	x.deleted = map[*memoryContext]bool{}
	for _, other := range m.contexts {
		if first(other) != first(k) {
			continue
		}
		for c := other; c != nil; c = c.origin {
			if _, there := m.contexts[c.info.Key]; !there {
				x.deleted[c] = true
			}
			if !slices.Contains(x.family, c) {
				x.family = append(x.family, c)
			}
		}
	}
	for _, c := range x.family {
		x.all += len(c.states())
	}
	slices.SortFunc(x.family, func(a, b *memoryContext) int { return int(a.info.Key - b.info.Key) })
}

// states yields all trees of a context, the working state last.
func (k *memoryContext) states() []*tree.Tree { return append(slices.Clip(k.snapshots), k.working) }

// begins is the first revision that the context does not share.
func (k *memoryContext) begins() int64 { return k.info.Origin.Revision + 1 }

// targets collects the nodes and entries to erase, and returns an error if one cannot be
// erased.
func (x *memoryErasure) targets(k *memoryContext) error {
	f := NewFamily(x.IDs)
	for _, c := range x.family {
		var last *tree.Tree
		for _, t := range c.states() {
			f.Look(last, t)
			if err := x.search(last, t); err != nil {
				return err
			}
			last = t
		}
	}
	for _, id := range x.IDs {
		if !f.Seen[id] {
			return Unnamed(id)
		}
	}
	maps.Copy(x.ids, f.Below)
	x.entries, x.stale = map[*memoryContext]map[int64]bool{}, map[*memoryContext]map[int64]bool{}
	for _, c := range x.family {
		if x.finder.In(c.info.Name) && !x.deleted[c] {
			return StuckInName(c.info.Name)
		}
		x.entries[c], x.stale[c] = map[int64]bool{}, map[int64]bool{}
		for i := c.begins(); i <= int64(len(c.log)); i++ {
			e := &c.log[i-1]
			if x.finder.InEntry(e) && !e.Blank() {
				x.entries[c][i] = true
			}
			if len(x.Texts) > 0 && e.Stale(c.log[len(c.log)-1].Digest) {
				x.stale[c][i] = true
			}
		}
	}
	for _, revision := range x.Revisions {
		if revision < 1 || revision > k.info.Revision {
			return NoRevision(revision)
		}
		of := k
		for revision < of.begins() {
			of = of.origin
		}
		if e := of.log[revision-1]; !e.Blank() {
			x.entries[of][revision] = true
		}
	}
	return nil
}

// search looks for the texts in the nodes that a tree adds.
func (x *memoryErasure) search(last, t *tree.Tree) error {
	if len(x.Texts) == 0 {
		return nil
	}
	look := func(n *tree.Node) error {
		content, err := n.Content.Value(x.ctx)
		if err != nil {
			return err
		}
		goes, stays := x.finder.InNode(n, content)
		if stays {
			return StuckInNode(n)
		}
		if goes {
			x.ids[n.ID] = true
		}
		return nil
	}
	if last == nil {
		for e := range t.All() {
			if err := look(e.Node()); err != nil {
				return err
			}
		}
		return nil
	}
	_, born := last.Delta(t)
	for _, b := range born {
		if err := look(b.Node); err != nil {
			return err
		}
	}
	return nil
}
