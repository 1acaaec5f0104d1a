package sqlstore

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"sync"

	"github.com/contexttree/pact/store"
)

// part is what one branch brings to a context: the rows born after one cycle
// and up to another, and the log after one revision and up to another.
type part struct {
	branch                     int64
	afterCycle, upToCycle      int64
	afterRevision, endRevision int64
}

// lineage is what a context consists of, the oldest part first and its own
// branch last. It is settled when the context is made and never changes.
type lineage []part

// own is the part that is being written.
func (l lineage) own() part { return l[len(l)-1] }

// at returns the part that holds the rows of a cycle.
func (l lineage) at(cycle int64) part {
	for _, p := range l {
		if cycle <= p.upToCycle {
			return p
		}
	}
	return l.own()
}

// lineages remembers them, by context.
type lineages struct {
	mu    sync.Mutex
	known map[store.Key]lineage
	parts int // of all of them
}

// maxParts bounds the parts that lineages remembers, in which a chain of forks
// of forks is quadratic.
const maxParts = 1 << 18

func (c *lineages) get(key store.Key) lineage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[key]
}

func (c *lineages) put(key store.Key, l lineage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= maxRecents || c.parts+len(l) > maxParts {
		c.known, c.parts = make(map[store.Key]lineage), 0
	}
	c.parts += len(l) - len(c.known[key])
	c.known[key] = l
}

func (c *lineages) drop(key store.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parts -= len(c.known[key])
	delete(c.known, key)
}

// lineage finds out what a context consists of. Cost: a look-up for each fork
// on the way to the first origin or to one of which that is known, once.
func (s *Store) lineage(ctx context.Context, key store.Key) (lineage, error) {
	if l := s.lineages.get(key); l != nil {
		return l, nil
	}
	var l lineage
	next := part{branch: int64(key), upToCycle: math.MaxInt64, endRevision: math.MaxInt64}
	for {
		c, err := s.settled(ctx, nil, next.branch)
		if err == nil && len(l) == 0 {
			if err = c.live(); err != nil {
				return nil, err
			}
		}
		// An origin is made before its forks, so that this ends.
		origin, cycle, revision := c.origin[0], c.origin[1], c.origin[2]
		switch {
		case err == sql.ErrNoRows && len(l) == 0:
			return nil, s.without(ctx, noKey(key))
		case err == sql.ErrNoRows, err == nil && origin.Valid && (cycle.Int64 > next.upToCycle || origin.Int64 >= next.branch):
			return nil, damaged("a fork has no origin")
		case err != nil:
			return nil, s.fail(ctx, err, "reading a context")
		}
		if !origin.Valid {
			next.afterCycle, next.afterRevision = before, 0
			l = append(l, next)
			break
		}
		next.afterCycle, next.afterRevision = cycle.Int64, revision.Int64
		l = append(l, next)
		next = part{branch: origin.Int64, upToCycle: cycle.Int64, endRevision: revision.Int64}
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
