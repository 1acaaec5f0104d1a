package tree

import (
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
)

// SharedBlocks is blocksInPlace where no two versions count as the same.
func SharedBlocks(a, b *Tree) int {
	return sure.Get(blocksInPlace(a, b, func(*Node, *Node) (bool, error) { return false, nil }))
}

var must = testrun.Must
