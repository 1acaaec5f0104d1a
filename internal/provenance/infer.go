package provenance

import (
	"context"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/tree"
)

// imported reports whether the context began with a snapshot. In such a context, a commit
// without a report may still have removed something.
func (s *Source) imported(ctx context.Context) (bool, error) {
	log, err := s.Store.Log(ctx, s.State.Key, 1, 1)
	return len(log) > 0 && log[0].Cycle >= s.State.First, err
}

// inferRemoval finds out from two neighbouring states why a node was removed, for a history
// without a report, such as one of imported snapshots. It returns "" if only an edit can have
// done it.
func inferRemoval(before, after *tree.Tree, id string) (diff.Kind, error) {
	path, err := before.Path(id)
	if err != nil {
		return "", err
	}
	for i, e := range path {
		class := e.Class()
		isCore := i > 0 && tree.IsCore(e, path[i-1].Class())
		if !class.Region() && !isCore && e.Node().Expiry <= after.Cycle() {
			has, err := after.Has(e.Node().ID)
			if err != nil {
				return "", err
			}
			if !has {
				return diff.ByExpiry, nil
			}
		}
	}
	if len(path) == 0 {
		return "", nil
	}
	if lost, err := lostAllChildren(before, after, path[len(path)-1]); err != nil || lost {
		return diff.ByCascade, err
	}
	turn := tree.TurnOn(path)
	if turn == nil {
		return "", nil
	}
	if has, err := after.Has(turn.Node().ID); err != nil || has {
		return "", err
	}
	return diff.ByPruning, nil // only pruning removes turns
}

// lostAllChildren reports whether expiry took all children of a removable group
// (02 §5.3.1).
func lostAllChildren(before, after *tree.Tree, e *tree.Entry) (bool, error) {
	if !e.Node().Removable || e.Class() != tree.Container || e.Children().Len() == 0 {
		return false, nil
	}
	for k, err := range e.Children().All() {
		if err != nil {
			return false, err
		}
		kind, err := inferRemoval(before, after, k.Node().ID)
		if err != nil {
			return false, err
		}
		has, err := after.Has(k.Node().ID)
		if err != nil {
			return false, err
		}
		if has || kind != diff.ByExpiry && kind != diff.ByCascade {
			return false, nil
		}
	}
	return true, nil
}
