package transcript

import (
	"context"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// LeftOut returns the calls and results that [OpenAI] leaves out of a thread, because a
// provider refuses a call without a result after it and a result without a call before it.
// The tree knows no such rule (02 §10), so they are in the snapshot and in its canonical
// thread. What an import brought that way is no such block: it is written as it came, unless the log
// itself took a result away and kept its call.
func LeftOut(ctx context.Context, s *pact.Snapshot) ([]lifecycle.Orphan, error) {
	return refused(ctx, tree.Of(s))
}

func refused(ctx context.Context, t *tree.Tree) (left []lifecycle.Orphan, err error) {
	list, err := commit.Unpaired(ctx, t)
	for _, o := range list {
		n, err := t.Node(o.ID)
		if err != nil {
			return nil, err
		}
		if originOf(n) == nil || len(n.Refs) > 0 {
			left = append(left, o)
		}
	}
	return left, err
}

// sendable returns a tree without the blocks of LeftOut.
func sendable(ctx context.Context, t *tree.Tree) (*tree.Tree, error) {
	left, err := refused(ctx, t)
	if err != nil || len(left) == 0 {
		return t, err
	}
	ids := make([]string, len(left))
	for i, o := range left {
		ids[i] = o.ID
	}
	return t.Without(ids...)
}
