package tree

import (
	"hash/maphash"
	"math/bits"
)

// trie is a persistent hash map from ids to values: a change copies one path
// and leaves every earlier version as it was. Its shape depends on a seed of
// this process, so that no input can be made to collide, and is never seen:
// nothing iterates a trie in its own order.
//
// Cost: get, with and without are O(log₁₆ n).
type trie[V any] struct {
	root *trieNode[V]
	size int
}

type trieNode[V any] struct {
	bitmap uint32
	slots  []trieSlot[V]
	owner  *trieOwner
}

// trieSlot holds either an entry or everything whose hash goes on below. At the
// last level slots are a plain list. Entries are shared, so that copying a path
// copies pointers.
type trieSlot[V any] struct {
	entry *trieEntry[V]
	sub   *trieNode[V]
}

type trieEntry[V any] struct {
	key string
	val V
}

// trieOwner marks nodes that one bulk build made and may therefore still
// change in place.
type trieOwner struct{ _ byte }

const (
	trieBits  = 4
	trieLevel = 60 // bits of hash used before slots become a list
)

var trieSeed = maphash.MakeSeed()

func (t trie[V]) get(key string) (V, bool) {
	n, hash := t.root, maphash.String(trieSeed, key)
	for shift := 0; n != nil; shift += trieBits {
		if shift >= trieLevel {
			for i := range n.slots {
				if e := n.slots[i].entry; e.key == key {
					return e.val, true
				}
			}
			break
		}
		bit, i := n.slot(hash >> shift)
		if n.bitmap&bit == 0 {
			break
		}
		s := &n.slots[i]
		if s.sub == nil {
			if s.entry.key == key {
				return s.entry.val, true
			}
			break
		}
		n = s.sub
	}
	var none V
	return none, false
}

func (t trie[V]) with(key string, val V, owner *trieOwner) trie[V] {
	grew := false
	root := t.root.with(&trieEntry[V]{key, val}, maphash.String(trieSeed, key), 0, owner, &grew)
	if grew {
		t.size++
	}
	return trie[V]{root, t.size}
}

func (t trie[V]) without(key string, owner *trieOwner) trie[V] {
	root, found := t.root.without(key, maphash.String(trieSeed, key), 0, owner)
	if !found {
		return t
	}
	return trie[V]{root, t.size - 1}
}

// each calls f for every entry, in no particular order, until f returns false.
func (t trie[V]) each(f func(key string, val V) bool) bool { return t.root.each(f) }

func (n *trieNode[V]) each(f func(string, V) bool) bool {
	if n == nil {
		return true
	}
	for i := range n.slots {
		s := &n.slots[i]
		if s.sub != nil {
			if !s.sub.each(f) {
				return false
			}
		} else if !f(s.entry.key, s.entry.val) {
			return false
		}
	}
	return true
}

func (n *trieNode[V]) slot(hash uint64) (bit uint32, index int) {
	bit = 1 << (hash & (1<<trieBits - 1))
	return bit, bits.OnesCount32(n.bitmap & (bit - 1))
}

// editable returns n itself if owner made it, else a copy with room.
func (n *trieNode[V]) editable(owner *trieOwner, room int) *trieNode[V] {
	if owner != nil && n.owner == owner {
		return n
	}
	c := newTrieNode[V](len(n.slots)+room, owner)
	c.bitmap, c.slots = n.bitmap, append(c.slots, n.slots...)
	return c
}

