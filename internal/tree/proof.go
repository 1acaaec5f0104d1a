package tree

import (
	"crypto/sha256"
	"encoding/binary"
	"sync/atomic"
)

// proofCache keeps the digest of the blocks in a list once it was asked for.
// It says nothing about the region that the list is in, because a list may
// move from one to another. The digest stands in the list itself: each commit asks for that of each list
// that it makes.
type proofCache struct {
	state  atomic.Uint32
	digest Digest // complete once state is proven
}

// The states of a proofCache after 0, in which nobody asked yet.
const (
	proving = 1 + iota // a reader writes the digest
	proven
)

func (c *proofCache) load() (d Digest, known bool) {
	if known = c.state.Load() == proven; known {
		d = c.digest
	}
	return d, known
}

// store keeps a digest, unless another reader does.
func (c *proofCache) store(d Digest) {
	if c.state.CompareAndSwap(0, proving) {
		c.digest = d
		c.state.Store(proven)
	}
}

// The first byte that a digest covers, so that no block can pass for a list.
const (
	proofOfBlock byte = iota
	proofOfList
	proofOfThread
)

// ThreadDigest returns a digest of the canonical thread (02 §12). It covers the id, role,
// kind and content hash of each block, combined along the lists of the tree, and the
// default role of each region. So it reads no content.
//
// A field is a length (unsigned LEB128) and bytes. A block has the SHA-256 of 00, the fields id, role and kind (JSON
// strings, empty if missing), then 01 and its content hash or, if JSON cannot express the content, 00 and the content
// as a field. A list has that of 01 and the digests of its runs and items in order, those without blocks left out; an
// item has the digest of its block, then of its list. The thread has that of 02 and, for each region with blocks, the
// role that stands for a missing one, as a field, and the region's digest.
//
// Cost: what changed since a tree
// that shares lists with this one was asked for its digest.
func (t *Tree) ThreadDigest() Digest {
	var room [512]byte
	buf := append(room[:0], proofOfThread)
	for region := range t.regions {
		if region.sum.Blocks > 0 {
			role, _ := defaultRole(region.class).Text()
			buf = appendField(buf, role)
			list, n := region.proofs()
			for i := range n {
				buf = append(buf, list[i][:]...)
			}
		}
	}
	return sha256.Sum256(buf)
}

// proofs returns the digests of the block that e is and of the blocks below it: one or
// none of each.
func (e *Entry) proofs() (list [2]Digest, n int) {
	if e.class == Block {
		list[n] = e.node.proof()
		n++
	}
	if e.kids != nil && e.kids.sum.Blocks > 0 {
		list[n] = e.kids.proof()
		n++
	}
	return list, n
}

// proof returns the digest of the blocks of a list that has some.
func (l *List) proof() Digest {
	if d, known := l.proven.load(); known {
		return d
	}
	in := &l.body // a stub knows its proof
	h := sha256.New()
	h.Write([]byte{proofOfList})
	for i := range len(in.items) + 1 {
		if run := in.runBefore(i); run != nil && run.sum.Blocks > 0 {
			d := run.proof()
			h.Write(d[:])
		}
		if i < len(in.items) && in.items[i].sum.Blocks > 0 {
			list, n := in.items[i].proofs()
			for k := range n {
				h.Write(list[k][:])
			}
		}
	}
	var d Digest
	h.Sum(d[:0])
	l.proven.store(d)
	return d
}

// proof returns the digest of a block as it is rendered, except for a missing role.
func (n *Node) proof() Digest {
	buf := make([]byte, 1, 256)
	buf[0] = proofOfBlock
	buf = appendField(buf, n.ID)
	buf = appendField(buf, string(n.Header("role")))
	buf = appendField(buf, string(n.Header("kind")))
	if n.HashOK {
		buf = append(append(buf, 1), n.Hash[:]...)
	} else { // JSON cannot express the content, so that it has no hash
		buf = appendField(append(buf, 0), string(n.Content.value))
	}
	return sha256.Sum256(buf)
}

func appendField(buf []byte, s string) []byte {
	return append(binary.AppendUvarint(buf, uint64(len(s))), s...)
}
