package sqlstore

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"sync"

	"github.com/contexttree/pact/store"
)

// segment is the part of one branch that a context consists of: the rows born after afterCycle
// and not after upToCycle, and the log after afterRevision up to and including endRevision.
type segment struct {
	branch                     int64
	afterCycle, upToCycle      int64
	afterRevision, endRevision int64
}

// lineage lists the segments of a context, the oldest first and that of its own
// branch last. It is fixed when the context is created.
type lineage []segment

// own returns the segment of the branch that the context writes to.
func (l lineage) own() segment { return l[len(l)-1] }

// at returns the segment that holds the rows of a cycle.
func (l lineage) at(cycle int64) segment {
	for _, p := range l {
		if cycle <= p.upToCycle {
			return p
		}
	}
	return l.own()
}

// lineageCache caches lineages by context.
type lineageCache struct {
	mu       sync.Mutex
	known    map[store.Key]lineage
	segments int // in all lineages together
}

// maxSegments is the largest number of segments in the cache: a chain of n forks of forks has
// n²/2.
const maxSegments = 1 << 18

func (c *lineageCache) get(key store.Key) lineage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[key]
}

func (c *lineageCache) put(key store.Key, l lineage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= maxWriters || c.segments+len(l) > maxSegments {
		c.known, c.segments = make(map[store.Key]lineage), 0
	}
	c.segments += len(l) - len(c.known[key])
	c.known[key] = l
}

func (c *lineageCache) drop(key store.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.segments -= len(c.known[key])
	delete(c.known, key)
}

// lineage returns the lineage of a context. Cost: a look-up for each fork on the way to the
// first origin or to an origin whose lineage is cached; none if its own is cached.
func (s *Store) lineage(ctx context.Context, key store.Key) (lineage, error) {
	if l := s.lineages.get(key); l != nil {
		return l, nil
	}
	var l lineage
	next := segment{branch: int64(key), upToCycle: math.MaxInt64, endRevision: math.MaxInt64}
	for {
		c, err := s.contextRow(ctx, nil, next.branch)
		if err == nil && len(l) == 0 {
			if err = c.checkLive(); err != nil {
				return nil, err
			}
		}
		// The loop ends, because an origin has a lower key than its forks.
		origin, cycle, revision := c.origin[0], c.origin[1], c.origin[2]
		switch {
		case err == sql.ErrNoRows && len(l) == 0:
			return nil, s.notFoundUnlessDamaged(ctx, noKey(key))
		case err == sql.ErrNoRows, err == nil && origin.Valid && (cycle.Int64 > next.upToCycle ||
			origin.Int64 >= next.branch):
			return nil, damageError("a fork has no origin")
		case err != nil:
			return nil, s.fail(ctx, err, "reading a context")
		}
		if !origin.Valid {
			next.afterCycle, next.afterRevision = beforeAll, 0
			l = append(l, next)
			break
		}
		next.afterCycle, next.afterRevision = cycle.Int64, revision.Int64
		l = append(l, next)
		next = segment{branch: origin.Int64, upToCycle: cycle.Int64, endRevision: revision.Int64}
		if known := s.lineages.get(store.Key(next.branch)); known != nil {
			next.afterCycle, next.afterRevision = known.own().afterCycle, known.own().afterRevision
			l = append(l, next)
			for _, p := range slices.Backward(known[:len(known)-1]) {
				l = append(l, p)
			}
			break
		}
	}
	slices.Reverse(l)
	s.lineages.put(key, l)
	return l, nil
}
