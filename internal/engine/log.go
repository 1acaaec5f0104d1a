package engine

import (
	"context"
	"slices"
	"sync"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/store"
)

// Log implements [Contexts].
func (e *Engine) Log(ctx context.Context, key history.Key, from, to int64) ([]history.Entry, error) {
	return ofEach(ctx, e, key, from, to, func(x *record) history.Entry { return x.entry })
}

// ofEach lists what of makes of each revision of a range.
func ofEach[T any](ctx context.Context, e *Engine, key history.Key, from, to int64, of func(*record) T) (list []T, err error) {
	err = e.retryRewritten(ctx, key, func(l *branch) error {
		list = nil
		for x, err := range e.entries(ctx, l, max(from, 1), min(to, l.last.revision)) {
			if err != nil {
				return err
			}
			list = append(list, of(x))
		}
		return nil
	})
	return list, err
}

// Request implements [Contexts].
func (e *Engine) Request(ctx context.Context, key history.Key, token string) (entry *history.Entry, err error) {
	// Most tokens are new. What this process knows of the branch is enough to see that: a commit that is sent next
	// comes upon a deletion. Whoever only asks, asks Info too, as the server does.
	if l, _ := e.cache.get(cacheKey{key: key, part: partBranch}).(*branch); l != nil && e.usable() == nil {
		if revision, err := e.request(ctx, l, token); err != nil || revision == 0 {
			return nil, err
		}
	}
	err = e.retryRewritten(ctx, key, func(l *branch) error {
		entry = nil
		if token == "" {
			return nil
		}
		revision, err := e.request(ctx, l, token)
		if err != nil || revision == 0 {
			return err
		}
		for x, err := range e.entries(ctx, l, revision, revision) {
			if err != nil {
				return err
			}
			found := x.entry
			entry = &found
		}
		return nil
	})
	return entry, err
}

// Has implements [Contexts].
func (e *Engine) Has(ctx context.Context, key history.Key, id string) (has bool, err error) {
	err = e.retryRewritten(ctx, key, func(l *branch) error {
		has, err = e.has(ctx, l, id, l.last.revision)
		return err
	})
	return has, err
}

// has reports whether a node with an id was in a snapshot up to a revision, or is in the
// working state after it.
func (e *Engine) has(ctx context.Context, l *branch, id string, upTo int64) (bool, error) {
	for ; l != nil; l, upTo = l.up, l.origin.Revision {
		joined, has, err := e.joinedHas(ctx, l, id, upTo)
		if has || err != nil {
			return has, err
		}
		if may, err := e.mayBeBehind(ctx, l, joined, upTo, id); err != nil {
			return false, err
		} else if !may {
			continue
		}
		draft := false // the working state has it
		for x, err := range e.records(ctx, l, joined+1, upTo) {
			if err != nil {
				return false, err
			}
			for i := range x.rows {
				draft = draft || x.rows[i].id == id
			}
			draft = draft && !slices.Contains(x.gone, id)
			if draft && x.publishes() {
				return true, nil
			}
		}
		if draft {
			return true, nil
		}
	}
	return false, nil
}

// idsBehind is the hashes of all ids that the records behind the segments of a branch name, up to a revision.
type idsBehind struct {
	mu   sync.Mutex
	upTo int64
	ids  map[uint64]struct{}
}

// mayBeBehind reports whether a record behind the segments of a branch may name an id. It reads each record
// once, so that many new ids do not read all of them again and again.
func (e *Engine) mayBeBehind(ctx context.Context, l *branch, joined, upTo int64, id string) (bool, error) {
	k := cacheKey{key: l.key, generation: l.generation, last: joined, part: partBehind}
	n, _ := e.cache.get(k).(*idsBehind)
	if n == nil {
		n = &idsBehind{upTo: joined, ids: make(map[uint64]struct{})}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.upTo < upTo {
		for x, err := range e.records(ctx, l, n.upTo+1, upTo) {
			if err != nil {
				return false, err
			}
			for i := range x.rows {
				n.ids[hashID(x.rows[i].id)] = struct{}{}
			}
			n.upTo = x.entry.Revision
		}
		e.cache.put(k, n, 200+40*len(n.ids))
	}
	_, may := n.ids[hashID(id)]
	return may, nil
}

// joinedHas looks for an id in the segments of a branch up to a revision, and returns the last
// revision of the segments.
func (e *Engine) joinedHas(ctx context.Context, l *branch, id string, upTo int64) (joined int64, has bool, err error) {
	joined = l.origin.Revision
	list, err := e.segments(ctx, l)
	for _, x := range list {
		if joined = x.last; !x.may(id) {
			continue
		}
		for rec, err := range e.records(ctx, l, x.first, min(x.last, upTo)) {
			if err != nil {
				return 0, false, err
			}
			for i := range rec.rows {
				if rec.rows[i].id == id {
					return joined, true, nil
				}
			}
		}
	}
	return joined, false, err
}

// segments returns the indexes of all segments of a branch.
func (e *Engine) segments(ctx context.Context, l *branch) (list []*segmentIndex, err error) {
	err = e.view(ctx, l, func(r store.Reader) error {
		list, err = e.allSegments(ctx, r, l)
		return err
	})
	return list, err
}

// allSegments is segments within a view, in which the branch has its generation. It reads what
// came since it was asked last.
func (e *Engine) allSegments(ctx context.Context, r store.Reader, l *branch) ([]*segmentIndex, error) {
	k := cacheKey{l.key, l.generation, 0, partSegments}
	known, _ := e.cache.get(k).([]*segmentIndex)
	list, err := segmentsAfter(ctx, r, l, known)
	if err == nil && len(list) > len(known) {
		size := 0
		for _, x := range list {
			size += 200 + 8*len(x.touched) + 40*len(x.blocks)
		}
		e.cache.put(k, list, size)
	}
	return list, err
}

// segmentsAfter adds the indexes of the segments that follow those that are known. Where r is of
// an earlier moment than what is known, it reads all anew.
func segmentsAfter(ctx context.Context, r store.Reader, l *branch, known []*segmentIndex) ([]*segmentIndex, error) {
	from, list := int64(0), known[:len(known):len(known)]
	if len(known) > 0 {
		from = known[len(known)-1].last
	}
	first := len(known) > 0
	for p, err := range r.Range(ctx, under(store.Space(l.key), indexPrefix, ordered(from)), store.Ascending) {
		if err != nil {
			return nil, err
		}
		x, err := indexAt(p)
		if err != nil {
			return nil, err
		}
		if first && x.last == from {
			first = false
			continue
		}
		if first {
			break
		}
		list = append(list, x)
	}
	if first {
		return segmentsAfter(ctx, r, l, nil)
	}
	return list, nil
}
