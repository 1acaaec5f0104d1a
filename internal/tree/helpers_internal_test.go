package tree

import "github.com/contexttree/pact/internal/sure"

// SharedBlocks is blocksInPlace where no two versions count as the same.
func SharedBlocks(a, b *Tree) int {
	return sure.Get(blocksInPlace(a, b, func(*Node, *Node) (bool, error) { return false, nil }))
}
