package commit

import "github.com/contexttree/pact/internal/tree"

// ties divides nodes outside protected turns into sets (union-find): nodes that may have to go together are in one set. A
// set may also hold more than that.
type ties struct {
	*pruner
	limits []*limit // that are to be helped
	nodes  []tied
	far    []reference // those between nodes that do not stand close together
	todo   []int32     // of mark
}

// tied is a node, and the set that it is in.
type tied struct {
	*tree.Node
	leader   int32 // another member of the set; its own index for the one that stands for the set
	next     int32 // the next member, in a ring
	parent   int32 // what can only go with it, or takes it along; its own index if that is nothing
	region   tree.Class
	prunable bool // whether it is a candidate
	counts   bool // whether it counts for a limit, or a stub in its place may
	helps    bool // whether to remove a member may help; of the one that stands for the set
}

// reference is what the node at an index refers to.
type reference struct {
	from int32
	to   string
}

// near is how many nodes before and behind a node are searched for what it refers to; a map of all ids takes the rest.
const near = 16

// helpers returns the candidates that may help a limit: those that count, and those that may have to go together with a
// node that counts. Without it a limit that cannot be met would have every candidate tried. Cost: O(n) in the nodes of
// the items that may help (see itemsFor).
func (p *pruner) helpers(limits []*limit, sys bool) (queue, error) {
	items, n, err := p.itemsFor(limits)
	if err != nil {
		return nil, err
	}
	t := &ties{pruner: p, limits: limits, nodes: make([]tied, 0, n)}
	for path, err := range items {
		if err == nil {
			err = t.addItem(path)
		}
		if err != nil {
			return nil, err
		}
	}
	t.uniteFar()
	for i := range t.nodes {
		if t.nodes[i].counts {
			t.mark(int32(i))
		}
	}
	is := func(i int) bool {
		m := &t.nodes[i]
		return m.prunable && (sys || m.region != tree.Sys) && t.nodes[t.find(int32(i))].helps
	}
	helping := 0
	for i := range t.nodes {
		if is(i) {
			helping++
		}
	}
	list := make(queue, 0, helping)
	for i := range t.nodes {
		if is(i) {
			c, err := p.candidate(t.nodes[i].Node, t.nodes[i].region)
			if err != nil {
				return nil, err
			}
			list = append(list, c)
		}
	}
	return list, nil
}

// addItem adds the item at the end of path with everything below it, and follows the references between its nodes.
func (t *ties) addItem(path []*tree.Entry) error {
	first := int32(len(t.nodes))
	if err := t.add(path, first, first); err != nil {
		return err
	}
	for i := first; i < int32(len(t.nodes)); i++ {
		for _, to := range t.nodes[i].Refs {
			k, last := max(first, i-near), min(int32(len(t.nodes)), i+near)
			for k < last && t.nodes[k].ID != to {
				k++
			}
			if k < last {
				t.union(i, k)
			} else {
				t.far = append(t.far, reference{i, to})
			}
		}
	}
	return nil
}

// add adds the node at the end of path and everything below it. A node that can only go with its turn gets into the set
// of the turn.
func (t *ties) add(path []*tree.Entry, parent, turn int32) error {
	e, i, region := path[len(path)-1], int32(len(t.nodes)), path[1].Class()
	counts, err := t.mayCount(e, region)
	if err != nil {
		return err
	}
	m := tied{Node: e.Node(), leader: i, next: i, parent: parent, region: region, prunable: prunable(path), counts: counts}
	t.nodes = append(t.nodes, m)
	if !m.prunable && enclosingTurn(path) != "" && !mayCascade(path) {
		t.union(i, turn)
	}
	for k, err := range e.Children().All() {
		if err == nil {
			err = t.add(append(path, k), i, turn)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// uniteFar follows the references to nodes that do not stand near.
func (t *ties) uniteFar() {
	if len(t.far) == 0 {
		return
	}
	index := make(map[string]int32, len(t.far)) // -1 for a node elsewhere
	for _, r := range t.far {
		index[r.to] = -1
	}
	for i := range t.nodes {
		if _, is := index[t.nodes[i].ID]; is {
			index[t.nodes[i].ID] = int32(i)
		}
	}
	for _, r := range t.far {
		if k := index[r.to]; k >= 0 {
			t.union(r.from, k)
		}
	}
}

// mayCount reports whether an entry without its children counts for a limit, or a stub that is left for it may.
func (t *ties) mayCount(e *tree.Entry, region tree.Class) (bool, error) {
	for _, l := range t.limits {
		stub := t.in.Policy.Stub != "" && l.unit != turns && l.kind+l.tag == "" // on kind stub none is left over a limit
		if stub && l.within(region) {
			return true, nil
		}
		if n, err := t.weight(l, e, region); n > 0 || err != nil {
			return true, err
		}
	}
	return false, nil
}

// mark notes that the set of a node helps, and so do the sets of what the members go with.
func (t *ties) mark(i int32) {
	for t.todo = append(t.todo, i); len(t.todo) > 0; {
		first := t.find(t.todo[len(t.todo)-1])
		t.todo = t.todo[:len(t.todo)-1]
		for k := first; !t.nodes[first].helps || k != first; k = t.nodes[k].next {
			t.nodes[first].helps = true
			t.todo = append(t.todo, t.nodes[k].parent)
		}
	}
}

// find returns the index of the member that stands for the set of a node.
func (t *ties) find(i int32) int32 {
	for t.nodes[i].leader != i {
		t.nodes[i].leader = t.nodes[t.nodes[i].leader].leader
		i = t.nodes[i].leader
	}
	return i
}

// union makes one set of the sets of two nodes.
func (t *ties) union(i, k int32) {
	if a, b := t.find(i), t.find(k); a != b {
		t.nodes[a].leader = b
		t.nodes[a].next, t.nodes[b].next = t.nodes[b].next, t.nodes[a].next
	}
}
