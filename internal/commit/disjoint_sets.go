package commit

import (
	"github.com/contexttree/pact/internal/tree"
)

// disjointSets divides the nodes of one item into sets (union-find): nodes that may have
// to go together are in one set. A set may also hold more than that.
type disjointSets struct {
	limit  *limit
	scale  *weigher
	region tree.Class
	nodes  []setMember
	index  map[string]int // by id, into nodes
}

// setMember is a node, and the set that it is in.
type setMember struct {
	*tree.Entry
	parent   int  // the index of its parent in the tree, its own for the item
	leader   int  // the index of another member of the set, its own for the one that stands for the set
	prunable bool // whether it is a candidate
	counts   bool // whether a node at or below it counts for the limit
	helps    bool // whether a member of the set counts; kept at the member that stands for the set
}

// add adds the node at the end of path and everything below it. A node that can only go
// with the item gets into the item's set, a removable group into one with its children.
func (t *disjointSets) add(path []*tree.Entry, parent int) error {
	e, i := path[len(path)-1], len(t.nodes)
	weight, err := t.scale.weight(t.limit, e, t.region)
	if err != nil {
		return err
	}
	t.index[e.Node().ID] = i
	t.nodes = append(t.nodes, setMember{Entry: e, parent: parent, leader: i, prunable: prunable(path), counts: weight > 0})
	group := mayCascade(path)
	if !t.nodes[i].prunable && !group {
		t.union(i, 0)
	}
	for k, err := range e.Children().All() {
		if err != nil {
			return err
		}
		below := len(t.nodes)
		if err := t.add(append(path, k), i); err != nil {
			return err
		}
		if group {
			t.union(below, i)
		}
	}
	return nil
}

// find returns the index of the member that stands for the set of a node.
func (t *disjointSets) find(i int) int {
	for t.nodes[i].leader != i {
		t.nodes[i].leader = t.nodes[t.nodes[i].leader].leader
		i = t.nodes[i].leader
	}
	return i
}

// union makes one set of the sets of two nodes.
func (t *disjointSets) union(i, k int) { t.nodes[t.find(i)].leader = t.find(k) }
