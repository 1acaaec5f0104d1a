package document

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// node reads a node and everything below it, in the order of the document
// (docs/decisions.md).
func (r *reader) node(doc canon.Any, parent int, above tree.Class, depth int) error {
	if doc.Kind != canon.KindObject {
		return r.broken(parent, "a child of the node is not a JSON object")
	}
	if depth >= tree.MaxDepth {
		return fault.New(fault.Limit, "nodes are nested more than "+strconv.Itoa(tree.MaxDepth)+" levels deep",
			"flatten the groups")
	}
	if len(r.nodes) >= tree.MaxNodes {
		return fault.New(fault.Limit, "the document has more than "+strconv.Itoa(tree.MaxNodes)+" nodes", "split it")
	}
	kids, _ := doc.Get("children")
	if kids.Kind != canon.KindArray && kids.Kind != canon.KindAbsent && kids.Kind != canon.KindNull {
		return r.broken(parent, "children is not a list of nodes")
	}
	i := len(r.nodes)
	r.nodes = append(r.nodes, read{parent: parent, children: len(kids.Elems)})
	n := &r.nodes[i]
	n.Index, n.Cycle, n.Expiry = int64(i), r.cycle, tree.Never
	if err := r.headers(n, doc, parent); err != nil {
		return err
	}
	if n.Type == "" {
		n.Type = r.typeByPlace(parent, above, len(kids.Elems) > 0)
	}
	n.class = tree.Root
	if parent >= 0 {
		n.class = tree.ClassOf(n.Type, above, len(kids.Elems) > 0)
	}
	if n.ID == "" {
		if !n.class.Region() {
			return r.broken(parent, "a child of the node has no id")
		}
		name := n.class.String()[1:]
		r.given = idsIn(r.root, name, map[string]bool{})
		n.ID = r.free(name)
	}
	r.ids[n.ID] = true
	class := n.class
	order := kids.Elems
	if class == tree.Seq && untimed(kids.Elems) {
		order = r.untimedTurns(n.ID, kids.Elems)
	}
	below := depth + 1
	if class == tree.Head {
		below++ // sealing turns the head into a turn, one level further down
	}
	for _, k := range order {
		if err := r.node(k, i, class, below); err != nil {
			return err
		}
	}
	return nil
}

// untimedTurns returns turns that have no stamps from old to new, and says how it read several.
func (r *reader) untimedTurns(seq string, listed []canon.Any) []canon.Any {
	how := "oldest first"
	if r.newestFirst {
		how, listed = "newest first, as edition "+string(r.edition)+" does", slices.Clone(listed)
		slices.Reverse(listed)
	}
	if len(listed) > 1 && (r.newestFirst || !r.lenient) { // oldest first is what a query expects
		r.find(fault.DocumentInvalid, seq, "no turn has a created_at_ns; they are read "+how)
	}
	return listed
}

// broken returns the error for a place without an id; it names the parent.
func (r *reader) broken(parent int, message string) error {
	id := ""
	if parent >= 0 {
		id = r.nodes[parent].ID
		message += "; a child of this node is not"
	}
	return fault.OnNode(fault.DocumentInvalid, id, message, `write "children":[…] with objects that have an id`)
}

// untimed reports whether no turn of a list says when it was created.
func untimed(turns []canon.Any) bool {
	for _, t := range turns {
		if at, timed := t.Get("created_at_ns"); timed && at.Kind != canon.KindNull {
			return false
		}
	}
	return true
}

func (r *reader) typeByPlace(parent int, above tree.Class, hasChildren bool) string {
	switch {
	case parent < 0:
		return tree.Root.String()
	case above == tree.Seq:
		return r.traits.TurnType
	case hasChildren:
		return r.traits.ContainerType
	}
	return r.traits.BlockType
}

// free returns an id that no node of the document has, neither one read so far nor a given one.
func (r *reader) free(id string) string {
	base := id
	for n := 2; r.ids[id] || r.given[id]; n++ {
		id = base + "-" + strconv.Itoa(n)
	}
	return id
}

// idsIn adds the ids that begin so of a node and of all below it, or of a list of nodes, to a set.
func idsIn(node canon.Any, begins string, set map[string]bool) map[string]bool {
	if id, _ := node.Get("id"); id.Kind == canon.KindString && strings.HasPrefix(id.Text, begins) {
		set[id.Text] = true
	}
	kids, _ := node.Get("children")
	for _, list := range [...][]canon.Any{node.Elems, kids.Elems} {
		for _, k := range list {
			idsIn(k, begins, set)
		}
	}
	return set
}

// nodesIn returns how many nodes a node and all below it are.
func nodesIn(node canon.Any) int {
	kids, _ := node.Get("children")
	n := 1
	for _, k := range kids.Elems {
		if k.Kind == canon.KindObject {
			n += nodesIn(k)
		}
	}
	return n
}

// ReadNode reads one node without its children, as AppendNode writes it. The
// findings say what is wrong with it. Its errors are those of [Read].
func ReadNode(doc canon.Any, cycle int64, e selector.Edition) (*tree.Node, []inspect.Finding, error) {
	if doc.Kind != canon.KindObject {
		return nil, nil, fault.New(fault.DocumentInvalid, "the node is not a JSON object",
			`write {"id":…,"nodeType":…}`)
	}
	r := &reader{cycle: cycle, traits: e.Traits()}
	n := read{}
	n.Cycle, n.Expiry = cycle, tree.Never
	if err := r.headers(&n, doc, -2); err != nil {
		return nil, nil, err
	}
	if n.ID == "" || n.Type == "" {
		return nil, nil, fault.OnNode(fault.DocumentInvalid, n.ID, "the node has no id or no nodeType",
			"write both, as strings")
	}
	node := tree.NewNode(n.Node, nil)
	r.compareHash(node, n)
	return node, r.findings, nil
}
