package provenance

import (
	"cmp"
	"context"
	"slices"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/differ"
	"github.com/contexttree/pact/internal/tree"
)

// Timeline returns everything that happened to a node, in the order of time. E_NODE_NOT_FOUND
// for an id that no state and no commit ever had. Cost: the cycles that concern the node.
func (s *Source) Timeline(ctx context.Context, id string) (*inspect.Timeline, error) {
	states, log, err := s.statesConcerning(ctx, id)
	if err != nil {
		return nil, err
	}
	b := &timelineBuilder{ctx: ctx, source: s, log: log, states: states, timeline: &inspect.Timeline{
		ID: id, Children: []string{}, Refs: []string{}, ReferredBy: []string{}, Events: []inspect.Event{}}}
	return b.timeline, b.build()
}

// timelineBuilder collects the events of one node.
type timelineBuilder struct {
	ctx    context.Context
	source *Source
	log    *Log
	// the state before the first snapshot, the first snapshot, those before and after every cycle that
	// concerns the node, the latest one, the working state
	states   []*tree.Tree
	timeline *inspect.Timeline
}

func (b *timelineBuilder) build() error {
	id := b.timeline.ID
	has, err := b.states[0].Has(id)
	if err != nil {
		return err
	}
	if has {
		if err := b.addImported(b.states[0]); err != nil {
			return err
		}
	}
	for i, next := range b.states[1:] {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		if next.Cycle() <= b.source.State.Cycle && next.Cycle() > b.states[i].Cycle()+1 { // nothing between concerns the node
			continue
		}
		if err := b.addStep(b.states[i], next); err != nil {
			return err
		}
	}
	b.addReported()
	b.addErasures()
	if err := b.describe(); err != nil {
		return err
	}
	if b.timeline.Type == "" && !b.addFirstHead() { // no state has the node
		gone, reported := b.log.removals[id]
		if id == "" {
			return tree.NoNode(id, "")
		}
		if !reported {
			return fault.OnNode(fault.NodeNotFound, id, "the context never had such a node",
				"the selector '@* *' finds the ids of all snapshots, * asked of the working state those that are there")
		}
		// It expired in the cycle that brought it.
		b.timeline.State, b.timeline.Cycle = inspect.Gone, gone.Cycle
		b.add(inspect.Event{Cycle: gone.Cycle, Kind: inspect.EventRemoved, Cause: &gone})
	}
	slices.SortStableFunc(b.timeline.Events, func(x, y inspect.Event) int {
		if x.Cycle != y.Cycle {
			return cmp.Compare(x.Cycle, y.Cycle)
		}
		return cmp.Compare(rank(x.Kind), rank(y.Kind))
	})
	return nil
}

// rank orders the events of one cycle: the birth comes first, the end last.
func rank(k inspect.EventKind) int {
	switch k {
	case inspect.EventBorn:
		return 0
	case inspect.EventSealed:
		return 1
	case inspect.EventRemoved:
		return 3
	}
	return 2
}

// add adds an event. Events of the current cycle are drafts.
func (b *timelineBuilder) add(e inspect.Event) {
	e.Draft = e.Cycle > b.source.State.Cycle
	b.timeline.Events = append(b.timeline.Events, e)
}

// addPlaced adds an event that puts the node somewhere.
func (b *timelineBuilder) addPlaced(kind inspect.EventKind, cycle int64, t *tree.Tree, cause *diff.Cause) error {
	parent, err := t.Parent(b.timeline.ID)
	if err != nil {
		return err
	}
	e := inspect.Event{Cycle: cycle, Kind: kind, Parent: parent, Cause: cause}
	if e.Region, e.Turn, err = regionAndTurn(t, b.timeline.ID); err != nil {
		return err
	}
	b.add(e)
	return nil
}

// regionAndTurn returns the region that holds a node and the id of the turn above it, "" if
// there is none.
func regionAndTurn(t *tree.Tree, id string) (region, turn string, err error) {
	path, err := t.Path(id)
	if err != nil {
		return "", "", err
	}
	if len(path) > 1 {
		region = path[1].Class().String()
	}
	if len(path) > 3 && path[2].Class() == tree.Turn {
		turn = path[2].Node().ID
	}
	return region, turn, nil
}

// addFirstHead adds the events of the active head of a new context. The first commit sealed it,
// so no snapshot has it. It reports whether the node is that head.
func (b *timelineBuilder) addFirstHead() bool {
	first := b.source.State.First
	if b.timeline.ID != "ah" || b.log.commits[first].Kind != history.Commit {
		return false
	}
	b.timeline.Type, b.timeline.Class = "^ah", tree.Head.String()
	b.timeline.State, b.timeline.Cycle = inspect.Gone, first-1
	b.add(inspect.Event{Cycle: first - 1, Kind: inspect.EventBorn})
	b.add(inspect.Event{Cycle: first, Kind: inspect.EventRemoved, Cause: b.sealing(first)})
	return true
}

func (b *timelineBuilder) sealing(cycle int64) *diff.Cause {
	return &diff.Cause{Kind: diff.BySeal, Cycle: cycle, Author: b.log.committer(cycle)}
}

