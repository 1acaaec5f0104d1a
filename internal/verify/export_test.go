package verify

import (
	"context"

	"github.com/contexttree/pact/internal/tree"
)

// SumThreads returns the SHA-256 of threads, oldest first, and how many blocks it rendered for all.
func SumThreads(ctx context.Context, list []*tree.Tree) (sums []string, blocks int, err error) {
	var s threadSums
	for _, t := range list {
		sum, err := s.of(ctx, t)
		if err != nil {
			return nil, 0, err
		}
		sums = append(sums, sum)
	}
	return sums, s.blocks, nil
}
