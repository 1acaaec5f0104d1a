package tree

import (
	"maps"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

// Update sets headers of a node. set may hold content, priority, tags and custom
// attributes; for a node of this cycle also ttl, offset, pinned, refs and the optional
// string headers. The value nil removes an optional header. Errors: E_NODE_NOT_FOUND if
// there is no such node, E_SEALED for a header that cannot be set any more,
// E_DOCUMENT_INVALID for a value that does not fit, and E_LIMIT.
//
// Specification: 02 §3.2.1, 06 §2.3, 06 §2.4.
func (x *Editor) Update(id string, set map[string]any) (err error) {
	path, err := x.find(id)
	if err != nil {
		return err
	}
	e := path[len(path)-1]
	if e.class.Region() || e.class == Turn {
		return fault.OnNode(fault.Sealed, id, "the headers of regions and turns cannot be set",
			"set those of the nodes in it")
	}
	if e.node.Erased() {
		return erased(id)
	}
	if x.env.Bare && e.class == Block {
		if err := markersStay(path, false); err != nil {
			return err
		}
	}
	earlier, err := x.Earlier(id)
	if err != nil {
		return err
	}
	free := !earlier || x.env.Bare && within(path, Sys) // 1.0 03 §5.6: all at depth 0 and above the sequence
	if !free && !within(path, Sys) {
		return sealed(id, "the node was sealed in an earlier cycle, and only nodes of ^sys can still be updated")
	}
	n := *e.node
	n.Headers = append([]Header(nil), n.Headers...)
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if err := x.setHeader(&n, name, set[name], free); err != nil {
			return err
		}
	}
	if n.Expiry != Never && n.Offset == 0 && e.class == Container && path[len(path)-2].class == Head {
		return coreStays(id)
	}
	if n.Offset != e.node.Offset {
		if err := x.admitAgain(path, n.Offset); err != nil {
			return err
		}
	}
	if err := x.loadContent(&n); err != nil {
		return err
	}
	next := NewNode(n, nil)
	if next.Key != e.node.Key || next.Cad != e.node.Cad || next.Expiry != e.node.Expiry {
		if err := x.recursAgain(path[:len(path)-1], next); err != nil {
			return err
		}
	}
	return x.swap(next)
}

// SetRoot sets a custom attribute of the root, in any cycle; nil removes it. Errors:
// E_DOCUMENT_INVALID for a value without a JSON form, or a name that is no custom
// attribute.
func (x *Editor) SetRoot(name string, v any) (err error) {
	if !CustomName(name) {
		return invalid(name, "only custom attributes of the root can be set", "give it a namespace, such as data_title")
	}
	n := *x.Root().node
	n.Headers = slices.Clone(n.Headers)
	if err := x.setHeader(&n, name, v, true); err != nil {
		return err
	}
	if err := x.loadContent(&n); err != nil {
		return err
	}
	return x.swap(NewNode(n, nil))
}

// loadContent brings a node's content into memory, because the hash needs it.
func (x *Editor) loadContent(n *Node) error {
	v, err := n.Content.Value(x.ctx)
	n.Content = InMemory(v)
	return err
}

func (x *Editor) setHeader(n *Node, name string, v any, free bool) error {
	if !free && name != "content" && name != "priority" && name != "tags" && isHeader(name) {
		return sealed(n.ID, "the header "+name+" can only be set in the cycle that made the node")
	}
	switch name {
	case "content":
		var err error
		n.Content, err = encodeContent(v)
		return err
	case "priority", "offset", "ttl":
		value, err := encode(name, v)
		if err != nil {
			return err
		}
		number, ok := value.Int64()
		switch {
		case name == "ttl" && value == canon.Null:
			n.Expiry = Never
		case !ok:
			return invalid(string(value), name+" must be an integer", "write one, such as 1")
		case name == "ttl":
			if n.Expiry, err = x.expiryOf(number); n.Bare && n.Cycle < x.Cycle { // counts from the last commit, as it is shown
				n.Expiry--
			}
			return err
		case name == "priority":
			n.Priority = number
		default:
			n.Offset = number
		}
		return checkInteger(name, number)
	case "cad":
		if !x.env.Bare {
			return NoHeader(name)
		}
	default:
		if !CanSet(name) {
			return NoHeader(name)
		}
	}
	h, err := header(name, v)
	if err != nil {
		return err
	}
	for i := range n.Headers {
		if n.Headers[i].Name == name {
			n.Headers = append(n.Headers[:i], n.Headers[i+1:]...)
			break
		}
	}
	if h.Value != canon.Null {
		n.Headers = append(n.Headers, h)
	}
	return nil
}

// NoHeader returns the error for a name under which no header can be set: E_DOCUMENT_INVALID.
func NoHeader(name string) error {
	if slices.Contains(fixed, name) {
		return invalid(name, "this header cannot be updated", "add another node that has it")
	}
	return invalid(name, "there is no such header", "custom attributes need a namespace, such as data_"+name)
}
