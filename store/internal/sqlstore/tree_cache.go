package sqlstore

import (
	"slices"
	"sync"
	"weak"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// maxCachedTrees is how many snapshots a treeCache keeps.
const maxCachedTrees = 4

// treeCache keeps the snapshots that were read last. Only an erasure changes a snapshot,
// perhaps in another process: an entry serves a reader that sees the same number of erasures,
// and is dropped when a reader sees another number. The store never reuses the key of a
// context.
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

// openedCache finds the directories through which trees of this process were opened, so that
// snapshots that are read one after the other share what is loaded. It keeps none of them in
// memory.
type openedCache struct {
	mu    sync.Mutex
	known map[openedKey]weak.Pointer[opened]
}

type openedKey struct {
	key           store.Key
	branch, cycle int64
	digest        string
	erasures      int64
}

func (c *openedCache) get(k openedKey) *opened {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[k].Value()
}

// maxOpened is how many entries an openedCache has before it drops those that nothing refers to
// any more.
const maxOpened = 64

func (c *openedCache) put(k openedKey, o *opened) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = make(map[openedKey]weak.Pointer[opened])
	}
	if len(c.known) >= maxOpened {
		for other, p := range c.known {
			if p.Value() == nil {
				delete(c.known, other)
			}
		}
	}
	if len(c.known) < maxOpened {
		c.known[k] = weak.Make(o)
	}
}
