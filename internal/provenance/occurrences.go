package provenance

import (
	"cmp"
	"context"
	"iter"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
)

// Occurrences returns the contents for which match is true in the snapshots of the cycles first..last and,
// with working, in the working state, which comes after the last of all snapshots. They have the order in
// which they came. There are no cycles if first is greater than last.
//
// Cost: the nodes of the first snapshot, what differs from each to the next, and one call of match for each
// of these contents.
func (s *Source) Occurrences(ctx context.Context, first, last int64, working bool,
	match func(cycle int64, content string) bool) (_ []inspect.Occurrence, err error) {
	o := occurrences{Source: s, match: match, last: last, current: make(map[string]int)}
	defer o.done()
	var before *tree.Tree
	if first <= last {
		if before, err = engine.Snapshot(ctx, s.Store, s.State.Key, first); err != nil {
			return nil, err
		}
		if err = o.searchAll(ctx, before); err != nil {
			return nil, err
		}
		for d, err := range s.Store.Deltas(ctx, s.State.Key, first, last) {
			if err == nil {
				err = cmp.Or(ctx.Err(), o.searchDelta(ctx, d))
			}
			if err != nil {
				return nil, err
			}
		}
	}
	for _, at := range o.current {
		o.list[at].Last = last
	}
	if !working {
		return o.list, ctx.Err()
	}
	known := len(o.list)
	if before == nil {
		err = o.searchAll(ctx, s.State.Working)
	} else {
		err = o.searchWorking(ctx)
	}
	for i := known; i < len(o.list); i++ {
		found := &o.list[i]
		if found.Working = true; before != nil {
			continue
		}
		n, err := o.State.Head.Node(found.ID)
		if err != nil {
			return nil, err
		}
		found.Sealed = n != nil && n.ContentHash() == o.hashes[i]
	}
	return o.list, cmp.Or(err, ctx.Err())
}

// occurrences collects contents, from the oldest snapshot to the newest.
type occurrences struct {
	*Source
	match   func(cycle int64, content string) bool
	last    int64
	list    []inspect.Occurrence
	hashes  []string       // of the contents in the list
	current map[string]int // where in the list the content is that a node has

	next func() (*tree.Tree, error, bool) // the snapshots that tell in which region a node is
	stop func()
	at   *tree.Tree
}

func (o *occurrences) done() {
	if o.stop != nil {
		o.stop()
	}
}

// searchAll searches all nodes of a state.
func (o *occurrences) searchAll(ctx context.Context, t *tree.Tree) error {
	for e, err := range t.All() {
		if err == nil {
			err = o.searchNode(ctx, t, e.Node())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// searchDelta searches what a snapshot has other than the one before it.
func (o *occurrences) searchDelta(ctx context.Context, d engine.Delta) error {
	for _, id := range d.Gone {
		o.endOccurrence(id, d.Cycle-1)
	}
	for _, v := range d.Born {
		if o.keeps(v.ID(), d.Cycle-1, v.Node) {
			continue
		}
		text, err := v.Text(ctx)
		if err != nil {
			return err
		}
		if text == "" || !o.match(d.Cycle, string(text)) {
			continue
		}
		n := v.Node()
		if _, err := n.Content.Value(ctx); err != nil { // what was found is compared with its hash
			return err
		}
		t, err := o.treeFor(ctx, n, d.Cycle)
		if err != nil {
			return err
		}
		if err := o.add(t, n, d.Cycle); err != nil {
			return err
		}
	}
	return nil
}

// searchWorking searches what the working state has other than the latest snapshot.
func (o *occurrences) searchWorking(ctx context.Context) error {
	t := o.State.Working
	_, born, err := o.State.Head.Delta(t)
	if err != nil {
		return err
	}
	for _, b := range born {
		if o.keeps(b.Node.ID, o.last, func() *tree.Node { return b.Node }) {
			continue
		}
		if err := o.searchNode(ctx, t, b.Node); err != nil {
			return err
		}
	}
	return nil
}

// searchNode searches the content that a node has in a state.
func (o *occurrences) searchNode(ctx context.Context, t *tree.Tree, n *tree.Node) error {
	text, err := n.Content.Value(ctx)
	if err != nil || text == "" || !o.match(t.Cycle(), string(text)) {
		return err
	}
	return o.add(t, n, t.Cycle())
}

// keeps reports whether a node has the content still that was found in it. Else that content was last there
// in the given cycle.
func (o *occurrences) keeps(id string, last int64, now func() *tree.Node) bool {
	at, here := o.current[id]
	if here && o.hashes[at] == now().ContentHash() {
		return true
	}
	o.endOccurrence(id, last)
	return false
}

func (o *occurrences) endOccurrence(id string, last int64) {
	if at, here := o.current[id]; here {
		o.list[at].Last = last
		delete(o.current, id)
	}
}

// treeFor returns the snapshot of a cycle, nil if the role of a node does not depend on its region.
func (o *occurrences) treeFor(ctx context.Context, n *tree.Node, cycle int64) (*tree.Tree, error) {
	if n.Header("role") != "" {
		return nil, nil
	}
	if o.next == nil {
		o.next, o.stop = iter.Pull2(o.Store.History(ctx, o.State.Key, cycle, o.last))
	}
	for o.at == nil || o.at.Cycle() < cycle {
		t, err, more := o.next()
		if err != nil || !more {
			return nil, err
		}
		o.at = t
	}
	return o.at, nil
}

// add adds the content that a node has from a cycle on. The state may be nil if its role does not depend on it.
func (o *occurrences) add(t *tree.Tree, n *tree.Node, cycle int64) error {
	region := tree.Seq
	if t != nil {
		path, err := t.Path(n.ID)
		if err != nil {
			return err
		}
		if len(path) > 1 {
			region = path[1].Class()
		}
	}
	o.current[n.ID] = len(o.list)
	o.hashes = append(o.hashes, n.ContentHash())
	o.list = append(o.list, inspect.Occurrence{ID: n.ID, Role: n.Role, Shown: n.RoleIn(region), Kind: n.Kind,
		Erased: n.Erased(), First: cycle, Last: cycle})
	return nil
}
