package pact

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/commit"
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
	Cad      int64    // the cycles after which its key comes again, 0 for never (1.0 03 §3.4)
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

// Decode decodes the content into the value that v points to, as [encoding/json.Unmarshal]
// does. If the node has no content, it leaves the value as it is. It returns
// E_DOCUMENT_INVALID if v cannot hold the content. Its other errors and its cost are those
// of [Node.Text].
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

// StandsFor returns the ids of the nodes that a stub replaces (02 §7), in document order;
// nil for a node that is not a stub.
func (n Node) StandsFor() []string { return commit.StandsFor(tree.NodeOf(n)) }

// Original returns the content that the node had before a rule of a policy shaped it, in canonical
// JSON; nil if none did.
func (n Node) Original() []byte {
	v, shaped := commit.Original(tree.NodeOf(n))
	if !shaped {
		return nil
	}
	return []byte(v)
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
		Pinned: n.Pinned, Removable: n.Removable, Erased: n.Erased(), Cad: n.Cad,
		Cycle: n.Cycle, CreatedNS: n.CreatedNS, Index: n.Index,
		Provenance: text("provenance"), MIME: text("mime"), Encoding: text("encoding"), ContentHash: n.ContentHash(),
		hiddenNode: tree.Hide(n, from),
	}
	if ttl, ok := n.TTL(t.Base()); ok {
		node.TTL = &ttl
	}
	for _, h := range n.Headers {
		if !tree.CustomName(h.Name) {
			continue
		}
		if node.Attrs == nil {
			node.Attrs = make(map[string]any)
		}
		node.Attrs[h.Name] = decoded([]byte(h.Value))
	}
	return node
}

// decoded returns a JSON value as encoding/json decodes it, and as text what that cannot
// read, such as NaN.
func decoded(data []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(data)
	}
	return v
}
