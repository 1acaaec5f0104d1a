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
func inferRemoval(before, after *tree.Tree, id string) diff.Kind {
	path := before.Path(id)
	for i, e := range path {
		class := e.Class()
		isCore := i > 0 && tree.IsCore(e, path[i-1].Class())
		if !class.Region() && !isCore && e.Node().Expiry <= after.Cycle() && !after.Has(e.Node().ID) {
			return diff.ByExpiry
		}
	}
	if len(path) == 0 {
		return ""
	}
	if lostAllChildren(before, after, path[len(path)-1]) {
		return diff.ByCascade
	}
	for _, e := range path {
		if e.Class() == tree.Turn && !after.Has(e.Node().ID) {
			return diff.ByPruning // only pruning removes turns
		}
	}
	return ""
}

// lostAllChildren reports whether expiry took all children of a removable group
// (02 §5.3.1).
func lostAllChildren(before, after *tree.Tree, e *tree.Entry) bool {
	if !e.Node().Removable || e.Class() != tree.Container || e.Children().Len() == 0 {
		return false
	}
	for k := range e.Children().All() {
		kind := inferRemoval(before, after, k.Node().ID)
		if after.Has(k.Node().ID) || kind != diff.ByExpiry && kind != diff.ByCascade {
			return false
		}
	}
	return true
}
