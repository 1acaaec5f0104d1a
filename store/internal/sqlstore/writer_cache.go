package sqlstore

import (
	"context"
	"database/sql"
	"sync"

	"github.com/contexttree/pact/store"
)

// ref is where a node is stored: its number in the context, and the cycle in
// which its live version was born.
type ref struct{ nid, birth int64 }

// writerState is what a writer of a context knows without asking: where the context
// stands after a revision, and where some of its nodes are.
type writerState struct {
	revision, latest int64
	next             int64  // nid
	chain            []byte // link of the revision
	refs             map[string]ref
	births           births
}

// maxWriters bounds the contexts that recents remembers.
const maxWriters = 1024

// writerCache remembers what was written last, by context. A writer takes what
// there is and puts back what it knows afterwards, so that two never share it.
type writerCache struct {
	mu    sync.Mutex
	known map[store.Key]*writerState
}

// take returns what is known of a context at a revision, nil where that is
// nothing.
func (c *writerCache) take(key store.Key, g store.Guard) *writerState {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.known[key]
	if r == nil || r.revision != g.Revision || r.latest != g.Cycle {
		return nil
	}
	delete(c.known, key)
	return r
}

// maxCarried bounds what a fork takes over of what is known of its origin.
const maxCarried = 64

// refsAt returns where nodes of a snapshot are stored, as far as it is known of a
// context that has it: a version that was born by then, and is the newest one,
// was so then.
func (c *writerCache) refsAt(key store.Key, cycle int64) map[string]ref {
	c.mu.Lock()
	defer c.mu.Unlock()
	refs := make(map[string]ref)
	if r := c.known[key]; r != nil && r.latest >= cycle && len(r.refs) <= maxCarried {
		for id, at := range r.refs {
			if at.birth <= cycle {
				refs[id] = at
			}
		}
	}
	return refs
}

func (c *writerCache) put(key store.Key, r *writerState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = make(map[store.Key]*writerState)
	}
	if len(c.known) >= maxWriters {
		for other := range c.known {
			delete(c.known, other)
			break
		}
	}
	c.known[key] = r
}

func (c *writerCache) drop(key store.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.known, key)
}

// writerState is take, with the store asked where nothing is remembered. It returns
// nil where the guard does not hold.
func (s *Store) writerState(ctx context.Context, key store.Key, g store.Guard) (*writerState, error) {
	if r := s.writers.take(key, g); r != nil {
		return r, nil
	}
	r := &writerState{revision: g.Revision, refs: make(map[string]ref)}
	err := s.stmts.stateAt.QueryRowContext(ctx, int64(key), g.Revision, g.Cycle).Scan(&r.latest, &r.next, &r.chain)
	if err == sql.ErrNoRows {
		return nil, nil
	}
	if err != nil {
		return nil, s.fail(ctx, err, "reading a context")
	}
	return r, nil
}