// newTrieNode returns a node that has room for slots, in one allocation with them:
// each edit copies dozens of nodes.
func newTrieNode[V any](slots int, owner *trieOwner) *trieNode[V] {
	var n *trieNode[V]
	switch {
	case slots <= 2:
		of := new(struct {
			trieNode[V]
			room [2]trieSlot[V]
		})
		n, of.slots = &of.trieNode, of.room[:0]
	case slots <= 4:
		of := new(struct {
			trieNode[V]
			room [4]trieSlot[V]
		})
		n, of.slots = &of.trieNode, of.room[:0]
	case slots <= 7:
		of := new(struct {
			trieNode[V]
			room [7]trieSlot[V]
		})
		n, of.slots = &of.trieNode, of.room[:0]
	case slots <= 11:
		of := new(struct {
			trieNode[V]
			room [11]trieSlot[V]
		})
		n, of.slots = &of.trieNode, of.room[:0]
	case slots <= 1<<trieBits:
		of := new(struct {
			trieNode[V]
			room [1 << trieBits]trieSlot[V]
		})
		n, of.slots = &of.trieNode, of.room[:0]
	default: // a list at the last level
		n = &trieNode[V]{slots: make([]trieSlot[V], 0, slots)}
	}
	n.owner = owner
	return n
}

func (n *trieNode[V]) with(e *trieEntry[V], hash uint64, shift int, owner *trieOwner, grew *bool) *trieNode[V] {
	if n == nil {
		n = newTrieNode[V](1, owner)
	}
	if shift >= trieLevel {
		c := n.editable(owner, 1)
		for i := range c.slots {
			if c.slots[i].entry.key == e.key {
				c.slots[i].entry = e
				return c
			}
		}
		*grew = true
		c.slots = append(c.slots, trieSlot[V]{entry: e})
		return c
	}
	bit, i := n.slot(hash >> shift)
	if n.bitmap&bit == 0 {
		c := n.editable(owner, 1)
		*grew = true
		c.bitmap |= bit
		c.slots = append(c.slots, trieSlot[V]{})
		copy(c.slots[i+1:], c.slots[i:])
		c.slots[i] = trieSlot[V]{entry: e}
		return c
	}
	c := n.editable(owner, 0)
	s := &c.slots[i]
	switch {
	case s.sub != nil:
		s.sub = s.sub.with(e, hash, shift+trieBits, owner, grew)
	case s.entry.key == e.key:
		s.entry = e
	default:
		ignored := false
		sub := (*trieNode[V])(nil).with(s.entry, maphash.String(trieSeed, s.entry.key), shift+trieBits, owner, &ignored)
		*s = trieSlot[V]{sub: sub.with(e, hash, shift+trieBits, owner, grew)}
	}
	return c
}

func (n *trieNode[V]) without(key string, hash uint64, shift int, owner *trieOwner) (*trieNode[V], bool) {
	if n == nil {
		return nil, false
	}
	if shift >= trieLevel {
		for i := range n.slots {
			if n.slots[i].entry.key == key {
				return n.dropped(0, i, owner), true
			}
		}
		return n, false
	}
	bit, i := n.slot(hash >> shift)
	if n.bitmap&bit == 0 {
		return n, false
	}
	s := n.slots[i]
	if s.sub == nil {
		if s.entry.key != key {
			return n, false
		}
		return n.dropped(bit, i, owner), true
	}
	sub, found := s.sub.without(key, hash, shift+trieBits, owner)
	if !found {
		return n, false
	}
	if sub == nil {
		return n.dropped(bit, i, owner), true
	}
	c := n.editable(owner, 0)
	if len(sub.slots) == 1 && sub.slots[0].sub == nil {
		c.slots[i] = sub.slots[0] // a lone entry moves up, so that deletes undo inserts
	} else {
		c.slots[i].sub = sub
	}
	return c, true
}

// dropped returns n without slot i, nil when nothing is left.
func (n *trieNode[V]) dropped(bit uint32, i int, owner *trieOwner) *trieNode[V] {
	if len(n.slots) == 1 {
		return nil
	}
	if owner != nil && n.owner == owner {
		n.bitmap &^= bit
		n.slots = append(n.slots[:i], n.slots[i+1:]...)
		return n
	}
	c := newTrieNode[V](len(n.slots)-1, owner)
	c.bitmap = n.bitmap &^ bit
	c.slots = append(append(c.slots, n.slots[:i]...), n.slots[i+1:]...)
	return c
}
