package verify

import (
	"slices"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/tree"
)

// snapshot checks a tree, and compares it with the SHA-256 of the bytes in the log if they were
// written, and with the threads that the attempts of the cycle sent. It renders each block once, and
// for the SHA-256 once more.
func (v *verifier) snapshot(t *tree.Tree, of *history.Entry) *inspect.Defect {
	if d := v.tree(t, of); d != nil || v.err != nil {
		return d
	}
	if of.Digest != "" {
		v.found.Recorded++
	}
	if attempts := v.attempts[t.Cycle()]; len(attempts) > 0 {
		countAttempts(v.found.Attempts, t.Cycle(), t.ThreadDigest().String(), attempts)
	}
	if of.Sent == "" {
		return nil
	}
	v.found.Sent++
	found, err := v.sums.of(v.ctx, t)
	if v.err = err; err != nil {
		return nil
	}
	if found != of.Sent {
		return &inspect.Defect{Cycle: t.Cycle(), What: "SHA-256 of the bytes that were sent", Recorded: of.Sent, Found: found}
	}
	return nil
}

// tree checks the nodes of a tree and compares its digests with those in the log.
func (v *verifier) tree(t *tree.Tree, of *history.Entry) *inspect.Defect {
	v.fresh = v.fresh[:0]
	if d := v.nodes(t); d != nil || v.err != nil {
		return d
	}
	v.last = t
	if of.Digest == "" {
		return nil
	}
	if found := t.Digest().String(); found != of.Digest {
		return v.suspect(&inspect.Defect{
			Cycle: t.Cycle(), What: "digest of headers and contents", Recorded: of.Digest, Found: found,
		})
	}
	if of.Thread == "" {
		return nil
	}
	if found := t.ThreadDigest().String(); found != of.Thread {
		return v.suspect(&inspect.Defect{Cycle: t.Cycle(), What: "digest of the thread", Recorded: of.Thread, Found: found})
	}
	return nil
}

// maxSuspects is how many nodes a defect lists when one of them has it: a longer list would not help.
const maxSuspects = 50

// suspect names the nodes that the cycle added: the earlier ones are sound.
func (v *verifier) suspect(d *inspect.Defect) *inspect.Defect {
	switch n := len(v.fresh); {
	case n == 1:
		d.Node = v.fresh[0]
	case n <= maxSuspects:
		d.Suspects = slices.Clone(v.fresh)
	}
	return d
}
