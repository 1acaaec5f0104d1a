package pact

import (
	"context"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// ReadSnapshot reads a snapshot document on its own, for queries: a foreign
// shape that no context can have is reported and read all the same. e is the
// edition to read it in, "" to go by the document.
func ReadSnapshot(data []byte, e Edition) (*Snapshot, []inspect.Finding, error) {
	d, err := document.Read(data, document.Options{Edition: e, Lenient: true})
	if err != nil {
		return nil, nil, err
	}
	return &Snapshot{tree: d.Tree, edition: d.Edition}, d.Findings, nil
}

// Import makes a context of a snapshot document: its snapshot is that of the
// document's cycle, and the next commit is the cycle after it. The edition is
// that of WithEdition or, where that is "", the document's own. A shape that
// no context can have is refused (02 §10).
func Import(ctx context.Context, s store.Store, name string, data []byte, opts ...Option) (*Context, []inspect.Finding, error) {
	o := collect(append([]Option{WithEdition("")}, opts...))
	d, err := document.Read(data, document.Options{Edition: o.edition})
	if err != nil {
		return nil, nil, err
	}
	c, err := begin(ctx, s, genesis(name, d, o), o)
	return c, d.Findings, err
}

func genesis(name string, d *document.Document, o options) store.Genesis {
	stamps := tree.Stamps{Cycle: d.Tree.Cycle() + 1, Given: -1}
	for e := range d.Tree.All() {
		stamps.LastNS = max(stamps.LastNS, e.Node().CreatedNS)
		stamps.Given = max(stamps.Given, tree.GeneratedCycle(e.Node().ID))
	}
	return store.Genesis{
		Name: name, Edition: string(d.Edition), Tree: d.Tree, Imported: true, Stamps: stamps,
		Entry: store.Entry{Cycle: d.Tree.Cycle(), TimeNS: stamps.LastNS, Actor: o.actor},
	}
}

// Copy makes a context in another store, or under another name, with all
// snapshots of this one, in one durable step. Edits that were not committed
// come along.
func (c *Context) Copy(ctx context.Context, to store.Store, name string) (*Context, error) {
	s := c.state.Load()
	if s.State.Cycle < s.First {
		return nil, fault.New(fault.SnapshotNotFound, "the context has no snapshot to copy", "commit first")
	}
	trees, err := store.Collect(c.store.History(ctx, s.Key, s.First, s.State.Cycle))
	if err != nil {
		return nil, err
	}
	log := c.provenance(s).Publications(ctx)
	defer log.Stop()
	begun, err := log.Of(s.First)
	if err != nil {
		return nil, err
	}
	g := store.Genesis{
		Name: name, Edition: s.Edition, Tree: trees[0], Imported: true,
		Stamps: stampsAfter(trees[0], s.Stamps), Entry: firstEntry(begun, s.First, c.actor),
	}
	before := trees[0].WithCycle(s.First + 1)
	for _, t := range trees[1:] {
		after := t.WithCycle(t.Cycle() + 1)
		entry, err := log.Of(t.Cycle())
		if err != nil {
			return nil, err
		}
		g.Changes = append(g.Changes, store.Change{Before: before, After: after, Sealed: t, Stamps: stampsAfter(t, s.Stamps), Entry: entry})
		before = after
	}
	if before.Digest() != s.Working.Digest() {
		e := store.Entry{Cycle: s.Stamps.Cycle, TimeNS: s.Stamps.LastNS, Actor: c.actor}
		g.Changes = append(g.Changes, store.Change{Before: before, After: s.Working, Stamps: s.Stamps, Entry: e})
	} else if n := len(g.Changes); n > 0 {
		g.Changes[n-1].Stamps = s.Stamps
	} else {
		g.Stamps = s.Stamps
	}
	return begin(ctx, to, g, options{clock: c.clock, actor: c.actor, counter: c.counter})
}

// firstEntry begins the log of a copy with the commit of its oldest snapshot.
func firstEntry(e store.Entry, cycle int64, actor string) store.Entry {
	if e.Actor == "" {
		e.Actor = actor
	}
	e.Cycle = cycle
	return e
}

// stampsAfter returns counters that are good after a snapshot: no stamp or id
// that they give was given before.
func stampsAfter(t *tree.Tree, last tree.Stamps) tree.Stamps {
	return tree.Stamps{Cycle: t.Cycle() + 1, LastNS: last.LastNS, Given: last.Given}
}
