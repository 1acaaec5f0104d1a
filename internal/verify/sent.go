package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"

	"github.com/contexttree/pact/internal/tree"
)

// threadSums takes the SHA-256 of threads of one context, oldest first.
type threadSums struct {
	last   *tree.Tree  // the one before, nil before the first
	behind []sumBehind // of its beginning, the shortest first
	blocks int         // that were rendered in all
	buf    []byte      // reused to render a block
}

// sumBehind is the SHA-256 of the beginning of a thread, up to so many blocks.
type sumBehind struct {
	blocks int
	sum    hash.Cloner
}

// of returns the SHA-256 of the canonical thread of a tree whose nodes were checked. Cost: the blocks behind those with
// which the thread before begins too.
func (s *threadSums) of(ctx context.Context, t *tree.Tree) (string, error) {
	same := 0
	if s.last != nil {
		var err error
		if same, err = tree.CommonBlocks(ctx, s.last, t); err != nil {
			return "", err
		}
	}
	for len(s.behind) > 0 && s.behind[len(s.behind)-1].blocks > same {
		s.behind = s.behind[:len(s.behind)-1]
	}
	at := sumBehind{sum: sha256.New().(hash.Cloner)}
	if n := len(s.behind); n > 0 {
		at = sumBehind{s.behind[n-1].blocks, copied(s.behind[n-1].sum)}
	}
	for b, err := range t.Blocks(at.blocks) {
		s.buf = append(s.buf[:0], "[,"[min(at.blocks, 1)])
		if err == nil {
			s.buf, err = b.Node().AppendRendered(ctx, s.buf, b.Region)
		}
		if err != nil {
			return "", err
		}
		at.sum.Write(s.buf)
		at.blocks++
		s.blocks++
		if cap(s.buf) > maxKeptBuffer {
			s.buf = nil
		}
	}
	s.last, s.behind = t, append(s.behind, at)
	whole := copied(at.sum)
	if at.blocks == 0 {
		whole.Write([]byte("["))
	}
	whole.Write([]byte("]"))
	return hex.EncodeToString(whole.Sum(nil)), nil
}

// copied copies a SHA-256.
func copied(h hash.Cloner) hash.Cloner {
	again, err := h.Clone()
	if err != nil {
		panic(err) // that of the standard library can always be copied
	}
	return again
}
