package commit

import (
	"context"
	"math"
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// Unpaired returns, in document order, the calls of a tree without a result after them and the results
// without a call before them (decision 062). Providers refuse these. Cost: the turns, groups and blocks
// with a call or a result whose other half is not in the same one, and once each that was not looked at before.
func Unpaired(ctx context.Context, t *tree.Tree) ([]lifecycle.Orphan, error) {
	var list []lifecycle.Orphan
	if !mayHoldHalf(t.Root()) {
		return nil, nil
	}
	for region, err := range t.Root().Children().All() {
		if err != nil {
			return nil, err
		}
		for item, err := range apart.Items(ctx, region.Children(), 0) {
			if err != nil {
				return nil, err
			}
			for at, err := range item.All() {
				if err == nil {
					err = ctx.Err()
				}
				if err != nil {
					return nil, err
				}
				n := at.Node()
				if at.Class() != tree.Block || n.Kind != callKind && n.Kind != resultKind {
					continue
				}
				if has, err := hasPartner(t, n); err != nil {
					return nil, err
				} else if !has {
					list = append(list, lifecycle.Orphan{ID: n.ID, What: describe(n)})
				}
			}
		}
	}
	return list, nil
}

// apart finds the items with a call or a result whose other half is not in the same item, behind the call.
var apart = &tree.Minimum{
	Name: "halves apart",
	Of: func(_ context.Context, item *tree.Entry) (int64, error) {
		if !mayHoldHalf(item) {
			return math.MaxInt64, nil
		}
		var halves []string
		paired, calls, caller := map[string]bool{}, map[string]bool{}, map[string][]string{}
		for at, err := range item.All() {
			if err != nil {
				return 0, err
			}
			n := at.Node()
			if at.Class() != tree.Block || n.Kind != callKind && n.Kind != resultKind {
				continue
			}
			halves = append(halves, n.ID)
			if n.Kind == callKind {
				calls[n.ID] = true
				for _, id := range n.Refs {
					caller[id] = append(caller[id], n.ID)
				}
				continue
			}
			for _, call := range slices.Concat(n.Refs, caller[n.ID]) {
				if calls[call] {
					paired[call], paired[n.ID] = true, true
				}
			}
		}
		if slices.ContainsFunc(halves, func(id string) bool { return !paired[id] }) {
			return 0, nil
		}
		return math.MaxInt64, nil
	},
}

// mayHoldHalf reports whether there may be a call or a result at or below an entry. Only a false is certain.
func mayHoldHalf(e *tree.Entry) bool {
	return e.Summary().Marks.Kinds&(tree.Mark(callKind)|tree.Mark(resultKind)) != 0
}
