package engine

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// InMemory returns an engine on an empty store in memory.
func InMemory() *Engine { return inMemory(store.NewMemory()) }

// inMemory returns an engine that keeps everything in the memory of the process: no records as
// bytes but the records themselves, whose rows have their nodes with their contents, and every
// snapshot, which costs what differs from the one before it. Nothing is joined or packed, and
// there are no checkpoints, since no snapshot is made anew.
func inMemory(s *store.Memory) *Engine {
	e := New(s, store.Packing{})
	e.inMemory, e.pace = true, pace{joined: math.MaxInt32, between: math.MaxInt64, rows: math.MaxInt64, run: 64}
	return e
}

// own is the state of a line that an engine in memory keeps beside its records. It is made anew from them if
// it is not there, as after an erasure.
type own struct {
	mu        sync.Mutex
	snapshots []published // by their cycles since the line began; not all need be there

	upTo   int64            // revision up to which ids and drafts are right
	ids    map[string]int64 // the revision that first published a node with the id
	drafts map[string]bool  // ids that came after the last snapshot

	runs []*segmentIndex // of the records, as far as they fill a run
}

// own returns what is kept of a line, which is of the generation of the line.
func (e *Engine) own(l *line) *own {
	e.mu.Lock()
	defer e.mu.Unlock()
	k := cacheKey{key: l.key, generation: l.generation, part: partOwn}
	o, _ := e.cache.get(k).(*own)
	if o == nil {
		o = &own{upTo: l.origin.Revision}
		e.cache.put(k, o, 1000)
	}
	return o
}

// remember lets an engine in memory keep a snapshot of a line, which it or one that it goes back to
// published.
func (e *Engine) remember(l *line, p published) {
	if !e.inMemory {
		return
	}
	l = l.publisher(p.t.Cycle())
	o, i := e.own(l), int(p.t.Cycle()-l.since())
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.snapshots) <= i {
		o.snapshots = append(o.snapshots, published{})
	}
	if o.snapshots[i].t == nil { // readers share one
		o.snapshots[i] = p
	}
}

// rememberAll remembers what the last changes of a line published, unless contents are elsewhere.
func (e *Engine) rememberAll(l *line, s *state, changes []Change) {
	if s.foreign {
		return
	}
	for i, c := range changes {
		if c.Sealed != nil {
			e.remember(l, published{t: c.Sealed, revision: l.last.revision - int64(len(changes)-1-i)})
		}
	}
}

// remembered returns the last snapshot up to a cycle that is kept of a line.
func (e *Engine) remembered(l *line, cycle int64) (p published) {
	o := e.own(l)
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := min(int(cycle-l.since()), len(o.snapshots)-1); i >= 0 && p.t == nil; i-- {
		p = o.snapshots[i]
	}
	return p
}

// baseInMemory is base for an engine in memory.
func (e *Engine) baseInMemory(l *line, cycle int64) version {
	for {
		if p := e.remembered(l, cycle); p.t != nil || l.up == nil {
			return version{t: p.t, revision: p.revision}
		}
		l, cycle = l.up, l.origin.Cycle
	}
}

// hasInMemory is has for the own nodes of a line.
func (e *Engine) hasInMemory(ctx context.Context, l *line, id string, upTo int64) (bool, error) {
	o := e.own(l)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ids == nil {
		o.ids, o.drafts = make(map[string]int64), make(map[string]bool)
	}
	for x, err := range e.records(ctx, l, o.upTo+1, upTo) {
		if err != nil {
			return false, err
		}
		for i := range x.rows {
			o.drafts[x.rows[i].id] = true
		}
		for _, id := range x.gone {
			delete(o.drafts, id)
		}
		if o.upTo = x.entry.Revision; x.publishes() {
			for id := range o.drafts {
				if _, known := o.ids[id]; !known {
					o.ids[id] = o.upTo
				}
			}
			clear(o.drafts)
		}
	}
	first, published := o.ids[id]
	return published && first <= upTo || upTo == o.upTo && o.drafts[id], nil
}

// runsInMemory returns indexes of the records of a line up to a revision, in place of those of segments. The last records
// need not be in one. Cost: that of the records that came since it was asked last.
func (e *Engine) runsInMemory(ctx context.Context, l *line, upTo int64) ([]*segmentIndex, error) {
	o := e.own(l)
	o.mu.Lock()
	defer o.mu.Unlock()
	next := l.origin.Revision + 1
	if n := len(o.runs); n > 0 {
		next = o.runs[n-1].last + 1
	}
	var run []record
	for x, err := range e.records(ctx, l, next, upTo) {
		if err != nil {
			return nil, err
		}
		if run = append(run, *x); int64(len(run)) >= e.pace.run && x.publishes() { // a cycle is in one run
			index := indexing(run)
			o.runs, run = append(o.runs, &index), nil
		}
	}
	return slices.Clip(o.runs), nil
}

// addWhole adds the row of a node, whose content an engine in memory keeps with the node.
func (x *record) addWhole(ctx context.Context, r row) error {
	if !r.node.Content.Held() {
		v, err := r.node.Content.Value(ctx)
		if err != nil {
			return err
		}
		n := *r.node
		n.Content = tree.Hold(v)
		r.node, x.foreign = tree.NewNode(n, r.hash), true
	}
	x.rows = append(x.rows, r)
	return nil
}
