package tokens

import (
	"math"
	"slices"
)

// none is the rank of what is not a token.
const none = math.MaxUint32

// merger merges the bytes of pieces by byte-pair encoding: among all neighbours whose
// concatenation is a token it merges those of the lowest rank, the leftmost first, until
// none are left. It uses its memory again for each piece.
type merger struct {
	*vocabulary
	parts []part
	pairs []pair
	steps int // parts and pairs looked at, for the tests of cost
}

// part is a run of bytes of the piece. Parts are indexed by their first byte.
type part struct {
	previous, next int32  // the neighbours; next is also where the part ends
	rank           uint32 // of the token it makes with the next part, or none
}

// pair is a part that may be merged with the next: the rank in the high bits, the first
// byte in the low ones, so that the least pair is the next to merge. A pair is out of
// date if the part has another rank by now.
type pair uint64

// merge returns how many tokens a piece has; the piece must not be empty. If it has
// several, they are the parts of the merger, beginning with part 0.
//
// Cost: a merge looks up two pairs and costs the logarithm of the length.
func (m *merger) merge(piece string) int {
	m.steps++
	if m.rank(piece) != none {
		return 1
	}
	n := len(piece)
	m.parts, m.pairs = slices.Grow(m.parts[:0], n), slices.Grow(m.pairs[:0], n)
	for i := range n {
		p := part{previous: int32(i) - 1, next: int32(i) + 1, rank: none}
		if i+1 < n {
			p.rank = m.twos[int(piece[i])<<8|int(piece[i+1])]
		}
		m.parts = append(m.parts, p)
		if p.rank != none {
			m.pairs = append(m.pairs, pair(p.rank)<<32|pair(i))
		}
	}
	m.steps += n
	for i := len(m.pairs)/2 - 1; i >= 0; i-- {
		m.sink(i)
	}
	count := n
	for len(m.pairs) > 0 {
		least := m.pop()
		i := int32(least & math.MaxUint32)
		left := &m.parts[i]
		if left.rank != uint32(least>>32) {
			continue
		}
		right := &m.parts[left.next]
		left.next, right.rank = right.next, none
		if int(left.next) < n {
			m.parts[left.next].previous = i
		}
		count--
		m.pairUp(piece, i)
		if left.previous >= 0 {
			m.pairUp(piece, left.previous)
		}
	}
	return count
}

// pairUp looks up the rank of a part merged with the next, after either changed.
func (m *merger) pairUp(piece string, i int32) {
	p := &m.parts[i]
	p.rank = none
	if int(p.next) == len(piece) {
		return
	}
	if p.rank = m.rank(piece[i:m.parts[p.next].next]); p.rank != none {
		m.push(pair(p.rank)<<32 | pair(i))
	}
}

// push, pop and sink keep pairs a binary heap, the least first.

func (m *merger) push(p pair) {
	m.pairs = append(m.pairs, p)
	i := len(m.pairs) - 1
	for ; i > 0 && p < m.pairs[(i-1)/2]; i = (i - 1) / 2 {
		m.pairs[i] = m.pairs[(i-1)/2]
		m.steps++
	}
	m.pairs[i] = p
}

func (m *merger) pop() pair {
	least, last := m.pairs[0], len(m.pairs)-1
	m.pairs[0] = m.pairs[last]
	m.pairs = m.pairs[:last]
	m.sink(0)
	return least
}

func (m *merger) sink(i int) {
	if i >= len(m.pairs) {
		return
	}
	p := m.pairs[i]
	for {
		m.steps++
		child := 2*i + 1
		if child >= len(m.pairs) {
			break
		}
		if child+1 < len(m.pairs) && m.pairs[child+1] < m.pairs[child] {
			child++
		}
		if m.pairs[child] >= p {
			break
		}
		m.pairs[i] = m.pairs[child]
		i = child
	}
	m.pairs[i] = p
}
