package record

import (
	"errors"
	"slices"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/record/provider"
)

// errBeginsLate says that a walk which did not begin with the first call came to one that may depend on each before it.
var errBeginsLate = errors.New("the walk begins too late")

// beginning returns the first cycle of a walk that reports on some calls as one over the whole context does; first and
// last are those of the context. A call that was rebuilt is compared with the one before it, and what it read with what
// the newest call of its model left. All that is known of that is known from the newest call on that wrote to the
// cache: one that only read has the lifetime of an earlier one.
func (w *follower) beginning(first, last, from, to int64) (int64, error) {
	if from <= first || to > last || !w.bySnapshots(true) {
		return first, nil
	}
	attempts, err := w.c.Attempts(w.ctx, from, to)
	if err != nil {
		return 0, err
	}
	writes := map[string]bool{} // the models whose last write is looked for
	for _, a := range attempts {
		writes[undated(a.Model)] = true
	}
	for step := int64(4); from > first; step *= 2 {
		end := from
		from = max(first, end-step)
		if attempts, err = w.c.Attempts(w.ctx, from, end-1); err != nil {
			return 0, err
		}
		for len(attempts) > 0 {
			cycle := attempts[len(attempts)-1].Cycle
			n := slices.IndexFunc(attempts, func(a history.Attempt) bool { return a.Cycle == cycle })
			model, wrote, err := w.cachedTokens(attempts[n:])
			if err != nil {
				return 0, err
			}
			if wrote {
				delete(writes, model)
			}
			if len(writes) == 0 {
				return cycle, nil
			}
			attempts = attempts[:n]
		}
	}
	return first, nil
}

// cachedTokens returns the model of a call, and reports whether the call says by itself what it left in the cache and
// how long that stays.
func (w *follower) cachedTokens(of []history.Attempt) (model string, wrote bool, err error) {
	of, k, err := w.upToLastSent(of, true)
	if err != nil || k == nil || len(k.Frame) > 0 {
		return "", false, err
	}
	about, err := aboutIn(k)
	a := of[len(of)-1]
	u := reportedCache(a, about)
	return undated(a.Model), u != nil && u.Read != nil && (orZero(u.Written) > 0 || !provider.CacheRulesOf(k.API).Marked), err
}
