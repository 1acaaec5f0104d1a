package pact

import (
	"context"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

// StoreReport is what VerifyAll found.
type StoreReport struct {
	Broken   *Broken         `json:"broken,omitempty"` // in what is no context's own
	Contexts []*VerifyReport `json:"contexts"`         // by name
}

// Holds reports whether nothing is broken.
func (r *StoreReport) Holds() bool {
	return r.Broken == nil && !slices.ContainsFunc(r.Contexts, func(c *VerifyReport) bool { return c.Broken != nil })
}

// VerifyAll is Verify for everything in a store: which contexts there are, what
// no context has, and every context. progress, if not nil, is told how many
// snapshots are done of those that there are. Cost: everything that is stored
// once, and rendering every snapshot.
func VerifyAll(ctx context.Context, s store.Store, progress func(done, total int)) (*StoreReport, error) {
	r := &StoreReport{Contexts: []*VerifyReport{}}
	var err error
	if r.Broken, err = verifyStore(ctx, s); err != nil {
		return nil, err
	}
	list, err := s.Contexts(ctx)
	if err != nil && r.Broken != nil {
		return r, nil // what is broken hides which contexts there are
	}
	if err != nil {
		return nil, err
	}
	done, total := 0, 0
	for _, i := range list {
		total += int(i.Cycle - i.First + 1)
	}
	for _, i := range list {
		before := done
		one, err := verifyContext(ctx, s, i, func(n, _ int) {
			if done = before + n; progress != nil {
				progress(min(done, total), total)
			}
		})
		if err != nil && (ctx.Err() != nil || fault.CodeOf(err) != fault.Store) {
			return nil, err
		}
		if err != nil { // one that cannot be read hides no other
			one = &VerifyReport{Context: i.Name, Broken: &Broken{Loose: true, What: err.Error()}}
		}
		r.Contexts = append(r.Contexts, one)
	}
	return r, nil
}
