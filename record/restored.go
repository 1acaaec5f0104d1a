package record

import (
	"context"
	"errors"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
)

// VerifyRequests restores every request that was recorded in the context of a verification, and tells the verification
// how many are what was sent, byte for byte, and which are not: mostly because an edit or an erasure changed a snapshot
// since, or because the record cannot be read. It leaves out a context that does not hold or is gone, and requests that
// were erased. Errors: E_STORE if the medium fails. Cost: of each request what the one before does not begin with, and
// reading the snapshots in order.
//
// Specification: 06 §6.
func VerifyRequests(ctx context.Context, db *pact.DB, v *inspect.Verification) error {
	if !v.Holds() || v.Attempts == nil {
		return nil
	}
	c, err := pact.Open(ctx, db, v.Context, nil)
	if errors.Is(err, fault.ContextNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	first, last := c.Info().First, c.Info().Cycle
	attempts, err := c.Attempts(ctx, first, last+1)
	if err != nil {
		return err
	}
	r, snapshots := NewRequests(c), snapshotReader{}
	defer snapshots.end()
	for len(attempts) > 0 {
		cycle, n := attempts[0].Cycle, 0
		for n < len(attempts) && attempts[n].Cycle == cycle {
			n++
		}
		for i, a := range attempts[:n] {
			k, err := recordOf(attempts[:n], i)
			if err != nil { // what stands there is no record
				v.Attempts.Unrestored = append(v.Attempts.Unrestored, a.ID)
				continue
			}
			if !k.hasRequest() || k.Erased {
				continue
			}
			read := func(ctx context.Context, _ pact.Address) (*pact.Snapshot, error) {
				return snapshots.read(ctx, c, cycle)
			}
			switch _, err := r.sentBy(ctx, attempts[:n], i, read); {
			case err == nil:
				v.Attempts.Restored++
			case errors.Is(err, fault.Conflict), errors.Is(err, fault.DocumentInvalid):
				v.Attempts.Unrestored = append(v.Attempts.Unrestored, a.ID)
			default:
				return err
			}
		}
		attempts = attempts[n:]
	}
	return nil
}
