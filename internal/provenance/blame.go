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
	history := changesIn(states)
	blocks, _ := t.ThreadSize()
	list := make([]inspect.Blame, 0, blocks)
	t.BlocksFrom(0, func(e *tree.Entry, region tree.Class) bool {
		n := e.Node()
		b := inspect.Blame{ID: n.ID, Region: region.String(), Role: n.RoleIn(region), Kind: n.Kind}
		b.Range = *differ.RangeOf(t, n.ID)
		if path := t.Path(n.ID); region == tree.Seq && len(path) > 2 {
			b.Turn = path[2].Node().ID
		}
		b.Cycle = history.cycleThatBrought(n, s.State.First)
		b.By = log.creator(b.Cycle, n.CreatedNS)
		if cycle, ok := history.updated[n.ID]; ok && cycle > b.Cycle {
			b.Version = &inspect.Version{Cycle: cycle, By: log.editor(cycle)}
		}
		list = append(list, b)
		return true
	})
	return list, nil
}
