package engine

import (
	"container/list"
	"sync"

	"github.com/contexttree/pact/history"
)

// cacheSize bounds what the cache of an engine holds, in bytes of what was decoded; gatherSize where the store gathers,
// because an import looks back at little of what it wrote.
const (
	cacheSize  = 32 << 20
	gatherSize = 8 << 20
)

// cache keeps what was decoded last. What it holds of a branch is of one generation, so that an
// erasure leaves nothing behind that a reader could meet.
type cache struct {
	mu    sync.Mutex
	byKey map[cacheKey]*list.Element
	order list.List // of cached, the last used first
	size  int
	most  int // how many bytes it holds at most
}

// cacheKey names something of a branch: a segment by its last revision, one of its blocks too by
// its number, or one of the parts.
type cacheKey struct {
	key        history.Key
	generation int64
	last       int64
	part       int
}

// The parts that are no blocks.
const (
	partHead     = -1 - iota // of a segment
	partSegments             // the indexes of all segments of the branch
	partContents             // of a revision in the log, by place
	partBranch               // the branch as this process left it; generation 0
	partOrigin               // the branch without its last record, for its forks; generation 0
	partSettled              // how far the branch was settled when this process last looked; generation 0
	partTail                 // the last records as this process wrote them
	partState                // the latest snapshot and the working state; generation 0
	partWaypoint             // a snapshot that was passed on the way to a later one, by its cycle
	partAttempts             // joined ones, by the last cycle
	partBehind               // the ids behind the segments, by the last joined revision
	partAsked                // the branch as it was when somebody asked; generation 0
)

type cached struct {
	key   cacheKey
	value any
	size  int
}

func (c *cache) get(k cacheKey) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.byKey[k]; ok {
		c.order.MoveToFront(at)
		return at.Value.(*cached).value
	}
	return nil
}

// put keeps a value instead of the one before it.
func (c *cache) put(k cacheKey, value any, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKey == nil {
		c.byKey = make(map[cacheKey]*list.Element)
	}
	if at, ok := c.byKey[k]; ok {
		old := at.Value.(*cached)
		c.size -= old.size
		old.value, old.size = value, size
		c.order.MoveToFront(at)
	} else {
		c.byKey[k] = c.order.PushFront(&cached{k, value, size})
	}
	for c.size += size; c.size > c.most && c.order.Len() > 1; {
		c.remove(c.order.Back().Value.(*cached).key)
	}
}

// drop forgets a value.
func (c *cache) drop(k cacheKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(k)
}

// dropAll forgets a part of all branches.
func (c *cache) dropAll(part int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range c.byKey {
		if k.part == part {
			c.remove(k)
		}
	}
}

// dropBranch forgets everything of a branch.
func (c *cache) dropBranch(key history.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range c.byKey {
		if k.key == key {
			c.remove(k)
		}
	}
}

func (c *cache) remove(k cacheKey) {
	if at, ok := c.byKey[k]; ok {
		c.size -= c.order.Remove(at).(*cached).size
		delete(c.byKey, k)
	}
}

// clear forgets everything.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byKey, c.size = nil, 0
	c.order.Init()
}
