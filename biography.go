package pact

import (
	"cmp"
	"context"
	"slices"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/fault"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// biographer collects the events of a life.
type biographer struct {
	ctx     context.Context
	context *Context
	state   *state
	log     *chronicle
	trees   []*tree.Tree // every state, what was before the first snapshot first, the working state last
	life    *Life
}

func (b *biographer) tell() error {
	if b.trees[0].Has(b.life.ID) {
		b.begins(b.trees[0])
	}
	for i, next := range b.trees[1:] {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		if err := b.step(b.trees[i], next); err != nil {
			return err
		}
	}
	b.held()
	b.erased()
	b.describe()
	gone, reported := b.log.removed[b.life.ID]
	switch {
	case b.life.Type != "":
	case b.firstHead():
	case reported: // it expired in the cycle that brought it
		b.life.State, b.life.Cycle = Gone, gone.Cycle
		b.add(LifeEvent{Cycle: gone.Cycle, What: Removed, Cause: &gone})
	default:
		return fault.OnNode(fault.NodeNotFound, b.life.ID, "there never was such a node", "pact select NAME '@* *' lists the ids of all snapshots, pact show NAME draws the working state")
	}
	slices.SortStableFunc(b.life.Events, func(x, y LifeEvent) int {
		if x.Cycle != y.Cycle {
			return cmp.Compare(x.Cycle, y.Cycle)
		}
		return cmp.Compare(x.rank(), y.rank())
	})
	return nil
}

// firstHead tells of the active head of a new context, which the first commit
// sealed, so that no snapshot has it.
func (b *biographer) firstHead() bool {
	first := b.state.First
	if b.life.ID != "ah" || b.log.commits[first].Kind != store.Commit {
		return false
	}
	b.life.Type, b.life.Class, b.life.State, b.life.Cycle = "^ah", tree.Head.String(), Gone, first-1
	b.add(LifeEvent{Cycle: first - 1, What: Born})
	b.add(LifeEvent{Cycle: first, What: Removed, Cause: &Cause{Kind: diff.BySeal, Cycle: first, Author: b.log.committed(first)}})
	return true
}

func (b *biographer) add(e LifeEvent) {
	e.Draft = e.Cycle > b.state.State.Cycle
	b.life.Events = append(b.life.Events, e)
}

// begins tells of a node of the first snapshot, which an import brought.
func (b *biographer) begins(t *tree.Tree) {
	e := t.Entry(b.life.ID)
	b.life.Cycle = min(e.Node().Cycle, t.Cycle())
	b.placed(Born, b.life.Cycle, t, b.cause(t, e, b.life.Cycle))
	for from := range t.Referrers(b.life.ID) {
		b.add(LifeEvent{Cycle: t.Cycle(), What: Referred, Node: from})
	}
	slices.SortFunc(b.life.Events[1:], func(x, y LifeEvent) int { return t.Order(x.Node, y.Node) })
}

func (b *biographer) cause(t *tree.Tree, e *tree.Entry, cycle int64) *Cause {
	c := birth(t, b.log, tree.Difference{New: e.Node(), NewClass: e.Class(), NewParent: t.Parent(e.Node().ID)}, cycle)
	return &c
}

// placed is an event that puts the node somewhere.
func (b *biographer) placed(what Happening, cycle int64, t *tree.Tree, cause *Cause) {
	e := LifeEvent{Cycle: cycle, What: what, Parent: t.Parent(b.life.ID), Cause: cause}
	e.Region, e.Turn = whereIs(t, b.life.ID)
	b.add(e)
}

// whereIs returns the region that a node is in and the turn above it.
func whereIs(t *tree.Tree, id string) (region, turn string) {
	path := t.Path(id)
	if len(path) > 1 {
		region = path[1].Class().String()
	}
	if len(path) > 3 && path[2].Class() == tree.Turn {
		turn = path[2].Node().ID
	}
	return region, turn
}

// step tells what happened from one state to the next.
func (b *biographer) step(last, next *tree.Tree) error {
	id, cycle := b.life.ID, next.Cycle()
	if !last.Has(id) && !next.Has(id) {
		return nil
	}
	w := &why{context: b.context, state: b.state, older: last, newer: next, log: b.log}
	var failed error
	tree.Compare(last.WithCycle(cycle), next, func(d tree.Difference) bool {
		switch {
		case d.Old == nil && d.New.ID == id:
			b.born(w)
		case d.New == nil && d.Old.ID == id:
			failed = b.went(w, d)
		case d.Old != nil && d.New != nil && d.New.ID == id:
			failed = b.changed(w, d)
		default:
			b.around(cycle, d)
		}
		return failed == nil
	})
	return failed
}

// born tells of the birth. What a cycle brings to ^ah is sealed by its commit,
// so that its snapshot has it in the turn already.
func (b *biographer) born(w *why) {
	t, cycle := w.newer, w.newer.Cycle()
	e := t.Entry(b.life.ID)
	b.life.Cycle = cycle
	cause := b.cause(t, e, cycle)
	_, turn := whereIs(t, b.life.ID)
	drafted := turn != "" && !w.older.Has(turn) && cause.Kind == diff.ByEdit
	if drafted {
		b.add(LifeEvent{Cycle: cycle, What: Born, Region: tree.Head.String(), Cause: cause})
		seal := Cause{Kind: diff.BySeal, Cycle: cycle, Author: b.log.committed(cycle)}
		b.placed(Sealed, cycle, t, &seal)
	} else {
		b.placed(Born, cycle, t, cause)
	}
	if cause.Kind == diff.ByEdit {
		i := len(b.life.Events) - 1
		if drafted {
			i--
		}
		b.life.Events[i].Node = w.twin(b.life.ID)
	}
}

func (b *biographer) went(w *why, d tree.Difference) error {
	cause, err := w.went(b.ctx, d.Old, d.OldClass)
	if err != nil {
		return err
	}
	e := LifeEvent{Cycle: w.newer.Cycle(), What: Removed, Cause: &cause}
	if cause.Kind == diff.ByEdit {
		e.Node = w.twin(b.life.ID)
	}
	b.add(e)
	return nil
}

func (b *biographer) changed(w *why, d tree.Difference) error {
	cycle := w.newer.Cycle()
	fields := slices.DeleteFunc(diff.Fields(d, cycle, cycle), func(f string) bool { return f == "parent" })
	cause, err := w.cause(b.ctx, d, diff.Fields(d, cycle, cycle))
	if err != nil {
		return err
	}
	if len(fields) > 0 {
		b.add(LifeEvent{Cycle: cycle, What: Updated, Fields: diff.FieldsOf(d, fields, cycle, cycle), Cause: &cause})
	}
	if d.OldParent != d.NewParent {
		what := Moved
		if w.sealed(b.life.ID) {
			what = Sealed
		}
		b.placed(what, cycle, w.newer, &cause)
	}
	return nil
}

// around tells what happened to other nodes that concerns this one.
func (b *biographer) around(cycle int64, d tree.Difference) {
	id := b.life.ID
	was, is := d.Old != nil && slices.Contains(d.Old.Refs, id), d.New != nil && slices.Contains(d.New.Refs, id)
	other := ""
	if d.New != nil {
		other = d.New.ID
	} else {
		other = d.Old.ID
	}
	tell := func(what Happening) { b.add(LifeEvent{Cycle: cycle, What: what, Node: other}) }
	switch parent, old := d.NewParent == id, d.OldParent == id; {
	case parent && !old:
		tell(Attached)
	case old && !parent:
		tell(Detached)
	}
	switch {
	case is && !was:
		tell(Referred)
	case was && !is:
		tell(Unreferred)
	}
}

// held tells what commits say of the node: that it was retained, or that it was
// to go and stayed. What went on for several cycles is one event.
func (b *biographer) held() {
	for cycle := b.trees[0].Cycle(); cycle <= b.state.State.Cycle; cycle++ {
		r := b.log.reports[cycle]
		if r == nil {
			continue
		}
		if slices.Contains(r.Retained, b.life.ID) {
			b.goesOn(LifeEvent{Cycle: cycle, What: Retained})
		}
		for _, h := range r.Held {
			if h.ID == b.life.ID {
				b.goesOn(LifeEvent{Cycle: cycle, What: Held, Reason: string(kindOf(h.Reason)), Kept: h.Kept, Node: h.By})
			}
		}
	}
}

// erased tells when the node was emptied. It was in every snapshot at once, so
// that it is told of the cycle that was under way.
func (b *biographer) erased() {
	for _, e := range b.log.erased {
		if of := e.Erased(); of != nil && slices.Contains(of.IDs, b.life.ID) {
			b.life.Events = append(b.life.Events, LifeEvent{Cycle: e.Cycle, What: Emptied, Cause: &Cause{Kind: diff.ByErasure, Cycle: e.Cycle, Author: authorOf(e)}})
		}
	}
}

// goesOn adds an event, or lengthens the one that it continues.
func (b *biographer) goesOn(e LifeEvent) {
	for i := len(b.life.Events) - 1; i >= 0; i-- {
		was := &b.life.Events[i]
		if was.What == e.What && was.Reason == e.Reason && was.Kept == e.Kept && was.Node == e.Node && max(was.Cycle, was.Until) == e.Cycle-1 {
			was.Until = e.Cycle
			return
		}
	}
	b.add(e)
}

// describe fills in what the latest state that holds the node says of it.
func (b *biographer) describe() {
	l := b.life
	var in *tree.Tree
	for _, t := range b.trees {
		if cycle := t.Cycle(); cycle >= b.state.First && cycle <= b.state.State.Cycle && t.Has(l.ID) {
			cycle := t.Cycle()
			if l.Last = &cycle; l.First == nil {
				l.First = &cycle
			}
			in, l.Range = t, diff.RangeOf(t, l.ID)
		}
	}
	working := b.trees[len(b.trees)-1]
	switch latest := l.Last != nil && *l.Last == b.state.State.Cycle; {
	case working.Has(l.ID) && l.Last == nil:
		l.State = Draft
	case working.Has(l.ID):
		l.State = There
	case latest:
		l.State = Going
	default:
		l.State = Gone
	}
	if working.Has(l.ID) {
		in = working
	}
	if in == nil {
		return
	}
	e := in.Entry(l.ID)
	n := e.Node()
	l.Type, l.Class, l.Role, l.Kind, l.Key = n.Type, e.Class().String(), n.Role, n.Kind, n.Key
	if n.Expiry != tree.Never {
		l.Expiry = &n.Expiry
	}
	l.Parent = in.Parent(l.ID)
	_, l.Turn = whereIs(in, l.ID)
	for k := range e.Children().All() {
		l.Children = append(l.Children, k.Node().ID)
	}
	l.Refs = append(l.Refs, n.Refs...)
	l.ReferredBy = slices.AppendSeq(l.ReferredBy, in.Referrers(l.ID))
	slices.SortFunc(l.ReferredBy, in.Order)
}
