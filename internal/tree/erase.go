package tree

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

// ErasedName is the custom attribute with the mark of an erased node. The mark proves
// what was there to whoever has the salt and the text. It tells nothing to anybody else.
const ErasedName = "pact:erased"

// erasedContent stands for a content that was erased.
const erasedContent canon.Value = `"[erased]"`

// keptKinds are the kinds that an erasure leaves, because they say nothing about anybody.
var keptKinds = []string{"text", "call", "result", "image", "audio", "summary", "stub"}

// Erased reports whether the content of the node was erased.
func (n *Node) Erased() bool { return n.Has(ErasedName) }

// Erase returns what is left of a node when everything in it that can hold a text goes
// for good: its place, stamps, ttl, priority, type, references, a canonical role, a
// common kind, pinned and removable; and its mark. It returns a node that is erased
// already as it is. It fails if it cannot read the content from the store.
func (n *Node) Erase(ctx context.Context, salt []byte) (*Node, error) {
	if mark, _ := n.Header(ErasedName).Text(); isMark(mark) {
		if left := n.remainder(mark); left.Equal(n) {
			return n, nil
		}
	}
	mark, err := n.Mark(ctx, salt)
	if err != nil {
		return nil, err
	}
	return n.remainder(mark), nil
}

// Mark is HMAC-SHA256, with the salt as its key, over the canonical JSON of an
// object with the id of the node, its content and its optional headers and
// custom attributes as they are, in hexadecimal. It fails if the content cannot
// be read from the store.
func (n *Node) Mark(ctx context.Context, salt []byte) (string, error) {
	content, err := n.Content.Value(ctx)
	if err != nil {
		return "", err
	}
	members := make([]canon.Member, 0, len(n.Headers)+2)
	for _, h := range n.Headers {
		members = append(members, canon.Member{Name: h.Name, Value: h.Value.Any()})
	}
	members = append(members, canon.Member{Name: "content", Value: content.Any()},
		canon.Member{Name: "id", Value: canon.Any{Kind: canon.KindString, Text: n.ID}})
	h := hmac.New(sha256.New, salt)
	h.Write([]byte(canon.Object(members...).Value())) // a hash never fails to take bytes
	return hex.EncodeToString(h.Sum(nil)), nil
}

func isMark(text string) bool {
	b, err := hex.DecodeString(text)
	return err == nil && len(b) == sha256.Size
}

// remainder returns the node without anything that can hold a text.
func (n *Node) remainder(mark string) *Node {
	gap := Node{ID: n.ID, Type: n.Type, Offset: n.Offset, Priority: n.Priority, Cycle: n.Cycle,
		CreatedNS: n.CreatedNS, Index: n.Index, Expiry: n.Expiry, Bare: n.Bare}
	for _, h := range n.Headers {
		if n.keepsHeader(h) {
			gap.Headers = append(gap.Headers, h)
		}
	}
	gap.Headers = append(gap.Headers, Header{ErasedName, canon.String(mark)})
	if n.Content.Size() > 0 {
		gap.Content = InMemory(erasedContent)
	}
	return NewNode(gap, nil)
}

// keepsHeader reports whether an erasure leaves a header.
func (n *Node) keepsHeader(h Header) bool {
	switch h.Name {
	case "role":
		return slices.Contains(roles, n.Role)
	case "kind":
		return slices.Contains(keptKinds, n.Kind)
	case "refs":
		return n.Refs != nil
	case "pinned", "removable":
		return h.Value.Kind() == canon.KindBool
	}
	return false
}

// Erasable yields what an erasure removes from a node besides its content: names and values
// of headers, and a created_at_iso in a foreign form.
func (n *Node) Erasable(yield func(canon.Value) bool) {
	for _, h := range n.Headers {
		mark, _ := h.Value.Text()
		if n.keepsHeader(h) || h.Name == ErasedName && isMark(mark) {
			continue
		}
		if KindOf(h.Name) == canon.KindAbsent && !yield(canon.String(h.Name)) || !yield(h.Value) {
			return
		}
	}
	if n.ForeignISO != "" {
		yield(canon.String(n.ForeignISO))
	}
}

func erased(id string) error {
	return fault.OnNode(fault.Sealed, id, "the node was erased", "remove it, and add another one")
}
