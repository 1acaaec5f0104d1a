package sqlstore

import (
	"context"
	"database/sql"
	"sync"

	"github.com/contexttree/pact/store"
)

// ref is where a node is stored: its number in the context, and the cycle in which its live
// version was born.
type ref struct{ nid, birth int64 }

// writerState is what a writer knows about a context without a query: the latest cycle and the
// counters after a revision, and where some nodes are stored.
type writerState struct {
	revision, latest int64
	next             int64  // the next free nid
	chain            []byte // link of the revision
	refs             map[string]ref
	births           births
}

// maxWriters is how many contexts a writerCache remembers at most.
const maxWriters = 1024

// writerCache keeps the state after the last write, by context. A writer takes the
// state out and puts the next one in, so that two writers never share one.
type writerCache struct {
	mu    sync.Mutex
	known map[store.Key]*writerState
}

// take removes and returns the state of a context at the guard, nil if the cache has another or
// none.
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

// maxCarried is how many refs a fork takes over from its origin at most.
const maxCarried = 64

// refsAt returns the cached refs of a context that are right for an earlier snapshot: the
// newest version of a node is that of the snapshot if it was born by then.
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

// writerState takes the state from the cache or else reads it. It returns nil if the guard does
// not hold.
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
