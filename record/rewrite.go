package record

import (
	"cmp"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// The offset of the first tool of ^sys. Tools stand before the system prompt,
// which begins at offset 1.
const firstTool = -1 << 32

// The regions that a recorder adds blocks to.
const (
	systemRegion = "^sys"
	activeHead   = "^ah"
)

// change is the difference between the blocks of the working state and those of
// a request.
type change struct {
	api      provider.API
	old, now []block
	first    int   // how many blocks both begin with
	next     []int // for each block of now from first on the block of old that it continues or succeeds, -1 for none
}

// changeOf compares the blocks, of which both are known to begin with the same ones. Beyond a comparison of keys it
// costs what follows the blocks that both begin with.
func changeOf(api provider.API, old, now []block, same int) change {
	c := change{api: api, old: old, now: now, first: same}
	for c.first < min(len(old), len(now)) && old[c.first].key == now[c.first].key {
		c.first++
	}
	old, now = old[c.first:], now[c.first:]
	c.next = successors(old, now, provider.Align(keysOf(old), keysOf(now)))
	for j := range c.next {
		if c.next[j] >= 0 {
			c.next[j] += c.first
		}
	}
	return c
}

// before returns the block of old that a block of now continues or succeeds, -1 for none.
func (c *change) before(j int) int {
	if j < c.first {
		return j
	}
	return c.next[j-c.first]
}

// count returns how many blocks went without a successor, and how many have a
// successor that says something else.
func (c *change) count() (gone, changed int) {
	gone = len(c.old) - c.first
	for j := c.first; j < len(c.now); j++ {
		if i := c.before(j); i >= 0 {
			gone--
			if c.old[i].key != c.now[j].key {
				changed++
			}
		}
	}
	return gone, changed
}

// rewriter changes the conversation of a working state into a new thread, in
// which continued blocks keep their ids and places. A recorder puts every block
// outside the core of its turn, where it can be removed, and at an offset of
// its own, where another block can replace it.
type rewriter struct {
	*change
	e     *pact.Batch
	at    int    // the number of the current block of now
	next  int64  // the offset for the next block of ^ah
	prev  *block // the block before the current one
	fresh bool   // this edit added prev
	// The node ids of tool calls by call id, those of now[first:at] and of old[early:first]; of
	// several calls with one id the last.
	calls, earlier map[string]string
	early          int
	// the report of the provider about an answer whose first block this edit removes; the next added block takes it over
	answer canon.Value
}

// conversation edits the conversation.
func (c *change) conversation(e *pact.Batch) {
	old, now := c.old, c.now
	r := &rewriter{change: c, e: e, next: 1, calls: map[string]string{}, earlier: map[string]string{}, early: c.first}
	for i := len(old) - 1; i >= 0 && old[i].inHead; i-- {
		r.next = max(r.next, old[i].offset+1)
	}
	stays := make([]bool, len(old)-c.first) // of old from first on
	last := c.first - 1                     // the last block of now that took the place of an old one
	for j := c.first; j < len(now); j++ {
		if i := c.before(j); i >= 0 {
			stays[i-c.first] = old[i].key == now[j].key
			last = j
		}
	}
	for i := c.first; i < len(old); i++ {
		if !stays[i-c.first] {
			e.Remove(old[i].id)
			r.answer = cmp.Or(old[i].answer, r.answer)
		}
	}
	if c.first > 0 {
		r.prev = &old[c.first-1]
	}
	for r.at = c.first; r.at < len(now); r.at++ {
		b := &now[r.at]
		switch i := c.before(r.at); {
		case i >= 0 && stays[i-c.first] && !r.behind(&old[i]):
			b.id, b.parent, b.offset, b.inHead = old[i].id, old[i].parent, old[i].offset, old[i].inHead
			r.fresh = false
		case i >= 0:
			if stays[i-c.first] {
				e.Remove(old[i].id) // the blocks added before this removal have later stamps
			}
			b.parent, b.offset, b.inHead = old[i].parent, old[i].offset, old[i].inHead
			r.add(b, old[i].id)
		case r.at > last:
			b.parent, b.offset, b.inHead = activeHead, r.next, true
			r.next++
			r.add(b, "")
		default:
			r.between(b)
			r.add(b, "")
		}
		if r.prev = b; b.kind == "call" && b.call != "" {
			r.calls[b.call] = b.id
		}
	}
}

// behind reports whether a block shares its place with a block that this edit
// added and that has to stand before it.
func (r *rewriter) behind(b *block) bool {
	return r.fresh && r.prev.parent == b.parent && r.prev.offset == b.offset
}

// between places a new block among continued ones. It takes the place of the
// block before it, because its stamp is later; with no block before it, a place
// in front of the first.
func (r *rewriter) between(b *block) {
	if r.prev != nil {
		b.parent, b.offset, b.inHead = r.prev.parent, r.prev.offset, r.prev.inHead
		return
	}
	b.offset = 0
	for _, i := range r.change.next[r.at-r.first:] {
		if i >= 0 {
			b.parent, b.offset, b.inHead = r.old[i].parent, r.old[i].offset-1, r.old[i].inHead
			break
		}
	}
	if b.offset == 0 {
		b.offset = -1 // offset 0 is the core of the turn
	}
}

// add adds a block, in place of the one with the id replaces, "" for none.
func (r *rewriter) add(b *block, replaces string) {
	s := specOf(b.part, r.api)
	s.Offset = b.offset
	if replaces != "" {
		s.Attrs[attrReplaces] = replaces
	}
	if r.answer != "" {
		s.Attrs[attrAnswer], r.answer = r.answer, ""
	}
	r.fresh = true
	if of := r.blockOfCall(b); of != "" && b.inHead {
		b.id = r.e.AddResult(of, s)
		return
	} else if of != "" {
		s.Refs = []string{of}
	}
	b.id = r.e.Add(b.parent, s)
}

// blockOfCall returns the id of the block before a result that has its call, "" for another block and
// for none. The call is mostly among the last blocks.
func (r *rewriter) blockOfCall(result *block) string {
	if result.kind != "result" || result.call == "" {
		return ""
	}
	if id := r.calls[result.call]; id != "" {
		return id
	}
	for r.earlier[result.call] == "" && r.early > 0 {
		r.early--
		if b := &r.old[r.early]; b.kind == "call" && b.call != "" && r.earlier[b.call] == "" {
			r.earlier[b.call] = b.id
		}
	}
	return r.earlier[result.call]
}

// system edits ^sys. Blocks there can change in place: a changed tool or text
// becomes a new version under the same id, unless the block was erased.
func (c *change) system(e *pact.Batch) {
	old, now := c.old, c.now
	stays := make([]bool, len(old))
	last := -1
	for j := range now {
		if i := c.before(j); i >= 0 {
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
		i := c.before(j)
		behind := i >= 0 && added && old[i].offset <= offset
		switch {
		case i >= 0 && !behind && (!old[i].erased || old[i].key == b.key):
			offset, added = old[i].offset, false
			if old[i].key != b.key {
				e.Update(old[i].id, func(s *pact.Spec) { s.Content = b.part.Content })
			}
			continue
		case i >= 0:
			e.Remove(old[i].id) // the blocks added before this removal have later stamps
			if !behind {
				offset = old[i].offset
			}
		case j > last && j == 0:
			offset = firstOffset(b)
		case j > last:
			offset = max(offset+1, firstOffset(b))
		case j == 0:
			offset = c.firstKept() - 1
		}
		s := specOf(b.part, c.api)
		s.Offset, added = offset, true
		e.Add(systemRegion, s)
	}
}

// firstOffset returns the offset where tool definitions begin, or the system
// prompt.
func firstOffset(b *block) int64 {
	if b.kind == "tool" {
		return firstTool
	}
	return 1
}

// firstKept returns the offset of the first continued block.
func (c *change) firstKept() int64 {
	for j := range c.now {
		if i := c.before(j); i >= 0 {
			return c.old[i].offset
		}
	}
	return 1
}
