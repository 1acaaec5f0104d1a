package sqlstore

import (
	"context"
	"encoding/json"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// The reasons of deaths, besides those of package lifecycle.
const (
	edited = "edit"
	sealed = "seal"
)

// plan holds the rows that changes write. The writer makes it before the transaction takes the
// lock, from the state that the guard names; if another writer was faster, the guard fails and
// nobody writes the plan.
type plan struct {
	writerState
	ctx      context.Context
	store    *Store
	line     lineage // nil for a new context, which has no rows yet
	steps    []step
	settling *settling // for a new context with many snapshots, else nil
}

// step holds the rows that one change writes and deletes.
type step struct {
	drops  []ref // drafts to delete, because they are removed or replaced
	deaths []death
	births []birth
	next   int64 // the next free nid after the change
}

// death is a row that ends a node: no snapshot from its cycle birth on has the node.
type death struct {
	ref    // its birth is the first cycle without the node
	reason string
	proof  int64 // of the row, once it is written
}

// birth is a row with a version of a node.
type birth struct {
	ref
	node   *tree.Node
	body   []byte // nil if there is no content
	parent int64
	named  bool

	content, proof int64 // number of the content and proof of the row, once they are written
}

// planCreation plans a new context and the changes made with it.
func (s *Store) planCreation(ctx context.Context, g store.Creation) (*plan, error) {
	cycle := g.Tree.Cycle()
	p := &plan{writerState: writerState{revision: 1, latest: cycle, next: 1, refs: make(map[string]ref, g.Tree.Len())},
		ctx: ctx, store: s, settling: s.settlingOf(g)}
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
	p.settling.take(&first, cycle, true)
	p.steps = []step{first}
	err := p.changes(g.Changes)
	p.settling.close()
	return p, err
}

// number takes the next nid. For an active head it reserves two more: for the
// turn that the head becomes when it is sealed, and for the core of that turn.
func (p *plan) number(cycle int64, c tree.Class) ref {
	r := ref{nid: p.next, birth: cycle}
	p.next++
	if c == tree.Head {
		p.next += 2
	}
	return r
}

// ref returns where the live version of a node is stored.
func (p *plan) ref(id string) (ref, error) {
	if r, ok := p.refs[id]; ok {
		return r, nil
	}
	r, err := p.births.ref(p.ctx, p.store, p.line, id)
	if err != nil {
		return r, err
	}
	if r == (ref{}) {
		return r, fault.OnNode(fault.Store, id, "the store does not hold this node",
			"read the context again and repeat the edits")
	}
	p.refs[id] = r
	return r, nil
}

// parent returns the nid that the row of a node names as its parent, 0 for the root. Below the
// active head that is the nid reserved for the turn that the head becomes, or for the core of
// that turn (02 §6.2); elsewhere it is the nid of the parent.
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
	if s.births == nil {
		s.births = make([]birth, 0, 8) // enough for a turn
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

// change plans one change. Cost: what the trees do not share (tree.Compare), and a look-up for
// each earlier node that the change touches.
func (p *plan) change(c store.Change) error {
	next := c.After
	if c.Sealed != nil {
		next = c.Sealed
	}
	w := &changePlan{plan: p, change: c, after: next, cycle: p.latest + 1, differing: make(map[string]bool)}
	if c.Sealed != nil && c.Sealed.Cycle() != w.cycle {
		return fault.New(fault.Store, "the commit does not publish the cycle after the latest", "")
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
	p.settling.take(&w.step, w.cycle, c.Sealed != nil)
	p.steps = append(p.steps, w.step)
	p.revision++
	if c.Sealed != nil {
		p.latest = w.cycle
	}
	return nil
}

// nextWriterState returns what the next writer of the context can use: everything that this
// writer learned or, after a commit, the refs that every cycle needs.
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

// reasons reads from the report of a commit why it removed nodes, by id.
func reasons(report json.RawMessage) map[string]string {
	if len(report) == 0 {
		return nil
	}
	var r lifecycle.Report
	if json.Unmarshal(report, &r) != nil {
		return nil // a report that cannot be read gives no reasons
	}
	why := make(map[string]string, len(r.Removed))
	for _, removal := range r.Removed {
		why[removal.ID] = string(removal.Reason)
	}
	return why
}
