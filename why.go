package pact

import (
	"context"
	"slices"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/tree"
)

// why finds out what made nodes differ between two states of a context.
type why struct {
	context      *Context
	state        *state
	older, newer *tree.Tree
	log          *chronicle
	steps        *steps // nil until it is asked for
}

func (c *Context) why(ctx context.Context, s *state, older, newer *tree.Tree) (*why, error) {
	log, err := c.chronicle(ctx, s, older.Cycle()+1, newer.Cycle())
	return &why{context: c, state: s, older: older, newer: newer, log: log}, err
}

// steps says in which cycle nodes came, changed and went between two states.
type steps struct {
	trees               []*tree.Tree
	born, changed, died map[string]int64
	renewed             map[string]int64 // changed in a header or in content, not in place alone
}

// trace compares neighbours. What time alone does to a ttl is no change.
func trace(trees []*tree.Tree) *steps {
	s := &steps{trees: trees, born: map[string]int64{}, changed: map[string]int64{}, died: map[string]int64{}, renewed: map[string]int64{}}
	for i, next := range trees[1:] {
		tree.Compare(trees[i].WithCycle(next.Cycle()), next, func(d tree.Difference) bool {
			switch {
			case d.Old == nil:
				s.born[d.New.ID] = next.Cycle()
			case d.New == nil:
				s.died[d.Old.ID] = next.Cycle()
			default:
				fields := diff.Fields(d, next.Cycle(), next.Cycle())
				if len(fields) > 0 { // an expiry cycle that was read from a ttl of 0 differs and shows nothing
					s.changed[d.New.ID] = next.Cycle()
				}
				if slices.ContainsFunc(fields, func(f string) bool { return f != "parent" }) {
					s.renewed[d.New.ID] = next.Cycle()
				}
			}
			return true
		})
	}
	return s
}

// cycles reads the states from the older to the newer.
func (w *why) cycles(ctx context.Context) (*steps, error) {
	if w.steps != nil {
		return w.steps, nil
	}
	trees := []*tree.Tree{w.older, w.newer}
	if w.newer.Cycle()-w.older.Cycle() > 1 {
		var err error
		if trees, err = w.context.between(ctx, w.state, w.older.Cycle(), w.newer); err != nil {
			return nil, err
		}
	}
	w.steps = trace(trees)
	return w.steps, nil
}

// between returns the snapshots from a cycle up to a state, and that state.
func (c *Context) between(ctx context.Context, s *state, first int64, last *tree.Tree) ([]*tree.Tree, error) {
	trees, err := c.store.History(ctx, s.Key, first, min(last.Cycle(), s.State.Cycle))
	if err == nil && last.Cycle() > s.State.Cycle {
		trees = append(slices.Clip(trees), last)
	}
	return trees, err
}

// cause says what made a node differ. d has the versions in the order of time.
func (w *why) cause(ctx context.Context, d tree.Difference, fields []string) (Cause, error) {
	switch {
	case d.Old == nil:
		return w.came(ctx, d)
	case d.New == nil:
		return w.went(ctx, d.Old, d.OldClass)
	case len(fields) == 0:
		return Cause{Kind: diff.BySelection, Cycle: w.newer.Cycle()}, nil
	case len(fields) == 1 && fields[0] == "ttl" && ranDown(d, w.newer.Cycle()):
		return Cause{Kind: diff.ByTTL, Cycle: w.newer.Cycle()}, nil
	}
	cycle, err := w.when(ctx, d.New.ID, func(s *steps) map[string]int64 { return s.changed })
	if err != nil {
		return Cause{}, err
	}
	if d.OldParent != d.NewParent && w.sealed(d.New.ID) && !slices.ContainsFunc(fields, func(f string) bool { return f != "parent" && f != "ttl" }) {
		return Cause{Kind: diff.BySeal, Cycle: cycle, Author: w.log.committed(cycle)}, nil
	}
	return Cause{Kind: diff.ByEdit, Cycle: cycle, Author: w.log.edited(cycle)}, nil
}

// ranDown reports whether time alone explains the ttl of the newer version.
func ranDown(d tree.Difference, cycle int64) bool {
	was, wasFinite := d.Old.TTL(cycle)
	is, isFinite := d.New.TTL(cycle)
	return was == is && wasFinite == isFinite
}

// sealed reports whether a node of both states was below ^ah and is in a turn.
func (w *why) sealed(id string) bool {
	was, is := w.older.Path(id), w.newer.Path(id)
	return len(was) > 2 && len(is) > 2 && was[1].Class() == tree.Head && is[1].Class() == tree.Seq
}

// when returns the cycle in which something happened to a node.
func (w *why) when(ctx context.Context, id string, of func(*steps) map[string]int64) (int64, error) {
	if w.newer.Cycle()-w.older.Cycle() <= 1 {
		return w.newer.Cycle(), nil
	}
	s, err := w.cycles(ctx)
	if err != nil {
		return 0, err
	}
	if cycle, ok := of(s)[id]; ok {
		return cycle, nil
	}
	return w.newer.Cycle(), nil
}

