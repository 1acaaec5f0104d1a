package enginetest

import (
	"context"
	"slices"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"

	"encoding/json"
)

// driver works on one context as a program does. It keeps every tree that it publishes in
// memory, and compares the store with them.
type driver struct {
	*testing.T
	suite     Suite
	store     engine.Contexts
	state     engine.State
	snapshots map[int64]*tree.Tree
	published map[int64]engine.Info // the context right after each snapshot
	shares    map[int64]float64     // of the thread of each call that was sent anew
	attempts  []*history.Attempt    // of this context, shared ones included
	clock     int64
	suffix    string
	since     int64 // the first cycle that the last erasure changed
}

// vocabulary of the contexts under test.
var vocabulary = tree.Vocabulary{Turn: "seg", Container: "cont", Block: "block"}

// drive creates an empty context.
func drive(t *testing.T, s Suite, name string) *driver {
	t.Helper()
	return driveIn(t, s, s.Open(t), name)
}

func driveIn(t *testing.T, s Suite, in engine.Contexts, name string) *driver {
	t.Helper()
	d := &driver{T: t, suite: s, store: in, clock: 1_700_000_000_000_000_000, snapshots: map[int64]*tree.Tree{},
		published: map[int64]engine.Info{}, shares: map[int64]float64{}}
	first, stamps, err := tree.New(d.env(), nil)
	must(t, err)
	return d.begin(engine.Creation{Name: name, Edition: "canonical", Tree: first, Stamps: stamps})
}

// driveFrom creates a context from an imported tree.
func driveFrom(t *testing.T, s Suite, name string, first *tree.Tree) *driver {
	t.Helper()
	d := &driver{T: t, suite: s, store: s.Open(t), clock: 1_700_000_000_000_000_000, snapshots: map[int64]*tree.Tree{},
		published: map[int64]engine.Info{}, shares: map[int64]float64{}}
	stamps := tree.Stamps{Cycle: first.Cycle() + 1, Given: -1}
	for e := range sure.All(first.All()) {
		stamps.LastNS = max(stamps.LastNS, e.Node().CreatedNS)
		stamps.Given = max(stamps.Given, tree.GeneratedCycle(e.Node().ID))
	}
	d.snapshots[first.Cycle()] = first
	return d.begin(engine.Creation{Name: name, Edition: "v0.1", Tree: first, Imported: true, Stamps: stamps})
}

func (d *driver) begin(g engine.Creation) *driver {
	d.Helper()
	begun, err := d.store.Create(background, g)
	must(d.T, err)
	info := begun.Info
	d.state = engine.State{Info: info, Head: g.Tree, Working: g.Tree.WithCycle(g.Stamps.Cycle)}
	same(d.T, d.state.Head, begun.Head)
	same(d.T, d.state.Working, begun.Working)
	want := engine.Info{Stamps: g.Stamps, Info: history.Info{Key: info.Key, Name: g.Name, Edition: g.Edition,
		First: g.First(), Cycle: g.Tree.Cycle(), Revision: 1, Listed: info.Listed}}
	if info != want {
		d.Fatalf("created %+v, want %+v", info, want)
	}
	if g.Imported {
		d.published[info.Cycle] = info
	}
	return d
}

func (d *driver) env() tree.Env {
	return tree.Env{
		Vocabulary: vocabulary,
		Clock:      func() int64 { d.clock += 7; return d.clock },
		Taken:      func(id string) (bool, error) { return d.store.Has(background, d.state.Key, id) },
		Suffix:     d.suffix,
	}
}

func (d *driver) guard() engine.Guard {
	return engine.Guard{Cycle: d.state.Cycle, Revision: d.state.Revision}
}

// edited returns the change that a batch of edits makes.
func (d *driver) edited(f func(x *tree.Editor)) engine.Change {
	d.Helper()
	x := tree.Edit(background, d.state.Working, d.state.Head, d.state.Stamps, d.env())
	f(x)
	return engine.Change{
		Before: d.state.Working, After: x.Tree(), Stamps: x.Stamps,
		Entry: history.Entry{Cycle: x.Stamps.Cycle, TimeNS: d.clock, Actor: "tester"},
	}
}

// committed returns a change that makes another change and commits it.
func (d *driver) committed(c engine.Change, in commit.Input) engine.Change {
	d.Helper()
	in.Working, in.Stamps, in.Env = c.After, c.Stamps, d.env()
	sealed, stamps, report, err := commit.Run(context.Background(), in)
	must(d.T, err)
	text, err := json.Marshal(report)
	must(d.T, err)
	return engine.Change{
		Before: c.Before, After: sealed.WithCycle(stamps.Cycle), Sealed: sealed, Stamps: stamps,
		Entry: history.Entry{Cycle: sealed.Cycle(), TimeNS: d.clock, Message: "turn", Report: text, Idle: commit.Idle(&report),
			Anew: anewOf(sealed)},
	}
}

// apply makes changes and updates the driver to their result.
func (d *driver) apply(changes ...engine.Change) {
	d.Helper()
	must(d.T, d.store.Apply(background, d.state.Key, d.guard(), changes...))
	d.take(changes...)
}

func (d *driver) take(changes ...engine.Change) {
	for _, c := range changes {
		d.state.Revision++
		d.state.Listed = engine.ListedAfter(d.state.Listed, &c, d.state.First)
		d.state.Stamps, d.state.Working = c.Stamps, c.After
		if c.Sealed != nil {
			d.state.Cycle, d.state.Head, d.state.Idle = c.Sealed.Cycle(), c.Sealed, c.Entry.Idle
			d.snapshots[c.Sealed.Cycle()] = whole(d.T, c.Sealed)
			_, size := c.Sealed.ThreadSize()
			d.shares[c.Sealed.Cycle()] = float64(c.Entry.Anew) / float64(size)
			d.published[c.Sealed.Cycle()] = d.state.Info
		}
	}
}

