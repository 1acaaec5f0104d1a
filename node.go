package pact

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
)

// Node is a node of one snapshot (02 §3): its headers, and methods to read its content.
// It is a copy: changing it changes no snapshot.
type Node struct {
	ID       string   // unique in the history of the context
	NodeType string   // canonical or namespaced, as it was given
	Class    string   // how the tree treats it: ^root, ^sys, ^seq, ^ah, turn, container or block
	Role     string   // "" if it has none of its own
	Kind     string   // "" if it has none
	Key      string   // names the family that it belongs to, "" if it has none
	Offset   int64    // <0 before the core, 0 in it, >0 after it (02 §4.1)
	Priority int64    // pruning takes low priorities first (02 §7.1)
	TTL      *int64   // the cycles left at this snapshot, at least 0; nil if it never expires (03 §3.1)
	Cad      *int64   // the cycles after which its key comes again, nil for never (1.0 03 §3.4)
	Tags     []string // as they were given
	Refs     []string // ids of the nodes that it refers to

	Pinned    bool // pruning leaves it alone (02 §7)
	Removable bool // a group that goes when it is empty (02 §5.3.1)
	Erased    bool // an erasure removed its content

	Cycle     int64 // the cycle that added it
	CreatedNS int64 // when it was added, in nanoseconds since the epoch
	Index     int64 // creation_index, which orders nodes with equal CreatedNS

	Provenance, MIME, Encoding string // "" if there is none
	ContentHash                string // SHA-256 in hexadecimal (08 §2.1), "" if JSON cannot express the content
	// custom attributes (02 §3.5) as encoding/json reads them, numbers as json.Number
	Attrs map[string]any

	hiddenNode
}

// Text returns the content: a text as it is, any other content as canonical JSON, "" if
// there is none. It returns E_STORE if the content must be read from the store and cannot
// be. Cost: reading the content, which is not kept in memory.
func (n Node) Text(ctx context.Context) (string, error) {
	v, err := tree.NodeOf(n).Content.Value(tree.Asking(ctx, tree.AskerOf(n)))
	if err != nil {
		return "", err
	}
	if text, ok := v.Text(); ok {
		return text, nil
	}
	return string(v), nil
}

// JSON returns the content as canonical JSON (08 §2), nil if the node has no content. Its
// errors and its cost are those of [Node.Text].
func (n Node) JSON(ctx context.Context) ([]byte, error) {
	v, err := tree.NodeOf(n).Content.Value(tree.Asking(ctx, tree.AskerOf(n)))
	if err != nil || v == "" {
		return nil, err
	}
	return []byte(v), nil
}

// Decode decodes the content into the value that v points to, as [encoding/json.Unmarshal] does. If the node has no
// content, it leaves the value as it is. It returns E_DOCUMENT_INVALID if v cannot hold the content. Its other errors
// and its cost are those of [Node.Text].
func (n Node) Decode(ctx context.Context, v any) error {
	data, err := n.JSON(ctx)
	if err != nil || data == nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fault.OnNode(fault.DocumentInvalid, n.ID, "the content cannot be decoded: "+err.Error(),
			"decode into a value of its shape, or read JSON")
	}
	return nil
}

// nodeOf returns the Node for an entry of a tree, whose contents ask from.
func nodeOf(e *tree.Entry, t *tree.Tree, from tree.Asker) Node {
	n := e.Node()
	text := func(name string) string {
		s, _ := n.Header(name).Text()
		return s
	}
	node := Node{
		ID: n.ID, NodeType: n.Type, Class: e.Class().String(), Role: n.Role, Kind: n.Kind, Key: n.Key,
		Offset: n.Offset, Priority: n.Priority, Tags: slices.Clone(n.Tags), Refs: slices.Clone(n.Refs),
		Pinned: n.Pinned, Removable: n.Removable, Erased: n.Erased(),
		Cycle: n.Cycle, CreatedNS: n.CreatedNS, Index: n.Index,
		Provenance: text("provenance"), MIME: text("mime"), Encoding: text("encoding"), ContentHash: n.ContentHash(), Attrs: n.Attrs(),
		hiddenNode: tree.Hide(n, from),
	}
	if ttl, ok := n.TTL(t.Base()); ok {
		node.TTL = &ttl
	}
	if n.Cad != 0 {
		node.Cad = new(n.Cad)
	}
	return node
}

// Spec describes a node to add (02 §3).
type Spec struct {
	ID       string // any text of at most 1 KiB that is new to the whole history; "" to have one generated
	NodeType string // canonical or namespaced; "" means a block

	Offset   int64  // <0 before the core, 0 in it, >0 after it (02 §4.1)
	Priority int64  // pruning takes low priorities first (02 §7.1)
	TTL      *int64 // cycles until it expires, nil if it never does; with 0 no call is sent it (03 §3.1)
	Cad      *int64 // cycles after which a new node of its Key comes, at least 1; nil for none (1.0 03 §3.4)

	Role string // user, assistant, tool, system, other or one with a namespace, such as x:critic; "" for none (01 §2)
	Kind string // any text, "" for none; a call of a tool is a call, and what [Batch.AddResult] adds a result

	Key, Provenance, MIME, Encoding string // optional headers, "" for none

	Tags, Refs []string // Refs are ids of nodes that it refers to
	Removable  bool     // a group that goes when it is empty (02 §5.3.1)
	Pinned     bool     // pruning leaves it alone, and so the turn around it with its core (02 §7)

	Content any            // any value with a JSON form; nil for none
	Attrs   map[string]any // custom attributes: data_*, content_* or a name with a colon (02 §3.5)
}