func (w *why) came(ctx context.Context, d tree.Difference) (Cause, error) {
	cycle := d.New.Cycle
	if cycle <= w.older.Cycle() || cycle > w.newer.Cycle() { // as foreign histories may have it
		var err error
		if cycle, err = w.when(ctx, d.New.ID, func(s *steps) map[string]int64 { return s.born }); err != nil {
			return Cause{}, err
		}
	}
	return birth(w.newer, w.log, d, cycle), nil
}

// birth is the cause of a node that came in a cycle: sealing makes turns, cores
// that were elided, and the next active head.
func birth(t *tree.Tree, log *chronicle, d tree.Difference, cycle int64) Cause {
	if c, ok := log.stubs[stubOf(t, d)]; ok {
		return c
	}
	core := d.NewClass == tree.Container && d.New.Offset == 0
	if core {
		turn := t.Entry(d.NewParent)
		core = turn != nil && turn.Class() == tree.Turn && turn.Node().Cycle == d.New.Cycle && turn.Node().CreatedNS < d.New.CreatedNS
	}
	if core || d.NewClass == tree.Turn || d.NewClass == tree.Head {
		return Cause{Kind: diff.BySeal, Cycle: cycle, Author: log.committed(cycle)}
	}
	return Cause{Kind: diff.ByEdit, Cycle: cycle, Author: log.stamped(cycle, d.New.CreatedNS)}
}

// stubOf returns the stub that a node is or, of a core, holds alone.
func stubOf(t *tree.Tree, d tree.Difference) string {
	if d.NewClass == tree.Container && d.New.Offset == 0 {
		if kids := t.Entry(d.New.ID).Children(); kids.Len() == 1 {
			return kids.At(0).Node().ID
		}
	}
	return d.New.ID
}

func (w *why) went(ctx context.Context, n *tree.Node, class tree.Class) (Cause, error) {
	if c, ok := w.log.removed[n.ID]; ok {
		return c, nil
	}
	cycle, err := w.when(ctx, n.ID, func(s *steps) map[string]int64 { return s.died })
	if err != nil {
		return Cause{}, err
	}
	if class == tree.Head {
		return Cause{Kind: diff.BySeal, Cycle: cycle, Author: w.log.committed(cycle)}, nil
	}
	c := Cause{Kind: diff.ByEdit, Cycle: cycle, Author: w.log.edited(cycle)}
	if _, published := w.log.commits[cycle]; !published || w.log.reports[cycle] != nil {
		return c, nil
	}
	if imported, err := w.imported(ctx); err != nil || !imported {
		return c, err
	}
	s, err := w.cycles(ctx)
	if err != nil {
		return Cause{}, err
	}
	for i, next := range s.trees[1:] {
		if next.Cycle() == cycle {
			if kind := inferred(s.trees[i], next, n.ID); kind != "" {
				return Cause{Kind: kind, Cycle: cycle, Inferred: true, Author: w.log.committed(cycle)}, nil
			}
		}
	}
	return c, nil
}

// imported reports whether the context began with a snapshot. A commit without a
// report then need not be one that had nothing to report.
func (w *why) imported(ctx context.Context) (bool, error) {
	log, err := w.context.store.Log(ctx, w.state.Key, 1, 1)
	return len(log) > 0 && log[0].Cycle >= w.state.First, err
}

// inferred tells why a node went where no report does, as in a history of
// snapshots that was imported. It returns "" where only an edit is left.
func inferred(before, after *tree.Tree, id string) diff.Kind {
	path := before.Path(id)
	for i, e := range path {
		class := e.Class()
		isCore := i > 0 && class == tree.Container && e.Node().Offset == 0 && path[i-1].Class() == tree.Turn
		if !class.Region() && !isCore && e.Node().Expiry <= after.Cycle() && !after.Has(e.Node().ID) {
			return diff.ByExpiry
		}
	}
	if len(path) == 0 {
		return ""
	}
	if emptied(before, after, path[len(path)-1]) {
		return diff.ByCascade
	}
	for _, e := range path {
		if e.Class() == tree.Turn && !after.Has(e.Node().ID) {
			return diff.ByPruning // turns go no other way
		}
	}
	return ""
}

// emptied reports whether a group lost all its children by expiry.
func emptied(before, after *tree.Tree, e *tree.Entry) bool {
	if !e.Node().Removable || e.Class() != tree.Container || e.Children().Len() == 0 {
		return false
	}
	for k := range e.Children().All() {
		if kind := inferred(before, after, k.Node().ID); after.Has(k.Node().ID) || kind != diff.ByExpiry && kind != diff.ByCascade {
			return false
		}
	}
	return true
}
