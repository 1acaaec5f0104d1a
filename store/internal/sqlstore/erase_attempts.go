package sqlstore

import (
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// attemptRow is a row of attempts as an erasure leaves it.
type attemptRow struct {
	place
	store.Attempt
	proof int64
}

// attempts returns the attempts of a branch that change. They take no revision,
// so that they are looked at once more under the lock. A proof that does not
// hold before does not hold afterwards.
func (x *erasure) attempts(q querier, b *branch) ([]attemptRow, error) {
	rows, err := q.QueryContext(x.ctx, x.store.bound(attemptRows), int64(b.Key), int64(before), int64(endless))
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
		left, changed := a.Erase(b.sent(at.cycle), x.finder)
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
		held := proof == proofOf(was)
		if proof = proofOf(is); !held {
			proof ^= 1
		}
		list = append(list, attemptRow{at, left, proof})
	}
	return list, x.store.fail(x.ctx, rows.Err(), "reading attempts")
}

// sent reports whether an attempt of a cycle may have been sent what goes: it
// was in the snapshot of the cycle or in the one before it.
func (b *branch) sent(cycle int64) bool {
	changed := func(cycle int64) bool {
		s, ok := b.sums[cycle]
		return ok && s.thread != s.newThread
	}
	if cycle > b.Cycle {
		return b.working.digest != b.working.newDigest || changed(b.Cycle)
	}
	return changed(cycle) || changed(cycle-1)
}

// sums are digests of a tree before and after.
type sums struct{ digest, thread, newDigest, newThread tree.Digest }
