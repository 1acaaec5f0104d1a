package sqlstore

import (
	"maps"
	"slices"
	"sync"
	"weak"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// replayCache finds the trees that readers of this process hold, so that who reads a context again
// reads only the rows that were born since. It keeps no tree in memory itself. Like treeCache, it
// serves readers that see the same number of erasures.
type replayCache struct {
	mu   sync.Mutex
	list []knownReplay // most recently used first
}

// knownReplay is what goes on from a tree that somebody else holds.
type knownReplay struct {
	key      store.Key
	erasures int64
	cycle    int64
	tree     weak.Pointer[tree.Tree]
	base     weak.Pointer[opened] // nil without a directory
	on       replay               // without scanner, tree and base
}

// The bounds of a replayCache: its entries, and the nids that each of them knows.
const (
	maxReplays    = 16
	maxReplayNIDs = 1 << 13
)

// put notes the state of a replay.
func (c *replayCache) put(st *state, cycle int64, r *replay) {
	if len(r.ids) > maxReplayNIDs {
		return
	}
	k := knownReplay{key: st.Key, erasures: st.Erasures, cycle: cycle, tree: weak.Make(r.tree), base: weak.Make(r.base),
		on: replay{ids: maps.Clone(r.ids), head: r.head, unsealed: slices.Clone(r.unsealed)}}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = slices.DeleteFunc(c.list, func(o knownReplay) bool {
		return o.tree.Value() == nil || o.key == k.key && (o.cycle == cycle || o.erasures != k.erasures)
	})
	c.list = slices.Insert(c.list, 0, k)
	if len(c.list) > maxReplays {
		clear(c.list[maxReplays:])
		c.list = c.list[:maxReplays]
	}
}

// upTo returns a replay of the latest known snapshot up to a cycle, nil if there is none. It must
// have begun from the directory that the reader would begin from: the pages of an older one may
// be gone.
func (c *replayCache) upTo(st *state, cycle int64, root *rootPage) (found *replay, at int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.list {
		k := &c.list[i]
		if k.key != st.Key || k.erasures != st.Erasures || k.cycle > cycle || found != nil && k.cycle <= at {
			continue
		}
		t, base := k.tree.Value(), k.base.Value()
		if t == nil || !base.began(root) {
			continue
		}
		r := k.on
		r.tree, r.base = t, base
		found, at = &r, k.cycle
	}
	if found != nil {
		found.ids, found.unsealed = maps.Clone(found.ids), slices.Clone(found.unsealed)
	}
	return found, at
}

// began reports whether a tree that was opened through o began from a root page; both may be nil.
func (o *opened) began(p *rootPage) bool {
	if o == nil || p == nil {
		return o == nil && p == nil
	}
	return o.branch == p.branch && o.cycle == p.cycle
}