// edit makes one batch of edits.
func (d *driver) edit(f func(x *tree.Editor)) {
	d.Helper()
	d.apply(d.edited(f))
}

// commit publishes the working state.
func (d *driver) commit() {
	d.Helper()
	d.commitWith(nil, commit.Input{})
}

// commitWith makes edits, if f is not nil, and commits them in one change.
func (d *driver) commitWith(f func(x *tree.Editor), in commit.Input) {
	d.Helper()
	c := engine.Change{Before: d.state.Working, After: d.state.Working, Stamps: d.state.Stamps}
	if f != nil {
		c = d.edited(f)
	}
	d.apply(d.committed(c, in))
}

// reopen opens the store again if the suite can, and reads its state.
func (d *driver) reopen() {
	d.Helper()
	if d.suite.Reopen != nil {
		d.store = d.suite.Reopen(d.T, d.store)
	}
	d.reload()
}

// beside is another handle on the store of a driver if there can be one, as another process has it.
func (d *driver) beside() engine.Contexts {
	d.Helper()
	if d.suite.Beside == nil {
		return d.store
	}
	return d.suite.Beside(d.T, d.store)
}

// reload reads the state from the store.
func (d *driver) reload() {
	d.Helper()
	st, err := d.store.Load(background, d.state.Key)
	must(d.T, err)
	d.state = *st
}

// check compares everything in the store with the trees in memory, before and after it opens
// the store again.
func (d *driver) check() {
	d.Helper()
	checkAll(d)
}

// whole copies a tree so that it needs no store: a tree from a store may load parts of it when
// they are asked for.
func whole(t *testing.T, of *tree.Tree) *tree.Tree {
	t.Helper()
	var nodes []tree.Placed
	at := map[string]int{"": -1}
	for p := range sure.All(of.All()) {
		e, parent := p.Entry, p.Parent
		at[e.Node().ID] = len(nodes)
		nodes = append(nodes, tree.Placed{Node: e.Node(), Parent: at[parent]})
	}
	again, err := tree.Build(of.Cycle(), nodes)
	must(t, err)
	return again
}

func (d *driver) compare() {
	d.Helper()
	st, err := d.store.Load(background, d.state.Key)
	must(d.T, err)
	same(d.T, d.state.Head, st.Head)
	same(d.T, d.state.Working, st.Working)
	if info, err := d.store.Info(background, d.state.Key); err != nil || info != st.Info {
		d.Errorf("the store says %+v, %v, and loads %+v", info, err, st.Info)
	}
	d.compareListed(st)
	d.compareAttempts()
	if len(d.snapshots) == 0 {
		return
	}
	for _, cycle := range []int64{d.state.First, d.state.First + (d.state.Cycle-d.state.First)/2, d.state.Cycle} {
		got, err := engine.Snapshot(background, d.store, d.state.Key, cycle)
		must(d.T, err)
		same(d.T, d.snapshots[cycle], got)
	}
	all, err := engine.Collect(d.store.History(background, d.state.Key, d.state.First, d.state.Cycle))
	must(d.T, err)
	if len(all) != len(d.snapshots) {
		d.Fatalf("the history has %d snapshots, want %d", len(all), len(d.snapshots))
	}
	for i, got := range all {
		same(d.T, d.snapshots[d.state.First+int64(i)], got)
	}
	d.checkDeltas()
}

// checkDeltas compares what the store says of each step with the snapshots on both sides of it.
func (d *driver) checkDeltas() {
	d.Helper()
	next := d.state.First + 1
	for got, err := range d.store.Deltas(background, d.state.Key, d.state.First, d.state.Cycle) {
		must(d.T, err)
		if got.Cycle != next {
			d.Fatalf("a delta is that of cycle %d, want %d", got.Cycle, next)
		}
		before, after := d.snapshots[next-1], d.snapshots[next]
		next++
		gone, born := sure.Get2(before.Delta(after))
		for _, id := range gone {
			if !slices.Contains(got.Gone, id) {
				d.Errorf("cycle %d: %q is gone, and the delta does not say so", got.Cycle, id)
			}
		}
		for _, id := range got.Gone {
			if sure.Get(after.Has(id)) {
				d.Errorf("cycle %d: %q is there, and the delta says that it is gone", got.Cycle, id)
			}
		}
		said := make(map[string]bool)
		read, err := engine.Snapshot(background, d.store, d.state.Key, got.Cycle) // the driver's own may be of a store that was closed
		must(d.T, err)
		for _, v := range got.Born {
			want := sure.Get(after.Node(v.ID()))
			if want == nil {
				d.Fatalf("cycle %d: %q is not there", got.Cycle, v.ID())
			}
			said[v.ID()] = true
			sameNode(d.T, want, v.Node())
			text, err := v.Text(background)
			must(d.T, err)
			content, err := sure.Get(read.Node(v.ID())).Content.Value(background)
			must(d.T, err)
			if text != content {
				d.Errorf("cycle %d: the content of %q is %.40q, want %.40q", got.Cycle, v.ID(), text, content)
			}
		}
		for _, b := range born {
			if had := sure.Get(before.Node(b.Node.ID)); !said[b.Node.ID] && (had == nil || !had.Equal(b.Node)) {
				d.Errorf("cycle %d: the delta does not have %q", got.Cycle, b.Node.ID)
			}
		}
	}
	if next != d.state.Cycle+1 {
		d.Errorf("the last delta is that of cycle %d", next-1)
	}
}
