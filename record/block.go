package record

import (
	"context"
	"crypto/sha256"
	"slices"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/tree"
)

// Custom attributes that a recorder writes on contexts and their blocks.
const (
	attrContext  = "wire:context"  // on the root: a recorder made the context
	attrCall     = "wire:call"     // the id by which a call and its result belong together
	attrName     = "wire:name"     // name of the tool that the block defines or calls
	attrFailed   = "wire:failed"   // true on the result of a call that failed
	attrGroup    = "wire:group"    // on the root: the group whose calls the context records
	attrSource   = "wire:source"   // on the root: which log the calls come from, and how exact it is
	attrBegun    = "wire:begun-by" // on the root: the call that began the conversation
	attrReplaces = "wire:replaces" // id of the block whose place this one took
	attrAnswer   = "wire:answer"   // on the first block of an answer: what the provider reported about the answer
)

// key identifies the content of a block: two blocks with one key say the same
// thing to a model.
type key [sha256.Size]byte

func keyOf(s *pact.Spec) key {
	h := sha256.New()
	var text []byte
	for _, field := range []any{s.Kind, s.Role, s.Attrs[attrCall], s.Attrs[attrFailed], s.Content} {
		text = text[:0]
		switch field := field.(type) {
		case canon.Any: // most of the bytes: they are written once
			text = field.AppendTo(text)
		default:
			value, err := canon.Encode(field)
			if err != nil {
				panic(err) // each field was parsed from JSON, so it encodes
			}
			text = append(text, value...)
		}
		h.Write(append(text, '\n'))
	}
	return key(h.Sum(nil))
}

// specOf describes the block that records a part.
func specOf(p provider.Part, name provider.API) pact.Spec {
	s := pact.Spec{Kind: p.Kind, Role: p.Role, Provenance: string(name), Content: p.Content, Attrs: map[string]any{}}
	if p.Call != "" {
		s.Attrs[attrCall] = p.Call
	}
	if p.Name != "" {
		s.Attrs[attrName] = p.Name
	}
	if p.Failed {
		s.Attrs[attrFailed] = true
	}
	return s
}

// block is a block of the working state, or a block of a request that is about
// to enter it.
type block struct {
	pact.Spec
	key    key
	id     string
	parent string // id of the turn or region that contains it
	inHead bool   // it stands in ^ah
	cycle  int64  // the cycle that added it
}

// keyOfNode is keyOf for a block that the context already has.
func keyOfNode(ctx context.Context, n *tree.Node) (key, error) {
	content, err := contentOf(ctx, n)
	if err != nil {
		return key{}, err
	}
	s := pact.Spec{Kind: n.Kind, Content: content, Attrs: map[string]any{}}
	s.Role, _ = n.Header("role").Text()
	for _, name := range []string{attrCall, attrFailed} {
		if v := n.Header(name); v != "" {
			s.Attrs[name] = canon.Value(v)
		}
	}
	return keyOf(&s), nil
}

// knownKey caches a key together with the content hash it was made from,
// because a block of ^sys can change and keep its id.
type knownKey struct {
	hash tree.Digest
	key  key
}

// contentOf returns the content of a block. A recorded part always has content,
// so a node without any stands for null.
func contentOf(ctx context.Context, n *tree.Node) (canon.Value, error) {
	content, err := n.Content.Value(ctx)
	if content == "" {
		content = tree.JSON(canon.Null)
	}
	return canon.Value(content), err
}

// thread returns the blocks of a tree in thread order: first those of ^sys,
// then those of the conversation. It takes keys from known where the block has
// not changed, and adds the keys that it had to compute.
func thread(ctx context.Context, t *tree.Tree, known map[string]knownKey) (system, conversation []block, err error) {
	defer tree.Recover(&err)
	t.BlocksFrom(0, func(e *tree.Entry, region tree.Class) bool {
		n := e.Node()
		k := known[n.ID]
		if k.hash != n.Hash || !n.HashOK {
			k.hash = n.Hash
			if k.key, err = keyOfNode(ctx, n); err != nil {
				return false
			}
			known[n.ID] = k
		}
		b := block{key: k.key, id: n.ID, parent: t.Parent(n.ID), inHead: region == tree.Head, cycle: n.Cycle}
		b.Kind, b.Offset = n.Kind, n.Offset
		b.Role, _ = n.Header("role").Text()
		attr := func(name string, value any) {
			if b.Attrs == nil { // most blocks have none
				b.Attrs = map[string]any{}
			}
			b.Attrs[name] = value
		}
		for _, name := range [...]string{attrCall, attrName} {
			if text, ok := n.Header(name).Text(); ok {
				attr(name, text)
			}
		}
		if about := n.Header(attrAnswer); about != "" {
			attr(attrAnswer, canon.Value(about))
		}
		if region == tree.Sys {
			system = append(system, b)
		} else {
			conversation = append(conversation, b)
		}
		return true
	})
	return system, conversation, err
}

func keysOf(blocks []block) []key {
	keys := make([]key, len(blocks))
	for i := range blocks {
		keys[i] = blocks[i].key
	}
	return keys
}

// successors completes an alignment. Between two continued elements it also
// pairs a block that changed with the block that took its place. It recognizes
// the pair by the id of the call or the name of the tool; if both sides have
// equally many blocks of that kind and role between the two elements, by their
// order.
func successors(old, now []block, matches []int) []int {
	next := slices.Clone(matches)
	from, i := 0, 0
	for j := 0; j <= len(now); j++ {
		if j < len(now) && matches[j] < 0 {
			continue
		}
		upTo := len(old)
		if j < len(now) {
			upTo = matches[j]
		}
		succeed(old[i:upTo], now[from:j], func(a, b int) { next[from+b] = i + a })
		from, i = j+1, upTo+1
	}
	return next
}

func succeed(old, now []block, match func(a, b int)) {
	type name struct{ kind, role, word string }
	nameOf := func(b *block) name {
		n := name{kind: b.Kind, role: b.Role}
		for _, attr := range []string{attrCall, attrName} {
			if word, ok := b.Attrs[attr].(string); ok && n.word == "" {
				n.word = attr + word
			}
		}
		return n
	}
	olds, nows := map[name][]int{}, map[name]int{}
	for a := range old {
		n := nameOf(&old[a])
		olds[n] = append(olds[n], a)
	}
	for b := range now {
		nows[nameOf(&now[b])]++
	}
	last := -1
	for b := range now {
		n := nameOf(&now[b])
		if len(olds[n]) == 0 || n.word == "" && len(olds[n]) != nows[n] {
			continue
		}
		a := olds[n][0]
		if olds[n], nows[n] = olds[n][1:], nows[n]-1; a > last {
			match(a, b)
			last = a
		}
	}
}
