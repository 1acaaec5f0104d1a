package document

import (
	"context"
	"slices"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/tree"
)

// collisions reports every node whose content hash is that of an earlier node
// with something else in it (08 §8.2). Nobody has seen that of SHA-256; here it
// would be seen, because all that the hashes cover is at hand. Cost: one look-up
// a node, and what nodes of equal hash hold once.
//
// Specification: 08 §8.2.
func (r *reader) collisions(nodes []tree.Placed) {
	first := make(map[tree.Digest]*tree.Node, len(nodes))
	for _, p := range nodes {
		n := p.Node
		if !n.HashOK || n.Content.Size() == 0 {
			continue
		}
		other, there := first[n.Hash]
		if !there {
			first[n.Hash] = n
			continue
		}
		if !slices.Equal(covered(n), covered(other)) {
			r.find(fault.DocumentInvalid, n.ID, "the content hash is that of node "+other.ID+
				" too, which has other content: the hashes collide")
		}
	}
}

// covered is what the content hash of a node covers (08 §2.1).
func covered(n *tree.Node) []tree.Header {
	content, _ := n.Content.Value(context.Background()) // it is held: nothing is read
	list := []tree.Header{{Name: "content", Value: content},
		{Name: "role", Value: tree.JSON(orEmpty(canon.Value(n.Header("role"))))},
		{Name: "kind", Value: tree.JSON(orEmpty(canon.Value(n.Header("kind"))))}}
	for _, h := range n.Headers {
		if h.Name != "content_hash" && (strings.HasPrefix(h.Name, "content_") || strings.HasPrefix(h.Name, "data_")) {
			list = append(list, h)
		}
	}
	return list
}

// orEmpty is what the hash covers in the place of a header that is not there.
func orEmpty(v canon.Value) canon.Value {
	if v == "" {
		return `""`
	}
	return v
}
