package provenance

import (
	"context"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/differ"
	"github.com/contexttree/pact/internal/tree"
)

// Blame returns, for every block in the thread of a state, in the order of the thread, the
// cycle that added it and the cycle that last changed it in place. Cost: what changed from the
// first snapshot to that state.
func (s *Source) Blame(ctx context.Context, t *tree.Tree) ([]inspect.Blame, error) {
	states, err := s.statesUpTo(ctx, t)
	if err != nil {
		return nil, err
	}
	log, err := s.Log(ctx, 0, t.Cycle())
	if err != nil {
		return nil, err
	}
	history, err := changesIn(states)
	if err != nil {
		return nil, err
	}
	blocks, _ := t.ThreadSize()
	list := make([]inspect.Blame, 0, blocks)
	for at, err := range t.Blocks(0) {
		if err != nil {
			return nil, err
		}
		n := at.Node()
		b := inspect.Blame{ID: n.ID, Region: at.Region.String(), Role: n.RoleIn(at.Region), Kind: n.Kind}
		place, err := differ.RangeOf(t, n.ID)
		if err != nil {
			return nil, err
		}
		b.Range = *place
		if _, b.Turn, err = regionAndTurn(t, n.ID); err != nil {
			return nil, err
		}
		b.Cycle = history.cycleThatBrought(n, s.State.First)
		b.By = log.creator(b.Cycle, n.CreatedNS)
		if cycle, ok := history.updated[n.ID]; ok && cycle > b.Cycle {
			b.Version = &inspect.Version{Cycle: cycle, By: log.editor(cycle)}
		}
		list = append(list, b)
	}
	return list, nil
}
