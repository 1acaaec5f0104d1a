package tree

import (
	"crypto/sha256"
	"encoding"
	"hash"
)

// hashing is the SHA-256 of a thread that is being written. It skips kept turns that
// followed the same bytes the last time: verifying a history of n calls hashes each turn
// once and not n times. A nil hashing does nothing.
type hashing struct {
	h      hash.Hash
	state  string // of everything so far, "" if nobody asked h for it yet
	behind bool   // whether h has not taken all of it
}

// step is the effect of a kept turn on the state of a hash.
type step struct{ before, after string }

func newHashing() *hashing { return &hashing{h: sha256.New()} }

func (s *hashing) add(b []byte) {
	if s != nil {
		s.catchUp()
		s.h.Write(b)
		s.state = ""
	}
}

// pass takes b, the bytes of a kept turn.
func (s *hashing) pass(k *rendered, b []byte) {
	if s == nil {
		return
	}
	before := s.mark()
	if known := k.step.Load(); known != nil && known.before == before {
		s.state, s.behind = known.after, true
		return
	}
	s.add(b)
	k.step.Store(&step{before, s.mark()})
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
