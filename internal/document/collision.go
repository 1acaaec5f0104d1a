package document

import (
	"context"
	"slices"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// collisions reports every node that has the content hash of an earlier node but
// other content (08 §8.2). No such collision of SHA-256 is known, but a
// document holds everything that the hashes cover, so the check is possible here.
// Cost: one look-up a node; the contents of nodes with equal hashes once.
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

// covered returns the headers that the content hash of a node covers (08 §2.1).
func covered(n *tree.Node) []tree.Header {
	content, _ := n.Content.Value(context.Background()) // the node holds it, so no store is asked
	list := []tree.Header{{Name: "content", Value: content},
		{Name: "role", Value: orEmpty(n.Header("role"))},
		{Name: "kind", Value: orEmpty(n.Header("kind"))}}
	for _, h := range n.Headers {
		if h.Name != "content_hash" && (strings.HasPrefix(h.Name, "content_") || strings.HasPrefix(h.Name, "data_")) {
			list = append(list, h)
		}
	}
	return list
}

// orEmpty replaces an absent header by the empty string, as the hash does.
func orEmpty(v canon.Value) canon.Value {
	if v == "" {
		return `""`
	}
	return v
}
