package sqlstore

import (
	"slices"
	"sync"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// maxCachedTrees is how many snapshots a treeCache keeps.
const maxCachedTrees = 4

// treeCache keeps the snapshots that were read last. Only an erasure changes a
// snapshot, perhaps in another process: an entry serves a reader that sees the
// same number of erasures, and goes where one sees another. The key of a context is never used again.
type treeCache struct {
	mu   sync.Mutex
	list []cachedTree // most recently used first
}

type cachedTree struct {
	key      store.Key
	tree     *tree.Tree
	erasures int64 // the number of erasures when it was read
}

func (c *treeCache) get(key store.Key, cycle, erasures int64) *tree.Tree {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = slices.DeleteFunc(c.list, func(e cachedTree) bool { return e.key == key && e.erasures != erasures })
	for i, e := range c.list {
		if e.key == key && e.tree.Cycle() == cycle {
			copy(c.list[1:i+1], c.list[:i])
			c.list[0] = e
			return e.tree
		}
	}
	return nil
}

func (c *treeCache) put(key store.Key, t *tree.Tree, erasures int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append([]cachedTree{{key, t, erasures}}, c.list[:min(len(c.list), maxCachedTrees-1)]...)
}

func (c *treeCache) drop(key store.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var rest []cachedTree
	for _, e := range c.list {
		if e.key != key {
			rest = append(rest, e)
		}
	}
	c.list = rest
}
