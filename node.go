package pact

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/tree"
)

// Node is one node as a snapshot has it (02 §3): its headers, and how to read its
// content. It is a copy: changing it changes no snapshot.
type Node struct {
	ID       string   // unique in the history of the context
	Type     string   // nodeType, canonical or namespaced, exactly as it came
	Class    string   // what the tree takes it for: ^root, ^sys, ^seq, ^ah, turn, container or block
	Role     string   // "" where it has none of its own
	Kind     string   // "" without one
	Key      string   // of its family, "" without one
	Offset   int64    // <0 before the core, 0 in it, >0 behind it (02 §4.1)
	Priority int64    // siblings of one offset stand in its order (02 §4.3)
	TTL      *int64   // cycles that it has left at the snapshot, at least 0; nil for one that stays (03 §3.1)
	Tags     []string // as they were given
	Refs     []string // ids of the nodes that it refers to

	Pinned    bool // pruning leaves it (02 §7)
	Removable bool // it goes when it is empty (02 §5.3.1)
	Erased    bool // an erasure took its content

	Cycle     int64 // that brought it
	CreatedNS int64 // when it came, in nanoseconds since the epoch
	Index     int64 // creation_index: the order of what has one CreatedNS

	Provenance, MIME, Encoding string // "" without one
	ContentHash                string // SHA-256 in hexadecimal (08 §2.1), "" where JSON cannot express the content
	// custom attributes (02 §3.5) as encoding/json reads them, numbers as json.Number
	Attrs map[string]any

	node *tree.Node
}

// Text returns the content: of a text the text, of any other content its
// canonical JSON, "" where there is none. E_STORE where it has to be read from the
// store and cannot. Cost: reading the content, which nothing keeps.
func (n Node) Text(ctx context.Context) (string, error) {
	v, err := n.node.Content.Value(ctx)
	if err != nil {
		return "", err
	}
	if text, ok := v.Text(); ok {
		return text, nil
	}
	return string(v), nil
}

// JSON returns the content as canonical JSON (08 §2), nil where there is none. It
// fails and costs as Text does.
func (n Node) JSON(ctx context.Context) ([]byte, error) {
	v, err := n.node.Content.Value(ctx)
	if err != nil || v == "" {
		return nil, err
	}
	return []byte(v), nil
}

// Decode reads the content into what v points to, as json.Unmarshal does, and
// leaves it as it is where there is no content. E_DOCUMENT_INVALID where v cannot
// hold the content. It fails and costs as Text does otherwise.
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

// StandsFor returns the ids of what a stub stands for (02 §7), in document order,
// nil for any other node.
func (n Node) StandsFor() []string { return lifecycle.StandsFor(n.node) }

// nodeOf is the node of an entry in a tree.
func nodeOf(e *tree.Entry, t *tree.Tree) Node {
	n := e.Node()
	text := func(name string) string {
		s, _ := n.Header(name).Text()
		return s
	}
	node := Node{
		ID: n.ID, Type: n.Type, Class: e.Class().String(), Role: n.Role, Kind: n.Kind, Key: n.Key,
		Offset: n.Offset, Priority: n.Priority, Tags: slices.Clone(n.Tags), Refs: slices.Clone(n.Refs),
		Pinned: n.Pinned, Removable: n.Removable, Erased: n.Erased(),
		Cycle: n.Cycle, CreatedNS: n.CreatedNS, Index: n.Index,
		Provenance: text("provenance"), MIME: text("mime"), Encoding: text("encoding"), ContentHash: n.ContentHash(),
		node: n,
	}
	if ttl, ok := n.TTL(t.Cycle()); ok {
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

// decoded is a value of JSON as Go has it; what encoding/json cannot read, such as
// NaN, stays text.
func decoded(data []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(data)
	}
	return v
}
