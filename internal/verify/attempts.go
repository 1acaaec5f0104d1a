package verify

import (
	"math"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/store"
)

// readAttempts reads the attempts of the published cycles and of the current one (03 §6).
func (v *verifier) readAttempts() error {
	keeper, ok := v.store.(store.AttemptKeeper)
	if !ok {
		return nil
	}
	list, err := keeper.Attempts(v.ctx, v.now.Key, math.MinInt64, v.now.Stamps.Cycle)
	if err != nil || len(list) == 0 {
		return err
	}
	v.attempts = make(map[int64][]store.Attempt)
	v.found.Attempts = &inspect.AttemptCounts{Records: len(list), Differing: []int64{}}
	for _, a := range list {
		v.attempts[a.Cycle] = append(v.attempts[a.Cycle], a)
		if a.Status == store.Running {
			v.found.Attempts.Running++
		}
	}
	return nil
}

// countAttempts compares the threads that the attempts of a cycle sent with the SHA-256 of the
// committed thread.
func countAttempts(counts *inspect.AttemptCounts, cycle int64, thread string, attempts []store.Attempt) {
	completed, erased := false, false
	for _, a := range attempts {
		switch {
		case a.Status != store.Completed:
		case a.Thread == store.NoThread:
			erased = true
		case a.Thread == thread:
			counts.Matching++
			return
		default:
			completed = true
		}
	}
	switch {
	case erased:
		counts.Erased++
	case completed:
		counts.Differing = append(counts.Differing, cycle)
	default:
		counts.Incomplete++
	}
}
