package commit

import "github.com/contexttree/pact/internal/tree"

// bundles divides nodes outside protected turns into bundles (union-find): nodes that may have to go together are in one.
// A bundle may also hold more than that.
type bundles struct {
	*pruner
	limits []*limit // that are to be helped
	nodes  []bundled
	far    []reference // those between nodes that do not stand close together
	todo   []int32     // of mark
}

// bundled is a node, and the bundle that it is in.
type bundled struct {
	*tree.Node
	leader   int32 // another member of the bundle; its own index for the one that stands for the bundle
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
	b := &bundles{pruner: p, limits: limits, nodes: make([]bundled, 0, n)}
	for path, err := range items {
		if err == nil {
			err = b.addItem(path)
		}
		if err != nil {
			return nil, err
		}
	}
	b.uniteFar()
	for i := range b.nodes {
		if b.nodes[i].counts {
			b.mark(int32(i))
		}
	}
	is := func(i int) bool {
		m := &b.nodes[i]
		return m.prunable && (sys || m.region != tree.Sys) && b.nodes[b.find(int32(i))].helps
	}
	helping := 0
	for i := range b.nodes {
		if is(i) {
			helping++
		}
	}
	list := make(queue, 0, helping)
	for i := range b.nodes {
		if is(i) {
			c, err := p.candidate(b.nodes[i].Node, b.nodes[i].region)
			if err != nil {
				return nil, err
			}
			list = append(list, c)
		}
	}
	return list, nil
}

// addItem adds the item at the end of path with everything below it, and follows the references between its nodes.
func (b *bundles) addItem(path []*tree.Entry) error {
	first := int32(len(b.nodes))
	if err := b.add(path, first, first); err != nil {
		return err
	}
	for i := first; i < int32(len(b.nodes)); i++ {
		for _, to := range b.nodes[i].Refs {
			k, last := max(first, i-near), min(int32(len(b.nodes)), i+near)
			for k < last && b.nodes[k].ID != to {
				k++
			}
			if k < last {
				b.union(i, k)
			} else {
				b.far = append(b.far, reference{i, to})
			}
		}
	}
	return nil
}

// add adds the node at the end of path and everything below it. A node that can only go with its turn gets into the bundle
// of the turn.
func (b *bundles) add(path []*tree.Entry, parent, turn int32) error {
	e, i, region := path[len(path)-1], int32(len(b.nodes)), path[1].Class()
	counts, err := b.mayCount(e, region)
	if err != nil {
		return err
	}
	m := bundled{Node: e.Node(), leader: i, next: i, parent: parent, region: region, prunable: prunable(path), counts: counts}
	b.nodes = append(b.nodes, m)
	if !m.prunable && enclosingTurn(path) != "" && !mayCascade(path) {
		b.union(i, turn)
	}
	for k, err := range e.Children().All() {
		if err == nil {
			err = b.add(append(path, k), i, turn)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// uniteFar follows the references to nodes that do not stand near.
func (b *bundles) uniteFar() {
	if len(b.far) == 0 {
		return
	}
	index := make(map[string]int32, len(b.far)) // -1 for a node elsewhere
	for _, r := range b.far {
		index[r.to] = -1
	}
	for i := range b.nodes {
		if _, is := index[b.nodes[i].ID]; is {
			index[b.nodes[i].ID] = int32(i)
		}
	}
	for _, r := range b.far {
		if k := index[r.to]; k >= 0 {
			b.union(r.from, k)
		}
	}
}

// mayCount reports whether an entry without its children counts for a limit, or a stub that is left for it may.
func (b *bundles) mayCount(e *tree.Entry, region tree.Class) (bool, error) {
	for _, l := range b.limits {
		stub := b.in.Policy.Stub != "" && l.unit != turns && l.kind+l.tag == "" // on kind stub none is left over a limit
		if stub && l.within(region) {
			return true, nil
		}
		if n, err := b.weight(l, e, region); n > 0 || err != nil {
			return true, err
		}
	}
	return false, nil
}

// mark notes that the bundle of a node helps, and so do the bundles of what the members go with.
func (b *bundles) mark(i int32) {
	for b.todo = append(b.todo, i); len(b.todo) > 0; {
		first := b.find(b.todo[len(b.todo)-1])
		b.todo = b.todo[:len(b.todo)-1]
		for k := first; !b.nodes[first].helps || k != first; k = b.nodes[k].next {
			b.nodes[first].helps = true
			b.todo = append(b.todo, b.nodes[k].parent)
		}
	}
}

// find returns the index of the member that stands for the bundle of a node.
func (b *bundles) find(i int32) int32 {
	for b.nodes[i].leader != i {
		b.nodes[i].leader = b.nodes[b.nodes[i].leader].leader
		i = b.nodes[i].leader
	}
	return i
}

// union makes one bundle of the bundles of two nodes.
func (b *bundles) union(i, k int32) {
	if one, other := b.find(i), b.find(k); one != other {
		b.nodes[one].leader = other
		b.nodes[one].next, b.nodes[other].next = b.nodes[other].next, b.nodes[one].next
	}
}
