package pact

import (
	"math"

	"github.com/contexttree/pact/store"
)

// attempts reads the attempts of the cycles that are there, and of the one under
// way.
func (v *verifier) attempts(s store.Store, now store.Info) error {
	list, err := s.Attempts(v.ctx, now.Key, math.MinInt64, now.Stamps.Cycle)
	if err != nil || len(list) == 0 {
		return err
	}
	v.calls = make(map[int64][]Attempt)
	v.report.Attempts = &Joined{Records: len(list), Otherwise: []int64{}}
	for _, a := range list {
		v.calls[a.Cycle] = append(v.calls[a.Cycle], a)
		if a.Status == Running {
			v.report.Attempts.Running++
		}
	}
	return nil
}

// join compares what the attempts of a cycle were sent with the thread that was
// committed.
func (j *Joined) join(cycle int64, thread string, calls []Attempt) {
	completed, erased := false, false
	for _, a := range calls {
		if a.Status != Completed {
			continue
		}
		if a.Thread == store.NoThread {
			erased = true
			continue
		}
		if a.Thread == thread {
			j.AsSent++
			return
		}
		completed = true
	}
	switch {
	case erased:
		j.Erased++
	case completed:
		j.Otherwise = append(j.Otherwise, cycle)
	default:
		j.Unanswered++
	}
}
