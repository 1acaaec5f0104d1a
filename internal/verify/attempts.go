package verify

import (
	"math"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
)

// readAttempts reads the attempts of the published cycles and of the current one (03 §6).
func (v *verifier) readAttempts() error {
	list, err := v.store.Attempts(v.ctx, v.now.Key, math.MinInt64, v.now.Stamps.Cycle)
	if err != nil || len(list) == 0 {
		return err
	}
	v.attempts = make(map[int64][]history.Attempt)
	v.found.Attempts = &inspect.AttemptCounts{Records: len(list), Differing: []int64{}}
	for _, a := range list {
		v.attempts[a.Cycle] = append(v.attempts[a.Cycle], a)
		if a.Status == history.Running {
			v.found.Attempts.Running++
		}
	}
	return nil
}

// countAttempts compares the threads that the attempts of a cycle sent with the digest of the
// committed thread.
func countAttempts(counts *inspect.AttemptCounts, cycle int64, thread string, attempts []history.Attempt) {
	completed, erased := false, false
	for _, a := range attempts {
		switch {
		case a.Status != history.Completed:
		case a.Thread == history.NoThread:
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
