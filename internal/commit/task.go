package commit

import (
	"context"
	"math"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// ofUser finds the items with a block of the user.
var ofUser = &tree.Minimum{Name: "of user", Of: func(_ context.Context, item *tree.Entry) (int64, error) {
	n, err := userBlock(item)
	if n == nil {
		return math.MaxInt64, err
	}
	return 0, err
}}

// Task returns the first block of the user in a tree: the first in thread order that stands
// outside ^sys, has the role user or none, and is no tool result and no stub. It returns nil
// if there is none. Cost: the turns that no call has looked at, on this tree or one that
// shares them.
func Task(ctx context.Context, t *tree.Tree) (*tree.Node, error) {
	for turn, err := range ofUser.Items(ctx, t.Region(tree.Seq).Children(), 0) {
		if err != nil {
			return nil, err
		}
		return userBlock(turn)
	}
	return userBlock(t.Region(tree.Head))
}

// userBlock returns the first block of the user at or below an entry, nil if there is none.
func userBlock(e *tree.Entry) (*tree.Node, error) {
	if e.Class() == tree.Block {
		if n := e.Node(); n.RoleIn(tree.Seq) == "user" && n.Kind != resultKind && n.Kind != lifecycle.StubKind {
			return n, nil
		}
		return nil, nil
	}
	for k, err := range e.Children().All() {
		if err != nil {
			return nil, err
		}
		if n, err := userBlock(k); n != nil || err != nil {
			return n, err
		}
	}
	return nil, nil
}
