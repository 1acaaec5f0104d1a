package commit

import (
	"context"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// firstOfUser finds the first block of the user in an item.
var firstOfUser = &tree.Minimum{
	Name: "first of user",
	Less: func(_, _ *tree.Node) (bool, error) { return false, nil }, // of two items the first one in the list
	Of:   func(_ context.Context, item *tree.Entry) (*tree.Node, error) { return userBlock(item) },
}

// Task returns the first block of the user in a tree: the first in thread order that stands
// outside ^sys, has the role user or none, and is no tool result and no stub. It returns nil
// if there is none. Cost: the turns that no call has looked at, on this tree or one that
// shares them.
func Task(ctx context.Context, t *tree.Tree) (*tree.Node, error) {
	n, err := firstOfUser.In(ctx, t.Region(tree.Seq).Children())
	if n == nil && err == nil {
		n, err = userBlock(t.Region(tree.Head))
	}
	return n, err
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
