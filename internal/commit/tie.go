package commit

import (
	"container/heap"
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// ties divides the nodes outside protected turns into sets (union-find): nodes that may have to go together are in one
// set. A set may also hold more than that.
type ties struct {
	*pruner
	limits []*limit // that are to be helped
	nodes  []tied
	index  map[string]int // of the ids that nodes refer to, into nodes; -1 for a node elsewhere
}

// tied is a node, and the set that it is in.
type tied struct {
	*tree.Node
	leader int  // another member of the set; its own index for the one that stands for the set
	next   int  // the next member, in a ring
	parent int  // what can only go with it, or takes it along; its own index if that is nothing
	counts bool // whether it counts for a limit, or a stub in its place may
	helps  bool // whether to remove a member may help; of the one that stands for the set
}

// mayHelp returns those of a queue that may help a limit: those that count, and those that may have to go together with a
// node that counts. Without it a limit that cannot be met would have every candidate tried. Cost: O(n) in the nodes outside
// protected turns.
func (p *pruner) mayHelp(left queue, limits []*limit) (queue, error) {
	n := p.tree.Root().Summary().Nodes
	t := &ties{pruner: p, limits: limits, nodes: make([]tied, 0, n), index: make(map[string]int)}
	for path, err := range p.unprotected() {
		if err == nil {
			err = t.add(path, len(t.nodes), len(t.nodes))
		}
		if err != nil {
			return nil, err
		}
	}
	for i := range t.nodes {
		if _, is := t.index[t.nodes[i].ID]; is {
			t.index[t.nodes[i].ID] = i
		}
	}
	for i := range t.nodes {
		for _, to := range t.nodes[i].Refs {
			if k := t.index[to]; k >= 0 {
				t.union(i, k)
			}
		}
	}
	helpful := make(map[string]bool)
	for i := range t.nodes {
		if t.nodes[i].counts {
			t.mark(i)
		}
	}
	for i := range t.nodes {
		if t.nodes[t.find(i)].helps {
			helpful[t.nodes[i].ID] = true
		}
	}
	left = slices.DeleteFunc(left, func(c candidate) bool { return !helpful[c.id] })
	heap.Init(&left)
	return left, nil
}

// add adds the node at the end of path and everything below it. A node that can only go with its turn gets into the set
// of the turn.
func (t *ties) add(path []*tree.Entry, parent, turn int) error {
	e, i := path[len(path)-1], len(t.nodes)
	counts, err := t.mayCount(e, path[1].Class())
	if err != nil {
		return err
	}
	t.nodes = append(t.nodes, tied{Node: e.Node(), leader: i, next: i, parent: parent, counts: counts})
	for _, to := range e.Node().Refs {
		t.index[to] = -1
	}
	if enclosingTurn(path) != "" && !mayCascade(path) && !prunable(path) {
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

// mayCount reports whether an entry without its children counts for a limit, or a stub that is left for it may.
func (t *ties) mayCount(e *tree.Entry, region tree.Class) (bool, error) {
	for _, l := range t.limits {
		stub := t.in.Policy.Stub != "" && l.unit != turns && l.tag == "" && (l.kind == "" || l.kind == lifecycle.StubKind)
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
func (t *ties) mark(i int) {
	for todo := []int{i}; len(todo) > 0; {
		first := t.find(todo[len(todo)-1])
		todo = todo[:len(todo)-1]
		for k := first; !t.nodes[first].helps || k != first; k = t.nodes[k].next {
			t.nodes[first].helps = true
			todo = append(todo, t.nodes[k].parent)
		}
	}
}

// find returns the index of the member that stands for the set of a node.
func (t *ties) find(i int) int {
	for t.nodes[i].leader != i {
		t.nodes[i].leader = t.nodes[t.nodes[i].leader].leader
		i = t.nodes[i].leader
	}
	return i
}

// union makes one set of the sets of two nodes.
func (t *ties) union(i, k int) {
	if a, b := t.find(i), t.find(k); a != b {
		t.nodes[a].leader = b
		t.nodes[a].next, t.nodes[b].next = t.nodes[b].next, t.nodes[a].next
	}
}
