package record

import (
	pact "github.com/contexttree/pact"
)

// The offset of the first tool of ^sys. Tools stand before the system prompt,
// which begins at offset 1.
const firstTool = -1 << 32

// The regions that a recorder adds blocks to.
const (
	systemRegion = "^sys"
	activeHead   = "^ah"
)

// rewriter changes the conversation of a working state into a new thread, in
// which continued blocks keep their ids and places. A recorder puts every block
// outside the core of its turn, where it can be removed, and at an offset of
// its own, where another block can replace it.
type rewriter struct {
	e     *pact.Batch
	calls map[string]string // node ids of tool calls, by call id
	next  int64             // the offset for the next block of ^ah
	prev  *block            // the block before the current one
	fresh bool              // this edit added prev
	// what the provider reported about an answer whose first block this edit
	// removes; the next added block takes it over
	answer any
}

// change is the difference between the blocks of the working state and those of
// a request.
type change struct {
	old, now []block
	next     []int // for each block of now the block of old that it continues or succeeds, -1 for none
}

func changeOf(old, now []block) change {
	return change{old, now, successors(old, now, align(keysOf(old), keysOf(now)))}
}

// count returns how many blocks went without a successor, and how many have a
// successor that says something else.
func (c *change) count() (gone, changed int) {
	gone = len(c.old)
	for j, i := range c.next {
		if i >= 0 {
			gone--
			if c.old[i].key != c.now[j].key {
				changed++
			}
		}
	}
	return gone, changed
}

// conversation edits the conversation.
func (c *change) conversation(e *pact.Batch) {
	old, now, next := c.old, c.now, c.next
	r := &rewriter{e: e, calls: map[string]string{}, next: 1}
	for i := range old {
		if old[i].inHead {
			r.next = max(r.next, old[i].Offset+1)
		}
	}
	stays := make([]bool, len(old))
	last := -1 // the last block of now that took the place of an old one
	for j, i := range next {
		if i >= 0 {
			stays[i] = old[i].key == now[j].key
			last = j
		}
	}
	for i := range old {
		if !stays[i] {
			e.Remove(old[i].id)
			if about, ok := old[i].Attrs[attrAnswer]; ok {
				r.answer = about
			}
		}
	}
	for j := range now {
		b := &now[j]
		switch i := next[j]; {
		case i >= 0 && stays[i] && !r.behind(&old[i]):
			b.id, b.parent, b.Offset = old[i].id, old[i].parent, old[i].Offset
			r.fresh = false
		case i >= 0:
			if stays[i] {
				e.Remove(old[i].id) // the blocks added before this removal have later stamps
			}
			b.parent, b.Offset = old[i].parent, old[i].Offset
			b.inHead = old[i].inHead
			b.Attrs[attrReplaces] = old[i].id
			r.add(b)
		case j > last:
			b.parent, b.Offset, b.inHead = activeHead, r.next, true
			r.next++
			r.add(b)
		default:
			r.between(b, old, next[j:])
			r.add(b)
		}
		if call, ok := b.Attrs[attrCall].(string); ok && b.Kind == "call" {
			r.calls[call] = b.id
		}
		r.prev = b
	}
}

// behind reports whether a block shares its place with a block that this edit
// added and that has to stand before it.
func (r *rewriter) behind(b *block) bool {
	return r.fresh && r.prev.parent == b.parent && r.prev.Offset == b.Offset
}

// between places a new block among continued ones. It takes the place of the
// block before it, because its stamp is later; with no block before it, a place
// in front of the first.
func (r *rewriter) between(b *block, old []block, next []int) {
	if r.prev != nil {
		b.parent, b.Offset, b.inHead = r.prev.parent, r.prev.Offset, r.prev.inHead
		return
	}
	for _, i := range next {
		if i >= 0 {
			b.parent, b.Offset, b.inHead = old[i].parent, old[i].Offset-1, old[i].inHead
			break
		}
	}
	if b.Offset == 0 {
		b.Offset = -1 // offset 0 is the core of the turn
	}
}

func (r *rewriter) add(b *block) {
	if r.answer != nil {
		b.Attrs[attrAnswer], r.answer = r.answer, nil
	}
	call, _ := b.Attrs[attrCall].(string)
	if of := r.calls[call]; of != "" && b.Kind == "result" {
		if b.inHead {
			b.id = r.e.AddResult(of, b.Spec)
			r.fresh = true
			return
		}
		b.Refs = []string{of}
	}
	b.id = r.e.Add(b.parent, b.Spec)
	r.fresh = true
}

// system edits ^sys. Blocks there can change in place: a changed tool or text
// becomes a new version under the same id.
func (c *change) system(e *pact.Batch) {
	old, now, next := c.old, c.now, c.next
	stays := make([]bool, len(old))
	last := -1
	for j, i := range next {
		if i >= 0 {
			stays[i], last = true, j
		}
	}
	for i := range old {
		if !stays[i] {
			e.Remove(old[i].id)
		}
	}
	var offset int64 // offset of the previous block
	added := false   // this edit added the previous block
	for j := range now {
		b := &now[j]
		i := next[j]
		switch {
		case i >= 0 && !(added && old[i].Offset <= offset):
			offset, added = old[i].Offset, false
			if old[i].key != b.key {
				e.Update(old[i].id, map[string]any{"content": b.Content})
			}
			continue
		case i >= 0:
			e.Remove(old[i].id) // the blocks added before this removal have later stamps
		case j > last && j == 0:
			offset = firstOffset(b)
		case j > last:
			offset = max(offset+1, firstOffset(b))
		case j == 0:
			offset = firstKept(old, next) - 1
		}
		b.Offset, added = offset, true
		e.Add(systemRegion, b.Spec)
	}
}

// firstOffset returns the offset where tool definitions begin, or the system
// prompt.
func firstOffset(b *block) int64 {
	if b.Kind == "tool" {
		return firstTool
	}
	return 1
}

// firstKept returns the offset of the first continued block.
func firstKept(old []block, next []int) int64 {
	for _, i := range next {
		if i >= 0 {
			return old[i].Offset
		}
	}
	return 1
}
