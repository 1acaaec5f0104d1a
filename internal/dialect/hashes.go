package dialect

import (
	"crypto/sha256"

	"github.com/contexttree/pact/internal/api"
	"github.com/contexttree/pact/internal/canon"
)

// Hashes holds the hashes of the parts that earlier calls had. It recognizes a
// part whose content is a scalar by its text, and any other by the memory of its
// elements: requests that share their parsed contents share the hashes.
type Hashes map[identity][sha256.Size]byte

// identity is equal only for parts that say the same to a model. It refers to
// the content, so that no other value can take its memory.
type identity struct {
	kind, role, call, name string
	failed                 bool
	form                   canon.Kind
	text                   string
	elems                  *canon.Any
	members                *canon.Member
	count                  int
}

func identityOf(p *api.Part) identity {
	id := identity{kind: p.Kind, role: p.Role, call: p.Call, name: p.Name, failed: p.Failed,
		form: p.Content.Kind, text: p.Content.Text, count: len(p.Content.Elems) + len(p.Content.Members)}
	if len(p.Content.Elems) > 0 {
		id.elems = &p.Content.Elems[0]
	}
	if len(p.Content.Members) > 0 {
		id.members = &p.Content.Members[0]
	}
	return id
}

// of returns the hash of a part. It is equal for parts that say the same to a
// model.
func (h Hashes) of(p *api.Part) [sha256.Size]byte {
	id := identityOf(p)
	hash, ok := h[id]
	if !ok {
		hash = hashOf(p)
		h[id] = hash
	}
	return hash
}

func hashOf(p *api.Part) [sha256.Size]byte {
	failed := canon.Any{Kind: canon.KindBool, Text: string(canon.Bool(p.Failed))}
	return sha256.Sum256([]byte(canon.ArrayOf(word(p.Kind), word(p.Role), word(p.Call), word(p.Name), failed,
		p.Content).Value()))
}

func word(text string) canon.Any { return canon.Any{Kind: canon.KindString, Text: text} }
