package record

import (
	"context"
	"crypto/sha256"
	"slices"
	"strconv"

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
	attrAnswer   = "wire:answer"   // on the first block of an answer: the report of the provider about it
)

// key identifies the content of a block: two blocks with one key say the same
// thing to a model.
type key [sha256.Size]byte

// keyer makes the keys of blocks. Its buffer serves all of them.
type keyer []byte

// begin begins the text that a key is the hash of; the content follows.
func (k *keyer) begin(kind, role, call string, failed bool) {
	text := (*k)[:0]
	for _, field := range [...]string{kind, role, call} {
		text = append(canon.AppendString(text, field), '\n')
	}
	*k = append(strconv.AppendBool(text, failed), '\n')
}

func (k *keyer) ofPart(p *provider.Part) key {
	k.begin(p.Kind, p.Role, p.Call, p.Failed)
	*k = p.Content.AppendTo(*k)
	return sha256.Sum256(*k)
}

// ofNode is ofPart for a block that the context already has.
func (k *keyer) ofNode(ctx context.Context, n *tree.Node) (key, error) {
	content, err := contentOf(ctx, n)
	if err != nil {
		return key{}, err
	}
	role, _ := n.Header("role").Text()
	call, _ := n.Header(attrCall).Text()
	k.begin(n.Kind, role, call, n.Has(attrFailed))
	*k = append(*k, content...)
	return sha256.Sum256(*k), nil
}

// specOf describes the block that records a part.
func specOf(p *provider.Part, api provider.API) pact.Spec {
	s := pact.Spec{Kind: p.Kind, Role: p.Role, Provenance: string(api), Content: p.Content, Attrs: map[string]any{}}
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

// block is a block of the working state, or a part of a request that is about
// to enter it.
type block struct {
	part     *provider.Part // of a request; nil for a block of the working state
	key      key
	*details // nil while the listing of a long conversation leaves them in the tree
}

// details are what a block is beside its content.
type details struct {
	kind, role, call, name string
	id                     string
	parent                 string // id of the turn or region that contains it
	offset                 int64
	inHead                 bool        // it stands in ^ah
	erased                 bool        // an erasure took its content
	hash                   tree.Digest // of the content of a block of the working state, zero if it has none
	cycle                  int64       // the cycle that added it
	answer                 canon.Value // the report of the provider about the answer that it begins, "" if it begins none
}

func blockOf(p *provider.Part, keys *keyer) block {
	return block{p, keys.ofPart(p), &details{kind: p.Kind, role: p.Role, call: p.Call, name: p.Name}}
}

// contentOf returns the content of a block. A recorded part always has content,
// so a node without any stands for null.
func contentOf(ctx context.Context, n *tree.Node) (canon.Value, error) {
	content, err := n.Content.Value(ctx)
	if content == "" {
		content = canon.Null
	}
	return content, err
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
		pairSuccessors(old[i:upTo], now[from:j], func(a, b int) { next[from+b] = i + a })
		from, i = j+1, upTo+1
	}
	return next
}

func pairSuccessors(old, now []block, match func(a, b int)) {
	type name struct{ kind, role, word string }
	nameOf := func(b *block) name {
		n := name{kind: b.kind, role: b.role}
		if b.call != "" {
			n.word = attrCall + b.call
		} else if b.name != "" {
			n.word = attrName + b.name
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
