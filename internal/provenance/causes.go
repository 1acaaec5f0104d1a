package provenance

import (
	"context"
	"slices"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/differ"
	"github.com/contexttree/pact/internal/tree"
)

// Causes finds out why nodes differ between an older and a newer state of a context (06 §6).
type Causes struct {
	source       *Source
	older, newer *tree.Tree
	log          *Log
	between      *changes // nil until it is needed
}

// Causes prepares the answers for two states. Cost: the log between the two. The
// snapshots between them are read when the first answer needs them.
func (s *Source) Causes(ctx context.Context, older, newer *tree.Tree) (*Causes, error) {
	log, err := s.Log(ctx, older.Cycle()+1, newer.Cycle())
	return s.causes(older, newer, log), err
}

func (s *Source) causes(older, newer *tree.Tree, log *Log) *Causes {
	return &Causes{source: s, older: older, newer: newer, log: log}
}

// Of says why a node differs. d has its versions from old to new, fields the headers that
// differ; there are none if both versions are equal and a selector finds only one of them.
// Cost: O(1) if the two states are neighbours; otherwise the first answer costs what changed in
// each cycle between them.
func (c *Causes) Of(ctx context.Context, d tree.Difference, fields []string) (diff.Cause, error) {
	switch {
	case d.Old == nil:
		return c.ofAddition(ctx, d)
	case d.New == nil:
		return c.ofRemoval(ctx, d.Old, d.OldClass)
	case len(fields) == 0:
		return diff.Cause{Kind: diff.BySelection, Cycle: c.newer.Cycle()}, nil
	case len(fields) == 1 && fields[0] == "ttl" && onlyTimePassed(d, c.newer.Cycle()):
		return diff.Cause{Kind: diff.ByTTL, Cycle: c.newer.Cycle()}, nil
	}
	cycle, err := c.lastCycle(ctx, d.New.ID, func(ch *changes) map[string]int64 { return ch.changed })
	if err != nil {
		return diff.Cause{}, err
	}
	placeOnly := !slices.ContainsFunc(fields, func(f string) bool { return f != "parent" && f != "ttl" })
	if d.OldParent != d.NewParent && placeOnly {
		if sealed, err := c.sealed(d.New.ID); err != nil || sealed {
			return diff.Cause{Kind: diff.BySeal, Cycle: cycle, Author: c.log.committer(cycle)}, err
		}
	}
	return diff.Cause{Kind: diff.ByEdit, Cycle: cycle, Author: c.log.editor(cycle)}, nil
}

// onlyTimePassed reports whether both versions have the same ttl when seen from one cycle.
func onlyTimePassed(d tree.Difference, cycle int64) bool {
	was, wasFinite := d.Old.TTL(cycle)
	is, isFinite := d.New.TTL(cycle)
	return was == is && wasFinite == isFinite
}

// sealed reports whether a node was below ^ah in the older state and is in a turn in the
// newer one.
func (c *Causes) sealed(id string) (bool, error) {
	was, err := c.older.Path(id)
	if err != nil {
		return false, err
	}
	is, err := c.newer.Path(id)
	return len(was) > 2 && len(is) > 2 && was[1].Class() == tree.Head && is[1].Class() == tree.Seq, err
}

// lastCycle returns the last cycle in which something happened to a node: the newer one if the
// states are neighbours.
func (c *Causes) lastCycle(ctx context.Context, id string, happened func(*changes) map[string]int64) (int64, error) {
	if c.newer.Cycle()-c.older.Cycle() <= 1 {
		return c.newer.Cycle(), nil
	}
	between, err := c.changes(ctx)
	if err != nil {
		return 0, err
	}
	if cycle, ok := happened(between)[id]; ok {
		return cycle, nil
	}
	return c.newer.Cycle(), nil
}

// changes compares the states from the older to the newer, once.
func (c *Causes) changes(ctx context.Context) (*changes, error) {
	if c.between != nil {
		return c.between, nil
	}
	states := []*tree.Tree{c.older, c.newer}
	if c.newer.Cycle()-c.older.Cycle() > 1 {
		var err error
		if states, err = c.source.statesBetween(ctx, c.older.Cycle(), c.newer); err != nil {
			return nil, err
		}
	}
	between, err := changesIn(states)
	if err == nil {
		c.between = between
	}
	return between, err
}

