package sqlstore

import (
	"slices"

	"github.com/contexttree/pact/tree"
)

// replay builds the trees of a context from its rows, cycle after cycle.
type replay struct {
	*scanner
	tree     *tree.Tree
	ids      map[int64]string // of every nid seen so far
	head     int64            // nid of the active head
	unsealed []row            // the nodes under the head until it is sealed

	base   *opened           // the directory that the tree began from, nil for none; it has nids that ids lacks
	stored map[string]stored // where the nodes from rows are, by id; nil if nobody asks

	journaling bool // record changes of ids, so that rollBack can undo them
	journal    []idChange
}

// idChange is the previous entry of replay.ids for a nid.
type idChange struct {
	nid   int64
	id    string
	there bool
}

// checkpoint is a state of a replay that rollBack can return to.
type checkpoint struct {
	tree     *tree.Tree
	head     int64
	unsealed []row
	journal  int
}

// checkpoint returns the current state of the replay, so that rollBack can return to it after a
// fork. The replay must be journaling.
func (r *replay) checkpoint() checkpoint {
	return checkpoint{r.tree, r.head, slices.Clone(r.unsealed), len(r.journal)}
}

// rollBack returns the replay to a checkpoint. Cost: the rows replayed since.
func (r *replay) rollBack(m checkpoint) {
	for _, n := range slices.Backward(r.journal[m.journal:]) {
		if n.there {
			r.ids[n.nid] = n.id
		} else {
			delete(r.ids, n.nid)
		}
	}
	r.tree, r.head, r.unsealed, r.journal = m.tree, m.head, m.unsealed, r.journal[:m.journal]
}

// build makes the tree of a cycle from its live rows, around runs of turns that are not loaded,
// in which u finds nodes. Cost: O(n log n) for n rows.
func (r *replay) build(cycle int64, live []row, runs []tree.Between, u *tree.Unloaded) error {
	at := make(map[int64]int, len(live)) // nid -> index in placed
	placed := make([]tree.Placed, 0, len(live))
	loose := false // a node has no parent in the tree
	err := r.inOrder(live, func(v *row, parent int64) {
		p := tree.Placed{Node: v.node, Parent: -1}
		if v.Parent != 0 {
			above, placed := at[parent]
			p.Parent, loose = above, loose || !placed
		}
		loose = loose || (v.Parent == 0) != (len(placed) == 0)
		at[v.NID] = len(placed)
		placed = append(placed, p)
	})
	if err != nil {
		return err
	}
	if loose {
		return damageError("the nodes of a snapshot do not form a tree")
	}
	if len(placed) == 0 {
		return damageError("a snapshot has no nodes")
	}
	if r.tree, err = tree.BuildAround(cycle, placed, runs, u); err != nil {
		return damageError("the nodes of a snapshot do not form a tree") // a duplicate id, or too deep
	}
	return nil
}

// idOf returns the id of a nid seen so far, "" for any other.
func (r *replay) idOf(nid int64) string {
	id, known := r.ids[nid]
	if !known && r.base != nil {
		id = r.base.idOf(nid)
	}
	return id
}

// register completes rows, records their ids and finds the active head among them.
func (r *replay) register(rows []row) error {
	if err := r.complete(rows); err != nil {
		return err
	}
	for i := range rows {
		v := &rows[i]
		if v.Dead() {
			continue
		}
		if r.journaling {
			before, there := r.ids[v.NID]
			r.journal = append(r.journal, idChange{v.NID, before, there})
		}
		r.ids[v.NID] = v.ID
		if r.stored != nil {
			r.stored[v.ID] = stored{v.NID, v.Birth, v.Parent}
		}
		if class, named := tree.ClassOfType(v.Type); named && class == tree.Head && v.NID != r.head {
			r.head, r.unsealed = v.NID, nil
		}
	}
	return nil
}

// inOrder calls place for every version with the nid of its parent in the tree,
// parents before children. Nodes that are stored below the turn that the head
// will become, or below the core of that turn, are placed in the head until it is
// sealed (02 §6.2).
func (r *replay) inOrder(rows []row, place func(v *row, parent int64)) error {
	if err := r.register(rows); err != nil {
		return err
	}
	waiting := make(map[int64]*row, len(rows))
	for i := range rows {
		if !rows[i].Dead() {
			waiting[rows[i].NID] = &rows[i]
		}
	}
	var visit func(v *row) error
	visit = func(v *row) error {
		delete(waiting, v.NID)
		parent := v.Parent
		if parent != 0 && r.idOf(parent) == "" {
			if parent != r.head+1 && parent != r.head+2 {
				return damageError("node " + v.ID + " has no parent")
			}
			parent = r.head
			r.unsealed = append(r.unsealed, *v)
		}
		if above := waiting[parent]; above != nil {
			if err := visit(above); err != nil {
				return err
			}
		}
		place(v, parent)
		return nil
	}
	for i := range rows {
		if waiting[rows[i].NID] == &rows[i] {
			if err := visit(&rows[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// step advances the replay to another cycle by the rows that were born in it.
// Cost: one path of the tree for each row.
func (r *replay) step(cycle int64, rows []row) error {
	here, fresh := make(map[int64]bool, len(rows)), make(map[int64]bool, len(rows))
	ended := make(map[string]bool) // ids of nodes that end here and may return as another node
	for i := range rows {
		nid := rows[i].NID
		id := r.idOf(nid)
		here[nid], fresh[nid] = true, id == ""
		if rows[i].Dead() && id != "" {
			ended[id] = true
		}
	}
	var left []row
	for _, v := range r.unsealed {
		if !here[v.NID] {
			left = append(left, v)
		}
	}
	r.unsealed = left
	head := r.head
	born := make([]tree.Born, 0, len(rows))
	there := make(map[string]bool, len(rows))
	place := func(v *row, parent int64) {
		born = append(born, tree.Born{Node: v.node, Parent: r.idOf(parent), New: fresh[v.NID] && !ended[v.ID]})
		there[v.ID] = true
	}
	if err := r.inOrder(rows, place); err != nil {
		return err
	}
	if r.head != head { // the head was sealed: its nodes move to the turn and its core
		if err := r.inOrder(left, place); err != nil {
			return err
		}
	}
	var gone []string
	for i := range rows {
		if !rows[i].Dead() {
			continue
		}
		if id := r.idOf(rows[i].NID); id != "" && !there[id] {
			gone = append(gone, id)
		}
	}
	if err := r.checkPatch(gone, born); err != nil {
		return err
	}
	r.tree = r.tree.Patch(cycle, gone, born)
	return nil
}

// checkPatch returns E_STORE if rows would leave the tree without its root or
// with a node that has no parent.
func (r *replay) checkPatch(gone []string, born []tree.Born) error {
	root := r.tree.Root().Node().ID
	parents := make(map[string]string, len(born))
	for _, b := range born {
		parents[b.Node.ID] = b.Parent
		if (b.Node.ID == root) != (b.Parent == "") || b.Parent != "" && !r.reachesRoot(b.Parent, root, parents) {
			return damageError("node " + b.Node.ID + " has no parent")
		}
	}
	if slices.Contains(gone, root) {
		return damageError("the root is gone")
	}
	return nil
}

// reachesRoot reports whether a node is the root or below it. parents overrides
// the parents in the tree.
func (r *replay) reachesRoot(id, root string, parents map[string]string) bool {
	for range tree.MaxDepth {
		if id == root {
			return true
		}
		above, moved := parents[id]
		if !moved {
			above = r.tree.Parent(id)
		}
		id = above
	}
	return false
}
