package answer

import (
	"maps"
	"slices"

	"github.com/contexttree/pact/internal/canon"
)

// block is a content block or an item of an answer: its first form, and the
// texts that later events add.
type block struct {
	begun canon.Any // an object
	texts map[string][]byte
}

func (b *block) add(field, piece string) {
	if b.texts == nil {
		b.texts = make(map[string][]byte)
	}
	b.texts[field] = append(b.texts[field], piece...)
}

// whole returns the block with all added texts; absent if nothing arrived.
func (b *block) whole() canon.Any {
	if b.begun.Kind != canon.KindObject && len(b.texts) == 0 {
		return canon.Any{}
	}
	members := slices.Clone(b.begun.Members)
	for _, field := range slices.Sorted(maps.Keys(b.texts)) {
		members = append(members, member(field, text(b.begun, field)+string(b.texts[field])))
	}
	return canon.Object(members...)
}

func member(name, value string) canon.Member {
	return canon.Member{Name: name, Value: canon.Any{Kind: canon.KindString, Text: value}}
}

// list holds blocks by the provider's index. Indexes may have gaps.
type list map[int64]*block

// at returns the block of an index, nil if the index is not valid.
func (l *list) at(index canon.Any) *block {
	i, ok := index.Value().Int64()
	if !ok || i < 0 {
		return nil
	}
	if *l == nil {
		*l = make(list)
	}
	if (*l)[i] == nil {
		(*l)[i] = &block{}
	}
	return (*l)[i]
}

// inOrder returns the blocks in the order of their indexes.
func (l list) inOrder() []*block {
	blocks := make([]*block, 0, len(l))
	for _, i := range slices.Sorted(maps.Keys(l)) {
		blocks = append(blocks, l[i])
	}
	return blocks
}

// without returns an object without some of its members.
func without(object canon.Any, names ...string) canon.Any {
	if object.Kind != canon.KindObject {
		return object
	}
	object.Members = slices.DeleteFunc(slices.Clone(object.Members), func(m canon.Member) bool {
		return slices.Contains(names, m.Name)
	})
	return object
}