func (c *Causes) ofAddition(ctx context.Context, d tree.Difference) (diff.Cause, error) {
	cycle := d.New.Cycle
	if cycle <= c.older.Cycle() || cycle > c.newer.Cycle() { // histories of other tools may have such a cycle
		var err error
		if cycle, err = c.lastCycle(ctx, d.New.ID, func(ch *changes) map[string]int64 { return ch.added }); err != nil {
			return diff.Cause{}, err
		}
	}
	return additionCause(c.newer, c.log, d, cycle)
}

// additionCause says why a cycle added a node. Sealing makes turns, the cores that were elided,
// and the next active head (02 §6.2); pruning leaves stubs.
func additionCause(t *tree.Tree, log *Log, d tree.Difference, cycle int64) (diff.Cause, error) {
	stub, err := stubIn(t, d)
	if err != nil {
		return diff.Cause{}, err
	}
	if c, ok := log.stubs[stub]; ok {
		return c, nil
	}
	core, err := madeCore(t, d)
	if err != nil {
		return diff.Cause{}, err
	}
	if core || d.NewClass == tree.Turn || d.NewClass == tree.Head {
		return diff.Cause{Kind: diff.BySeal, Cycle: cycle, Author: log.committer(cycle)}, nil
	}
	return diff.Cause{Kind: diff.ByEdit, Cycle: cycle, Author: log.creator(cycle, d.New.CreatedNS)}, nil
}

// madeCore reports whether sealing made a node as the core of a new turn: such a core has a
// later stamp than its turn, in the same cycle.
func madeCore(t *tree.Tree, d tree.Difference) (bool, error) {
	if d.NewClass != tree.Container || d.New.Offset != 0 {
		return false, nil
	}
	turn, err := t.Entry(d.NewParent)
	if err != nil || turn == nil || turn.Class() != tree.Turn {
		return false, err
	}
	return turn.Node().Cycle == d.New.Cycle && turn.Node().CreatedNS < d.New.CreatedNS, nil
}

// stubIn returns the id of the stub that a node may be: its own, or that of the only child of a
// core.
func stubIn(t *tree.Tree, d tree.Difference) (string, error) {
	if d.NewClass == tree.Container && d.New.Offset == 0 {
		core, err := t.Entry(d.New.ID)
		if err != nil {
			return "", err
		}
		if kids := core.Children(); kids.Len() == 1 {
			only, err := kids.At(0)
			if err != nil {
				return "", err
			}
			return only.Node().ID, nil
		}
	}
	return d.New.ID, nil
}

// addition is the difference that an added node makes.
func addition(t *tree.Tree, e *tree.Entry) (tree.Difference, error) {
	parent, err := t.Parent(e.Node().ID)
	if err != nil {
		return tree.Difference{}, err
	}
	return tree.Difference{New: e.Node(), NewClass: e.Class(), NewParent: parent}, nil
}

func (c *Causes) ofRemoval(ctx context.Context, n *tree.Node, class tree.Class) (diff.Cause, error) {
	if cause, ok := c.log.removals[n.ID]; ok {
		return cause, nil
	}
	cycle, err := c.lastCycle(ctx, n.ID, func(ch *changes) map[string]int64 { return ch.removed })
	if err != nil {
		return diff.Cause{}, err
	}
	if class == tree.Head {
		return diff.Cause{Kind: diff.BySeal, Cycle: cycle, Author: c.log.committer(cycle)}, nil
	}
	cause := diff.Cause{Kind: diff.ByEdit, Cycle: cycle, Author: c.log.editor(cycle)}
	if _, published := c.log.commits[cycle]; !published || c.log.reports[cycle] != nil {
		return cause, nil
	}
	if imported, err := c.source.imported(ctx); err != nil || !imported {
		return cause, err
	}
	between, err := c.changes(ctx)
	if err != nil {
		return diff.Cause{}, err
	}
	for i, next := range between.states[1:] {
		if next.Cycle() != cycle {
			continue
		}
		if kind, err := inferRemoval(between.states[i], next, n.ID); err != nil {
			return diff.Cause{}, err
		} else if kind != "" {
			return diff.Cause{Kind: kind, Cycle: cycle, Inferred: true, Author: c.log.committer(cycle)}, nil
		}
	}
	return cause, nil
}

// replacement returns the node that a removed node became by a move, or the node that an added
// one was before it, "" if there is none: a move gives a published node a new id.
func (c *Causes) replacement(id string) (string, error) {
	pair, err := differ.Compare(c.older, c.newer, nil)
	if err != nil {
		return "", err
	}
	moves, err := differ.MatchMoves(c.older, c.newer, pair.Removed, pair.Added)
	for _, m := range moves {
		switch id {
		case m.Removed:
			return m.Added, nil
		case m.Added:
			return m.Removed, nil
		}
	}
	return "", err
}