// addImported adds the event of a node that the first snapshot of an import brought.
func (b *timelineBuilder) addImported(t *tree.Tree) error {
	e, err := t.Entry(b.timeline.ID)
	if err != nil {
		return err
	}
	b.timeline.Cycle = min(e.Node().Cycle, t.Cycle())
	cause, err := b.additionCause(t, e, b.timeline.Cycle)
	if err != nil {
		return err
	}
	if err := b.addPlaced(inspect.EventBorn, b.timeline.Cycle, t, cause); err != nil {
		return err
	}
	for from, err := range t.Referrers(b.timeline.ID) {
		if err != nil {
			return err
		}
		b.add(inspect.Event{Cycle: t.Cycle(), Kind: inspect.EventReferred, Other: from})
	}
	return tree.Sort(t, b.timeline.Events[1:], func(e inspect.Event) string { return e.Other })
}

func (b *timelineBuilder) additionCause(t *tree.Tree, e *tree.Entry, cycle int64) (*diff.Cause, error) {
	d, err := addition(t, e)
	if err != nil {
		return nil, err
	}
	c, err := additionCause(t, b.log, d, cycle)
	return &c, err
}

// addStep adds what happened from one state to the next.
func (b *timelineBuilder) addStep(last, next *tree.Tree) error {
	id, cycle := b.timeline.ID, next.Cycle()
	was, err := last.Has(id)
	if err != nil {
		return err
	}
	if is, err := next.Has(id); err != nil || !was && !is {
		return err
	}
	causes := b.source.causes(last, next, b.log)
	differences, err := tree.Differences(last.WithCycle(cycle), next)
	if err != nil {
		return err
	}
	for _, d := range differences {
		switch {
		case d.Old == nil && d.New.ID == id:
			err = b.addBirth(causes)
		case d.New == nil && d.Old.ID == id:
			err = b.addRemoval(causes, d)
		case d.Old != nil && d.New != nil && d.New.ID == id:
			err = b.addChange(causes, d)
		default:
			b.addNeighbour(cycle, d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addBirth adds the birth. A commit seals what its cycle added to ^ah, so the snapshot of that
// cycle has the node in a turn already; addBirth adds both events.
func (b *timelineBuilder) addBirth(c *Causes) error {
	t, cycle := c.newer, c.newer.Cycle()
	b.timeline.Cycle = cycle
	entry, err := t.Entry(b.timeline.ID)
	if err != nil {
		return err
	}
	cause, err := b.additionCause(t, entry, cycle)
	if err != nil {
		return err
	}
	birth := len(b.timeline.Events)
	_, turn, err := regionAndTurn(t, b.timeline.ID)
	if err != nil {
		return err
	}
	sealed, err := c.older.Has(turn)
	if err != nil {
		return err
	}
	if turn != "" && !sealed && cause.Kind == diff.ByEdit {
		b.add(inspect.Event{Cycle: cycle, Kind: inspect.EventBorn, Region: tree.Head.String(), Cause: cause})
		err = b.addPlaced(inspect.EventSealed, cycle, t, b.sealing(cycle))
	} else {
		err = b.addPlaced(inspect.EventBorn, cycle, t, cause)
	}
	if err == nil && cause.Kind == diff.ByEdit {
		b.timeline.Events[birth].Other, err = c.replacement(b.timeline.ID)
	}
	return err
}

func (b *timelineBuilder) addRemoval(c *Causes, d tree.Difference) error {
	cause, err := c.ofRemoval(b.ctx, d.Old, d.OldClass)
	if err != nil {
		return err
	}
	e := inspect.Event{Cycle: c.newer.Cycle(), Kind: inspect.EventRemoved, Cause: &cause}
	if cause.Kind == diff.ByEdit {
		e.Other, err = c.replacement(b.timeline.ID)
	}
	b.add(e)
	return err
}

func (b *timelineBuilder) addChange(c *Causes, d tree.Difference) error {
	cycle := c.newer.Cycle()
	fields := differ.Fields(d, cycle, cycle)
	cause, err := c.Of(b.ctx, d, fields)
	if err != nil {
		return err
	}
	fields = slices.DeleteFunc(fields, func(f string) bool { return f == "parent" })
	if len(fields) > 0 {
		values := differ.FieldsOf(d, fields, cycle, cycle)
		b.add(inspect.Event{Cycle: cycle, Kind: inspect.EventUpdated, Fields: values, Cause: &cause})
	}
	if d.OldParent != d.NewParent {
		kind := inspect.EventMoved
		if sealed, err := c.sealed(b.timeline.ID); err != nil {
			return err
		} else if sealed {
			kind = inspect.EventSealed
		}
		if err := b.addPlaced(kind, cycle, c.newer, &cause); err != nil {
			return err
		}
	}
	return nil
}

// addNeighbour adds what happened to another node if it concerns this one.
func (b *timelineBuilder) addNeighbour(cycle int64, d tree.Difference) {
	id := b.timeline.ID
	other := d.New
	if other == nil {
		other = d.Old
	}
	add := func(kind inspect.EventKind) { b.add(inspect.Event{Cycle: cycle, Kind: kind, Other: other.ID}) }
	switch child, wasChild := d.NewParent == id, d.OldParent == id; {
	case child && !wasChild:
		add(inspect.EventAttached)
	case wasChild && !child:
		add(inspect.EventDetached)
	}
	referred := d.Old != nil && slices.Contains(d.Old.Refs, id)
	refers := d.New != nil && slices.Contains(d.New.Refs, id)
	switch {
	case refers && !referred:
		add(inspect.EventReferred)
	case referred && !refers:
		add(inspect.EventUnreferred)
	}
}
