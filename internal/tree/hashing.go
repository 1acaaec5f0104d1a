package tree

import (
	"crypto/sha256"
	"encoding"
	"hash"
	"sync/atomic"
)

// hashing is the SHA-256 of a thread that is being written. It skips kept turns, and runs of them, that
// followed the same bytes the last time: verifying a history of n calls hashes each turn
// once and not n times. A nil hashing does nothing.
type hashing struct {
	h      hash.Hash
	state  string // of everything so far, "" if nobody asked h for it yet
	behind bool   // whether h has not taken all of it
	size   int64  // bytes so far
}

// step is the effect of kept turns on a hash: its states before and after them, and how many bytes they are.
type step struct {
	before, after string
	size          int64
}

func newHashing() *hashing { return &hashing{h: sha256.New()} }

func (s *hashing) add(b []byte) {
	if s != nil {
		s.catchUp()
		s.h.Write(b)
		s.state = ""
		s.size += int64(len(b))
	}
}

// pass takes b, the bytes of a kept turn.
func (s *hashing) pass(k *rendered, b []byte) {
	if s != nil {
		s.through(&k.step, func() bool { s.add(b); return true })
	}
}

// through does what do would, which hashes what is the same each time, and keeps it as a step. If it was done before at
// the same state, it takes the step without do. It keeps nothing of what do reports as failed.
func (s *hashing) through(cached *atomic.Pointer[step], do func() bool) {
	before, size := s.mark(), s.size
	if known := cached.Load(); known != nil && known.before == before {
		s.state, s.behind, s.size = known.after, true, s.size+known.size
		return
	}
	if do() {
		cached.Store(&step{before, s.mark(), s.size - size})
	}
}

func (s *hashing) mark() string {
	if s.state == "" {
		state, err := s.h.(encoding.BinaryMarshaler).MarshalBinary()
		if err != nil {
			panic(err) // a SHA-256 of the standard library always says its state
		}
		s.state = string(state)
	}
	return s.state
}

func (s *hashing) catchUp() {
	if s.behind {
		if err := s.h.(encoding.BinaryUnmarshaler).UnmarshalBinary([]byte(s.state)); err != nil {
			panic(err) // the state is one that mark returned
		}
		s.behind = false
	}
}

func (s *hashing) sum() Digest {
	s.catchUp()
	return Digest(s.h.Sum(nil))
}
