package archive

import (
	"cmp"
	"context"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/tree"
)

// ReadDocument reads one canonical snapshot document (05 §3.2) as a context with this name: the
// snapshot has the document's cycle, and the next commit is the cycle after it. It refuses a
// shape that no context can have (02 §10).
func ReadDocument(name string, data []byte, o Options) (engine.Creation, []inspect.Finding, error) {
	d, err := document.Read(data, document.Options{Edition: o.Edition})
	if err != nil {
		return engine.Creation{}, nil, err
	}
	g, err := creationOf(name, d, o.Actor)
	return g, d.Findings, err
}

// creationOf returns the creation of a context whose oldest snapshot is a document.
func creationOf(name string, d *document.Document, actor string) (engine.Creation, error) {
	stamps := tree.Stamps{Cycle: d.Tree.Cycle() + 1, Given: -1}
	for e, err := range d.Tree.All() {
		if err != nil {
			return engine.Creation{}, err
		}
		noteStamps(&stamps, e.Node())
	}
	scheduled, err := commit.Scheduled(nil, nil, d.Tree)
	return engine.Creation{
		Name: name, Edition: d.Edition, Tree: d.Tree, Imported: true, Stamps: stamps,
		Entry: history.Entry{Cycle: d.Tree.Cycle(), TimeNS: stamps.LastNS, Actor: actor, Idle: scheduled},
	}, err
}

// noteStamps raises the counters of a context to those of a node.
func noteStamps(s *tree.Stamps, n *tree.Node) {
	s.LastNS, s.Given = max(s.LastNS, n.CreatedNS), max(s.Given, tree.GeneratedCycle(n.ID))
}

// creation returns the history as one step of a store.
func (r *historyReader) creation(name string) (engine.Creation, error) {
	g, err := creationOf(name, &document.Document{Tree: r.first, Edition: r.Edition}, r.Actor)
	if err != nil {
		return engine.Creation{}, err
	}
	g.Imported = !r.empty
	if r.compact {
		r.firstEntry.Cycle = g.Entry.Cycle
		g.Entry = r.firstEntry
	}
	stamps := g.Stamps
	g.Changes = func(yield func(engine.Change, error) bool) {
		for c, err := range r.changes() {
			if err != nil {
				yield(c, err)
				return
			}
			stamps.LastNS, stamps.Given = max(stamps.LastNS, c.Stamps.LastNS), max(stamps.Given, c.Stamps.Given)
			stamps.Cycle = c.After.Cycle()
			c.Stamps = stamps
			if !r.compact {
				c.Entry.TimeNS, c.Entry.Actor = stamps.LastNS, r.Actor
			}
			if !yield(c, nil) {
				return
			}
		}
		if c, edited, err := r.draftChange(stamps); edited || err != nil {
			yield(c, err)
		}
	}
	g.Attempts = func() []history.Attempt { return r.attempts }
	return g, nil
}

// draftChange returns the change that makes the working state of a history, if it has one with edits.
func (r *historyReader) draftChange(stamps tree.Stamps) (c engine.Change, edited bool, err error) {
	if r.working == nil {
		return c, false, nil
	}
	before := r.last.WithCycle(r.last.Cycle() + 1)
	_, born, err := before.Delta(r.working)
	if err != nil || len(born) == 0 && before.Digest() == r.working.Digest() {
		return c, false, err
	}
	stamps.Cycle = before.Cycle()
	for _, b := range born {
		noteStamps(&stamps, b.Node)
		if b.Node.Cycle == stamps.Cycle {
			stamps.Next = max(stamps.Next, b.Node.Index+1)
		}
	}
	return engine.Change{Before: before, After: r.working.WithCycle(stamps.Cycle), Stamps: stamps,
		Entry: history.Entry{Cycle: stamps.Cycle, TimeNS: stamps.LastNS, Actor: r.Actor}}, true, nil
}

// Copy returns the creation of a context with another name, or in another store, with all
// snapshots and the working state of an existing one. Cost: reading every snapshot.
func Copy(ctx context.Context, from *provenance.Source, name, actor string) (engine.Creation, error) {
	s := &from.State
	g := engine.Creation{Name: name, Edition: s.Edition, Tree: s.Head, Imported: s.Cycle >= s.First}
	if g.Imported {
		var err error
		if g.Tree, err = engine.Snapshot(ctx, from.Store, s.Key, s.First); err != nil {
			return g, err
		}
		log := from.Publications(ctx)
		defer log.Stop()
		if g.Entry, err = log.Of(s.First); err != nil {
			return g, err
		}
	}
	cycle := g.Tree.Cycle()
	g.Entry.Cycle, g.Entry.Actor = cycle, cmp.Or(g.Entry.Actor, actor)
	before := g.Tree.WithCycle(cycle + 1)
	if g.Stamps = stampsAfter(g.Tree, s.Stamps); cycle == s.Cycle && before.Digest() == s.Working.Digest() {
		g.Stamps = s.Stamps
		return g, nil
	}
	g.Changes = func(yield func(engine.Change, error) bool) { // Create reads them once
		log := from.Publications(ctx)
		defer log.Stop()
		if cycle < s.Cycle {
			for t, err := range from.Store.History(ctx, s.Key, cycle+1, s.Cycle) {
				var entry history.Entry
				if err == nil {
					entry, err = log.Of(t.Cycle())
				}
				if err == nil {
					entry.Anew, err = provenance.SentAnew(ctx, before, t)
				}
				if err != nil {
					yield(engine.Change{}, err)
					return
				}
				c := engine.Change{Before: before, After: t.WithCycle(t.Cycle() + 1), Sealed: t,
					Stamps: stampsAfter(t, s.Stamps), Entry: entry}
				if before = c.After; t.Cycle() == s.Cycle && before.Digest() == s.Working.Digest() {
					c.Stamps = s.Stamps
				}
				if !yield(c, nil) {
					return
				}
			}
		}
		if before.Digest() != s.Working.Digest() {
			e := history.Entry{Cycle: s.Stamps.Cycle, TimeNS: s.Stamps.LastNS, Actor: actor}
			yield(engine.Change{Before: before, After: s.Working, Stamps: s.Stamps, Entry: e}, nil)
		}
	}
	return g, nil
}

// stampsAfter returns the counters after a snapshot: they repeat no stamp and no id.
func stampsAfter(t *tree.Tree, last tree.Stamps) tree.Stamps {
	return tree.Stamps{Cycle: t.Cycle() + 1, LastNS: last.LastNS, Given: last.Given}
}
