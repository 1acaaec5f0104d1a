package view

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/contexttree/pact/internal/tree"
)

// Band is a run of neighbouring blocks of one column. In JSON it is an array: its height, the
// index of its kind, how many blocks it has, the id of the first, the cycle that brought that
// block, the index of the actor who did, and the size of its largest block.
type Band struct {
	Height  int64 // in the unit; in bytes a block has the comma or bracket before it
	Kind    Kind  // that has the largest share of the height
	Blocks  int
	First   string // id of the first block
	Cycle   int64  // that brought the first block
	Actor   int    // who brought the first block, an index into the actors of the picture
	Largest int64  // size of the largest block, in the unit
}

// MarshalJSON implements json.Marshaler.
func (b Band) MarshalJSON() ([]byte, error) {
	first, err := json.Marshal(b.First)
	if err != nil {
		return nil, err
	}
	text := strconv.AppendInt([]byte{'['}, b.Height, 10)
	for _, n := range [...]int64{int64(b.Kind), int64(b.Blocks)} {
		text = strconv.AppendInt(append(text, ','), n, 10)
	}
	text = append(append(text, ','), first...)
	for _, n := range [...]int64{b.Cycle, int64(b.Actor), b.Largest} {
		text = strconv.AppendInt(append(text, ','), n, 10)
	}
	return append(text, ']'), nil
}

// bandSum adds up a run of blocks.
type bandSum struct {
	blocks  int
	height  int64
	largest int64
	shares  [Kinds]int64 // of the height, by kind
	first   *tree.Node   // nil if there is no block
	begins  Kind         // of the first block
}

// add puts a run of blocks behind h.
func (h *bandSum) add(o *bandSum) {
	if h.first == nil {
		h.first, h.begins = o.first, o.begins
	}
	h.blocks, h.height, h.largest = h.blocks+o.blocks, h.height+o.height, max(h.largest, o.largest)
	for k, share := range o.shares {
		h.shares[k] += share
	}
}

// kind returns the kind with the largest share; of equal shares the first in the legend. If
// nothing has a height, it is the kind of the first block.
func (h *bandSum) kind() Kind {
	best := Kind(0)
	for k, share := range h.shares {
		if share > h.shares[best] {
			best = Kind(k)
		}
	}
	if h.shares[best] == 0 {
		return h.begins
	}
	return best
}

// scale measures the parts of a thread in a unit.
type scale struct {
	ctx    context.Context
	tokens *tree.Measure // nil for bytes
}

func scaleOf(ctx context.Context, unit Unit, counter tree.Counter) *scale {
	if unit == Tokens {
		return &scale{ctx, tree.Tokens(counter)}
	}
	return &scale{ctx, nil}
}

// entry returns the height of a node with everything below it.
func (s *scale) entry(e *tree.Entry, region tree.Class) (int64, error) {
	if s.tokens != nil {
		return s.tokens.Sum(s.ctx, e)
	}
	return bytesOf(e.Summary(), region), nil
}

// run returns the height of a run of siblings with everything below them.
func (s *scale) run(l *tree.List, region tree.Class) (int64, error) {
	if s.tokens != nil {
		return s.tokens.SumOf(s.ctx, l)
	}
	return bytesOf(l.Summary(), region), nil
}

// block returns the height of a block alone.
func (s *scale) block(e *tree.Entry, region tree.Class) (int64, error) {
	if s.tokens != nil {
		return s.tokens.Own(s.ctx, e)
	}
	return int64(e.Node().ThreadBytes(region)) + 1, nil
}

// bytesOf returns the bytes of blocks in the thread, each with the comma or the opening bracket
// before it.
func bytesOf(s *tree.Summary, region tree.Class) int64 {
	return s.Bytes + int64(s.Blocks) + int64(s.Roleless*tree.RoleBytes(region))
}
