package provenance

import (
	"context"
	"slices"

	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
)

// near is how many cycles may lie between two snapshots that are read in one go.
const near = 16

// statesConcerning returns the states of [Source.statesUpTo] that a cycle which concerns a node comes from
// or leads to, with the first and the latest, and the log of these cycles.
func (s *Source) statesConcerning(ctx context.Context, id string) ([]*tree.Tree, *Log, error) {
	if s.State.Cycle < s.State.First {
		states, err := s.statesUpTo(ctx, s.State.Working)
		if err != nil {
			return nil, nil, err
		}
		log, err := s.Log(ctx, 0, s.State.Working.Cycle())
		return states, log, err
	}
	entries, err := s.Store.Trace(ctx, s.State.Key, id)
	if err != nil {
		return nil, nil, err
	}
	log := newLog()
	cycles := []int64{s.State.First}
	for _, e := range entries {
		if e.Revision > s.State.Revision {
			break
		}
		if err := log.add(e); err != nil {
			return nil, nil, err
		}
		for _, cycle := range [...]int64{e.Cycle - 1, e.Cycle} {
			if cycle > cycles[len(cycles)-1] && cycle <= s.State.Cycle {
				cycles = append(cycles, cycle)
			}
		}
	}
	states, err := s.statesAt(ctx, append(cycles, s.State.Cycle))
	return states, log, err
}

// statesAt returns the snapshots of ascending cycles, of which the first is that of the context, some
// of those between them, and the states before and after all.
func (s *Source) statesAt(ctx context.Context, cycles []int64) (states []*tree.Tree, err error) {
	for len(cycles) > 0 {
		n := 1
		for n < len(cycles) && cycles[n] <= cycles[n-1]+near {
			n++
		}
		from, to := cycles[0], cycles[n-1]
		cycles = cycles[n:]
		if len(states) > 0 && from == to && to == s.State.Cycle {
			states = append(states, s.State.Head)
			continue
		}
		some, err := engine.Collect(s.Store.History(ctx, s.State.Key, from, to))
		if err != nil {
			return nil, err
		}
		states = append(states, some...)
	}
	if s.State.Working.Cycle() > s.State.Cycle {
		states = append(slices.Clip(states), s.State.Working)
	}
	return s.withStateBefore(states)
}
