package engine

import (
	"slices"
	"sync"

	"github.com/contexttree/pact/internal/canon"
)

// tail is the last records of a branch as this process wrote them, so that what joins them does not
// read them again. They follow each other, and are of one generation.
type tail struct {
	mu      sync.Mutex
	records []*record
	size    int // about how many bytes they hold
}

// tailSize bounds what a tail holds, in bytes.
const tailSize = cacheSize / 8

func (l *branch) tailKey() cacheKey {
	return cacheKey{key: l.key, generation: l.generation, part: partTail}
}

// extend adds records that were written.
func (e *Engine) extend(l *branch, made []*record) {
	if len(made) == 0 {
		return
	}
	t, _ := e.cache.get(l.tailKey()).(*tail)
	if t == nil {
		t = &tail{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.records); n > 0 && t.records[n-1].entry.Revision+1 != made[0].entry.Revision {
		t.records, t.size = nil, 0 // another writer was in between
	}
	for _, x := range made {
		t.records = append(t.records, x)
		t.size += x.memorySize()
	}
	if t.size > tailSize {
		e.cache.drop(l.tailKey())
		return
	}
	e.cache.put(l.tailKey(), t, t.size)
}

// memorySize is about how many bytes a record holds in memory.
func (x *record) memorySize() int {
	size := 500 + 500*len(x.rows)
	for _, c := range x.contents {
		size += len(c)
	}
	return size
}

// tailFrom returns the records that follow each other from a revision on, nil if the first of them is
// not known.
func (e *Engine) tailFrom(l *branch, revision int64) []*record {
	t, _ := e.cache.get(l.tailKey()).(*tail)
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.records) == 0 {
		return nil
	}
	i := revision - t.records[0].entry.Revision
	if i < 0 || i >= int64(len(t.records)) {
		return nil
	}
	return t.records[i:len(t.records):len(t.records)]
}

// forgetUpTo drops the records up to a revision, which were joined.
func (e *Engine) forgetUpTo(l *branch, revision int64) {
	t, _ := e.cache.get(l.tailKey()).(*tail)
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.records = slices.DeleteFunc(slices.Clone(t.records), func(x *record) bool { return x.entry.Revision <= revision })
	t.size = 0
	for _, x := range t.records {
		t.size += x.memorySize()
	}
	e.cache.put(l.tailKey(), t, t.size)
}

// each calls f with each content that a record brought, while it has them.
func (x *record) each(f func(*row, canon.Value)) {
	at := 0
	for i := range x.rows {
		if r := &x.rows[i]; r.hasContent {
			f(r, x.contents[at])
			at++
		}
	}
}
