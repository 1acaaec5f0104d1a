package commit

import (
	"context"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// Unpaired returns, in document order, the calls of a tree without a result after them and the results
// without a call before them (decision 062). Providers refuse these. Cost: the parts of the tree that may
// hold a call or a result.
func Unpaired(ctx context.Context, t *tree.Tree) ([]lifecycle.Orphan, error) {
	var list []lifecycle.Orphan
	var walk func(e *tree.Entry) error
	walk = func(e *tree.Entry) error {
		if !mayHoldHalf(e) {
			return nil
		}
		if n := e.Node(); e.Class() == tree.Block && (n.Kind == callKind || n.Kind == resultKind) {
			has, err := hasPartner(t, n)
			if !has && err == nil {
				list = append(list, lifecycle.Orphan{ID: n.ID, What: describe(n)})
			}
			return err
		}
		for k, err := range e.Children().All() {
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				err = walk(k)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	err := walk(t.Root())
	return list, err
}

// mayHoldHalf reports whether there may be a call or a result at or below an entry. Only a false is certain.
func mayHoldHalf(e *tree.Entry) bool {
	return e.Summary().Marks.Kinds&(tree.Mark(callKind)|tree.Mark(resultKind)) != 0
}
