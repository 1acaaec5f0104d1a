package tree

import (
	"sort"
	"strconv"

	"github.com/contexttree/pact/fault"
)

// Placed is a node and where it hangs: the index of its parent in the same
// slice, -1 for the root. Parents come before their children.
type Placed struct {
	Node   *Node // made by [NewNode]
	Parent int   // index, or -1
}

// Build makes a tree of nodes whose placement was checked before, such as the
// rows of a store. Siblings may come in any order. It refuses duplicate ids
// with E_NODE_DUPLICATE, and trees over the limits with E_LIMIT. Cost: O(n log n).
func Build(cycle int64, nodes []Placed) (*Tree, error) {
	if len(nodes) > MaxNodes {
		return nil, fault.New(fault.Limit, "a tree holds at most "+strconv.Itoa(MaxNodes)+" nodes", "split the document")
	}
	kids := make([][]int, len(nodes))
	depth := make([]int, len(nodes))
	var c change
	owner := new(trieOwner)
	for i, p := range nodes {
		parent := ""
		if p.Parent >= 0 {
			kids[p.Parent] = append(kids[p.Parent], i)
			depth[i] = depth[p.Parent] + 1
			parent = nodes[p.Parent].Node.ID
		}
		if depth[i] >= MaxDepth {
			return nil, fault.OnNode(fault.Limit, p.Node.ID, "nodes are nested more than "+strconv.Itoa(MaxDepth)+" levels deep",
				"flatten the groups")
		}
		size := c.ids.size
		c.ids = c.ids.with(p.Node.ID, place{p.Node, parent}, owner)
		if c.ids.size == size {
			return nil, duplicate(p.Node.ID)
		}
		for _, to := range p.Node.Refs {
			set, _ := c.refs.get(to)
			c.refs = c.refs.with(to, set.with(p.Node.ID, struct{}{}, nil), owner)
		}
	}
	classes := make([]Class, len(nodes))
	for i, p := range nodes {
		if p.Parent >= 0 { // the first is the root, whatever its type says
			classes[i] = ClassOf(p.Node.Type, classes[p.Parent], len(kids[i]) > 0)
		}
	}
	entries := make([]*Entry, len(nodes))
	for i := len(nodes) - 1; i >= 0; i-- {
		list := make([]*Entry, len(kids[i]))
		for k, child := range kids[i] {
			list[k] = entries[child]
		}
		sort.Slice(list, func(a, b int) bool { return before(list[a], list[b]) })
		entries[i] = newEntry(nodes[i].Node, classes[i], listOf(list))
	}
	c.root, c.cycle = entries[0], cycle
	t := c.Tree
	return &t, nil
}

func duplicate(id string) error {
	return fault.OnNode(fault.NodeDuplicate, id, "an id belongs to one node for the whole history of a context",
		"choose another id or leave it out")
}
