package sqlstore

import (
	"context"
	"encoding/json"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// Why nodes go, besides the reasons of lifecycle.
const (
	edited = "edit"
	sealed = "seal"
)

// plan is the rows that changes cost, worked out before the lock is taken. It
// begins at the state that the guard names, so that it is void, and never
// carried out, where another writer was faster.
type plan struct {
	writerState
	ctx   context.Context
	store *Store
	line  lineage // nil for a new context, of which nothing is stored yet
	steps []step
}

// step is what one change writes.
type step struct {
	drops  []ref // drafts that go, or make way for another version
	deaths []death
	births []birth
	next   int64 // the next nid afterwards
}

// death says of a node that it is gone from a cycle on.
type death struct {
	ref    // birth is the cycle
	reason string
}

// birth is a version of a node.
type birth struct {
	ref
	node   *tree.Node
	body   []byte // nil where there is no content
	parent int64
	named  bool
}

// planCreation is the plan of a new context and of the changes made with it.
func (s *Store) planCreation(ctx context.Context, g store.Genesis) (*plan, error) {
	cycle := g.Tree.Cycle()
	p := &plan{writerState: writerState{revision: 1, latest: cycle, next: 1, refs: make(map[string]ref, g.Tree.Len())}, ctx: ctx, store: s}
	var first step
	for e, parent := range g.Tree.All() {
		above, err := p.parent(g.Tree, e.Node(), parent)
		if err != nil {
			return nil, err
		}
		if err := p.addVersion(&first, e.Node(), p.number(cycle, e.Class()), above, true); err != nil {
			return nil, err
		}
	}
	first.next = p.next
	p.steps = []step{first}
	return p, p.changes(g.Changes)
}

// number gives the next nid, with room for what the head will be sealed into.
func (p *plan) number(cycle int64, c tree.Class) ref {
	r := ref{nid: p.next, birth: cycle}
	p.next++
	if c == tree.Head {
		p.next += 2
	}
	return r
}

// ref finds the live version of a node.
func (p *plan) ref(id string) (ref, error) {
	if r, ok := p.refs[id]; ok {
		return r, nil
	}
	r, err := p.births.ref(p.ctx, p.store, p.line, id)
	if err != nil {
		return r, err
	}
	if r == (ref{}) {
		return r, fault.OnNode(fault.Store, id, "the store does not hold this node", "read the context again and repeat the edits")
	}
	p.refs[id] = r
	return r, nil
}

// parent returns the nid under which a node of a tree is stored, 0 for the
// root: that of its parent or, below the active head, that of the turn or of
// the core that the parent will have become when it is sealed (02 §6.2).
func (p *plan) parent(t *tree.Tree, n *tree.Node, parent string) (int64, error) {
	if parent == "" {
		return 0, nil
	}
	r, err := p.ref(parent)
	if err != nil {
		return 0, err
	}
	head := t.Region(tree.Head)
	switch {
	case head == nil || head.Node().ID != parent:
		return r.nid, nil
	case n.Offset == 0 && head.Core() == nil && t.Entry(n.ID).Class() != tree.Container:
		return r.nid + 2, nil
	}
	return r.nid + 1, nil
}

// addVersion plans the row of a version.
func (p *plan) addVersion(s *step, n *tree.Node, r ref, parent int64, named bool) error {
	b := birth{ref: r, node: n, parent: parent, named: named || tree.GeneratedCycle(n.ID) != r.birth}
	if n.Content.Size() > 0 {
		v, err := n.Content.Value(p.ctx)
		if err != nil {
			return err
		}
		b.body = []byte(v)
	}
	s.births = append(s.births, b)
	p.refs[n.ID] = r
	p.births.set(n.ID, r)
	return nil
}

func (p *plan) changes(list []store.Change) error {
	for _, c := range list {
		if err := p.change(c); err != nil {
			return err
		}
	}
	return nil
}

// change plans one change. Cost: what the trees do not share (tree.Compare),
// and a look-up for each earlier node that is concerned.
func (p *plan) change(c store.Change) error {
	next := c.After
	if c.Sealed != nil {
		next = c.Sealed
	}
	w := &changePlan{plan: p, change: c, after: next, cycle: p.latest + 1, differing: make(map[string]bool)}
	if c.Sealed != nil && c.Sealed.Cycle() != w.cycle {
		return fault.New(fault.Store, "a commit publishes the cycle after the latest", "")
	}
	var err error
	tree.Compare(c.Before, next, func(d tree.Difference) bool {
		err = w.addDifference(d)
		return err == nil
	})
	if err == nil {
		err = w.reparentCore()
	}
	if err != nil {
		return err
	}
	for _, id := range w.removedIDs {
		delete(p.refs, id)
		p.births.forget(id)
	}
	w.step.next = p.next
	p.steps = append(p.steps, w.step)
	p.revision++
	if c.Sealed != nil {
		p.latest = w.cycle
	}
	return nil
}

// nextWriterState returns what is worth keeping for the next writer: all that is known
// or, after a commit, what the next cycle surely needs.
func (p *plan) nextWriterState(working *tree.Tree, committed bool) *writerState {
	r := p.writerState
	r.births = p.births.carried()
	if committed {
		r.refs = make(map[string]ref, 8)
		p.carryRef(&r, working.Root().Node().ID)
		for e := range working.Root().Children().All() {
			p.carryRef(&r, e.Node().ID)
		}
	}
	return &r
}

func (p *plan) carryRef(r *writerState, id string) {
	if known, ok := p.refs[id]; ok {
		r.refs[id] = known
	}
}

// reasons reads why a commit removed nodes out of its report.
func reasons(report json.RawMessage) map[string]string {
	var r lifecycle.Report
	if len(report) == 0 || json.Unmarshal(report, &r) != nil {
		return nil // what is no report gives no reasons
	}
	why := make(map[string]string, len(r.Removed))
	for _, removal := range r.Removed {
		why[removal.ID] = string(removal.Reason)
	}
	return why
}
