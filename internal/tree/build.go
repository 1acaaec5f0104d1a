package tree

import (
	"sort"
	"strconv"

	"github.com/contexttree/pact/fault"
)

// Placed is a node and the index of its parent in the same slice, -1 for the root.
// Parents come before their children.
type Placed struct {
	Node   *Node // made by [NewNode]
	Parent int   // index, or -1
}

// Between is a run of turns of ^seq that [LazyRun.List] made, and how many turns stand
// before it; turns in other such runs do not count.
type Between struct {
	Turns int
	Run   *List
}

// Build makes a tree of nodes whose placement was checked before, such as the
// rows of a store. Siblings may come in any order. It refuses duplicate ids
// with E_NODE_DUPLICATE, and trees over the limits with E_LIMIT. Cost: O(n log n).
func Build(cycle int64, nodes []Placed) (*Tree, error) { return BuildAround(cycle, nodes, nil, nil) }

// BuildAround is [Build] for a tree with stubs among its turns, in their order. u finds
// what is in them; it is nil if there are none. If the stubs stand for the runs that the
// tree would have with all nodes in memory, the result equals that tree. BuildAround does
// not check this: the caller compares the digest.
func BuildAround(cycle int64, nodes []Placed, runs []Between, u *Unloaded) (*Tree, error) {
	if len(nodes) > MaxNodes {
		return nil, fault.New(fault.Limit, "the tree has more than "+strconv.Itoa(MaxNodes)+" nodes", "split the document")
	}
	c := change{Tree: Tree{unloaded: u}}
	owner := new(trieOwner)
	for _, p := range nodes {
		parent := ""
		if p.Parent >= 0 {
			parent = nodes[p.Parent].Node.ID
		}
		size := c.ids.size
		c.ids = c.ids.with(p.Node.ID, location{node: p.Node, parent: parent}, owner)
		if c.ids.size == size {
			return nil, duplicate(p.Node.ID)
		}
		for _, to := range p.Node.Refs {
			set, _ := c.refs.get(to)
			c.refs = c.refs.with(to, set.with(p.Node.ID, true, nil), owner)
		}
	}
	top, err := entriesOf(nodes, Root, 0, runs)
	if err != nil {
		return nil, err
	}
	c.root, c.cycle = top[len(top)-1], cycle
	t := c.Tree
	return &t, nil
}

// BuildRun makes the run of ^seq that a stub loads. It consists of turns, which have no
// parent in nodes, of everything below them, and of the runs between them. It refuses
// nodes that are not turns. Cost: O(n log n).
func BuildRun(nodes []Placed, runs []Between) (*List, error) {
	turns, err := entriesOf(nodes, Turn, 2, nil)
	if err != nil {
		return nil, err
	}
	sort.Slice(turns, func(a, b int) bool { return entryLess(turns[a], turns[b]) })
	return listAround(turns, 0, runs), nil
}

// entriesOf makes the entries of nodes and returns those without a parent: the root or
// turns, as top says, at the depth level. runs stand among the children of ^seq.
func entriesOf(nodes []Placed, top Class, level int, runs []Between) (tops []*Entry, err error) {
	kids := make([][]int, len(nodes))
	depth := make([]int, len(nodes))
	for i, p := range nodes {
		depth[i] = level
		if p.Parent >= 0 {
			kids[p.Parent] = append(kids[p.Parent], i)
			depth[i] = depth[p.Parent] + 1
		}
		if depth[i] >= MaxDepth {
			return nil, fault.OnNode(fault.Limit, p.Node.ID, "nodes are nested more than "+strconv.Itoa(MaxDepth)+" levels deep",
				"flatten the groups")
		}
	}
	classes := make([]Class, len(nodes))
	for i, p := range nodes {
		switch {
		case p.Parent >= 0:
			classes[i] = ClassOf(p.Node.Type, classes[p.Parent], len(kids[i]) > 0)
		case top == Root: // whatever its type says
			classes[i] = Root
		default:
			if classes[i] = ClassOf(p.Node.Type, Seq, len(kids[i]) > 0); classes[i] != top {
				return nil, misplaced(p.Node.ID, "^seq can only hold turns", "put it into a turn")
			}
		}
	}
	entries := make([]*Entry, len(nodes))
	for i := len(nodes) - 1; i >= 0; i-- {
		list := make([]*Entry, len(kids[i]))
		for k, child := range kids[i] {
			list[k] = entries[child]
		}
		sort.Slice(list, func(a, b int) bool { return entryLess(list[a], list[b]) })
		var around []Between
		if classes[i] == Seq {
			around, runs = runs, nil
		}
		entries[i] = newEntry(nodes[i].Node, classes[i], listAround(list, 0, around))
		if nodes[i].Parent < 0 {
			tops = append(tops, entries[i])
		}
	}
	return tops, nil
}

func duplicate(id string) error {
	return fault.OnNode(fault.NodeDuplicate, id, "the context has or had another node with this id",
		"choose another id or leave it out")
}
