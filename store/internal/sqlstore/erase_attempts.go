package sqlstore

import (
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// attemptRow is a row of attempts after the erasure.
type attemptRow struct {
	attemptKey
	store.Attempt
	proof   int64
	hasText bool // it contains a text
}

// attempts returns the attempts of a branch that the erasure changes. Attempts have no
// revision, so the erasure reads them once more under the lock. A row that did not match its
// proof before does not match it afterwards.
func (x *erasure) attempts(q querier, b *branch) ([]attemptRow, error) {
	rows, err := q.QueryContext(x.ctx, x.store.bound(attemptRows), int64(b.Key), int64(beforeAll), int64(afterAll))
	if err != nil {
		return nil, x.store.fail(x.ctx, err, "reading attempts")
	}
	defer rows.Close()
	var list []attemptRow
	for rows.Next() {
		a, at, proof, err := scanAttempt(rows.Scan)
		if err != nil {
			return nil, x.store.fail(x.ctx, err, "reading attempts")
		}
		shown := b.shown(a)
		left, changed := a.Erase(!shown && b.sent(at.cycle), !shown && len(x.Texts) > 0, x.finder)
		if !changed {
			continue
		}
		was, err := attemptArgs(at, a)
		if err != nil {
			return nil, err
		}
		is, err := attemptArgs(at, left)
		if err != nil {
			return nil, err
		}
		held := proof == attemptProof(was)
		if proof = attemptProof(is); !held {
			proof ^= 1
		}
		list = append(list, attemptRow{at, left, proof, x.finder.InAttempt(&a)})
	}
	return list, x.store.fail(x.ctx, rows.Err(), "reading attempts")
}

// sent reports whether an attempt of a cycle may have sent erased text: text in the snapshot of
// the cycle or in the snapshot before it, in any version.
func (b *branch) sent(cycle int64) bool {
	changed := func(cycle int64) bool {
		s, ok := b.digests[cycle]
		return ok && s.digest != s.newDigest
	}
	if cycle > b.Cycle {
		return b.working.digest != b.working.newDigest || changed(b.Cycle)
	}
	return changed(cycle) || changed(cycle-1)
}

// shown reports whether an attempt sent the thread of the snapshot of its cycle,
// and the erasure leaves that thread as it is.
func (b *branch) shown(a store.Attempt) bool {
	s, ok := b.digests[a.Cycle]
	return ok && s.thread == s.newThread && s.hash == a.Thread
}

// loadAttemptCycles records the cycles in which a branch has attempts.
func (x *erasure) loadAttemptCycles(b *branch) error {
	b.attemptCycles = map[int64]bool{}
	rows, err := x.store.read.QueryContext(x.ctx, x.store.bound(`SELECT DISTINCT cycle FROM attempt WHERE branch = ?`),
		int64(b.Key))
	if err != nil {
		return x.store.fail(x.ctx, err, "reading attempts")
	}
	defer rows.Close()
	for rows.Next() {
		var cycle int64
		if err := rows.Scan(&cycle); err != nil {
			return x.store.fail(x.ctx, err, "reading attempts")
		}
		b.attemptCycles[cycle] = true
	}
	return x.store.fail(x.ctx, rows.Err(), "reading attempts")
}

// digestPair holds the digests of a tree before and after the erasure.
type digestPair struct {
	digest, thread, newDigest, newThread tree.Digest

	hash string // of the thread before, in cycles that have attempts
}
