package provider

import (
	"maps"
	"slices"

	"github.com/contexttree/pact/internal/canon"
)

// answerBlock is a content block or an item of an answer: its first form, and the
// texts that later events add.
type answerBlock struct {
	begun canon.Any // an object
	texts map[string][]byte
}

func (b *answerBlock) add(field, piece string) {
	if b.texts == nil {
		b.texts = make(map[string][]byte)
	}
	b.texts[field] = append(b.texts[field], piece...)
}

// value returns the block with all added texts; absent if nothing arrived.
func (b *answerBlock) value() canon.Any {
	if b.begun.Kind != canon.KindObject && len(b.texts) == 0 {
		return canon.Any{}
	}
	members := slices.Clone(b.begun.Members)
	for _, field := range slices.Sorted(maps.Keys(b.texts)) {
		members = append(members, textMember(field, text(b.begun, field)+string(b.texts[field])))
	}
	return canon.Object(members...)
}

func textMember(name, value string) canon.Member {
	return canon.Member{Name: name, Value: canon.Any{Kind: canon.KindString, Text: value}}
}

// answerBlocks holds blocks by the provider's index. Indexes may have gaps.
type answerBlocks map[int64]*answerBlock

// block returns the block of an index, nil if the index is not valid.
func (l *answerBlocks) block(index canon.Any) *answerBlock {
	i, ok := index.Value().Int64()
	if !ok || i < 0 {
		return nil
	}
	if *l == nil {
		*l = make(answerBlocks)
	}
	if (*l)[i] == nil {
		(*l)[i] = &answerBlock{}
	}
	return (*l)[i]
}

// inOrder returns the blocks in the order of their indexes.
func (l answerBlocks) inOrder() []*answerBlock {
	blocks := make([]*answerBlock, 0, len(l))
	for _, i := range slices.Sorted(maps.Keys(l)) {
		blocks = append(blocks, l[i])
	}
	return blocks
}
