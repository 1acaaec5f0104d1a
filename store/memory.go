package store

import (
	"context"
	"iter"
	"sort"
	"strconv"
	"sync"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/tree"
)

// Memory keeps contexts in memory for as long as the process lives. Snapshots share what did
// not change, so the cost of a history is that of its changes.
type Memory struct {
	mu       sync.RWMutex
	next     Key
	contexts map[Key]*memoryContext // nil once closed
	tokens   []AccessToken          // by name
}

// memoryContext is one context in memory.
type memoryContext struct {
	info      Info
	base      int64        // the first cycle of the context
	snapshots []*tree.Tree // of the cycles base, base+1, …
	marks     []logMark    // of the snapshots
	working   *tree.Tree
	log       []Entry
	after     []after          // each entry of log
	requests  map[string]int   // token -> index in log
	ids       map[string]int64 // every id that ever was, with the first cycle that has it
	origin    *memoryContext   // of a fork: what it shares; its own requests and ids are here
	attempts  []Attempt        // in the order in which they were started
	forks     int64            // how many numbers forks got; counted in the first context of a family

	unfinished bool // a copy under way, which no name finds
}

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{contexts: make(map[Key]*memoryContext)} }

// Contexts implements Store.
func (m *Memory) Contexts(context.Context) ([]Info, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.contexts == nil {
		return nil, Closed()
	}
	list := make([]Info, 0, len(m.contexts))
	for _, k := range m.contexts {
		if !k.unfinished {
			list = append(list, k.info)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list, nil
}

// Find implements Store.
func (m *Memory) Find(_ context.Context, name string) (Info, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.contexts == nil {
		return Info{}, Closed()
	}
	for _, k := range m.contexts {
		if k.info.Name == name && !k.unfinished {
			return k.info, nil
		}
	}
	return Info{}, NoContext(name)
}

// Info implements Store.
func (m *Memory) Info(_ context.Context, key Key) (Info, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	k, err := m.with(key)
	if err != nil {
		return Info{}, err
	}
	return k.info, nil
}

// Create implements Store.
func (m *Memory) Create(ctx context.Context, g Creation) (Info, error) {
	if err := CheckName(g.Name); err != nil {
		return Info{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.contexts == nil {
		return Info{}, Closed()
	}
	if err := m.free(g.Name, nil); err != nil {
		return Info{}, err
	}
	m.next++
	cycle := g.Tree.Cycle()
	k := &memoryContext{
		info:      Info{Key: m.next, Name: g.Name, Edition: g.Edition, First: g.First(), Cycle: cycle, Stamps: g.Stamps},
		base:      cycle,
		snapshots: []*tree.Tree{g.Tree},
		working:   g.Tree.WithCycle(g.Stamps.Cycle),
		requests:  make(map[string]int),
		ids:       make(map[string]int64),
	}
	for e := range g.Tree.All() {
		k.ids[e.Node().ID] = cycle
	}
	k.record(g.Entry.Logged(Create, g.Tree))
	k.marks = []logMark{{k.info.Revision, g.Stamps}}
	k.apply(g.Changes)
	m.contexts[m.next] = k
	return k.info, nil
}

func (k *memoryContext) record(e Entry) {
	k.info.Revision++
	e.Revision = k.info.Revision
	if e.Request != "" {
		k.requests[e.Request] = len(k.log)
	}
	k.log, k.after = append(k.log, e), append(k.after, after{k.info.Stamps, k.info.Cycle})
}

// with finds a context. The caller holds the lock.
func (m *Memory) with(key Key) (*memoryContext, error) {
	if m.contexts == nil {
		return nil, Closed()
	}
	if k := m.contexts[key]; k != nil {
		return k, nil
	}
	return nil, NoKey(key)
}

// Load implements Store.
func (m *Memory) Load(_ context.Context, key Key) (*State, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	k, err := m.with(key)
	if err != nil {
		return nil, err
	}
	last := len(k.snapshots) - 1
	return &State{Info: k.info, Head: k.snapshots[last], Working: k.working, Idle: k.log[k.marks[last].revision-1].Idle},
		nil
}

// History implements Store.
func (m *Memory) History(_ context.Context, key Key, from, to int64) iter.Seq2[*tree.Tree, error] {
	return func(yield func(*tree.Tree, error) bool) {
		list, err := m.history(key, from, to)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, t := range list {
			if !yield(t, nil) {
				return
			}
		}
	}
}

func (m *Memory) history(key Key, from, to int64) ([]*tree.Tree, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	k, err := m.with(key)
	if err != nil {
		return nil, err
	}
	for _, cycle := range [...]int64{from, to} {
		if cycle < k.info.First || cycle > k.info.Cycle {
			return nil, NoSnapshot(cycle)
		}
	}
	if from > to {
		return nil, nil
	}
	return k.snapshots[from-k.base : to-k.base+1 : to-k.base+1], nil
}

// Apply implements Store.
func (m *Memory) Apply(_ context.Context, key Key, g Guard, changes ...Change) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, err := m.with(key)
	if err != nil {
		return err
	}
	if g.Cycle != k.info.Cycle || g.Revision != k.info.Revision {
		return Moved(g, k.info.Cycle, k.info.Revision)
	}
	for i, c := range changes {
		_, seen := k.request(c.Entry.Request, k.info.Revision)
		for _, earlier := range changes[:i] {
			seen = seen || c.Entry.Request != "" && earlier.Entry.Request == c.Entry.Request
		}
		if seen {
			return RequestSeen(c.Entry.Request)
		}
	}
	k.apply(changes)
	return nil
}

func (k *memoryContext) apply(changes []Change) {
	for _, c := range changes {
		next, kind := c.After, Edit
		if c.Sealed != nil {
			next, kind = c.Sealed, Commit
		}
		k.take(c)
		k.record(c.Entry.Logged(kind, next))
		if kind == Commit {
			k.marks = append(k.marks, logMark{k.info.Revision, c.Stamps})
		}
	}
}

// take makes a change except for its entry in the log.
func (k *memoryContext) take(c Change) {
	next, cycle := c.After, k.info.Cycle+1
	if c.Sealed != nil {
		next = c.Sealed
		k.snapshots = append(k.snapshots, c.Sealed)
		k.info.Cycle = c.Sealed.Cycle()
	}
	tree.Compare(c.Before, next, func(d tree.Difference) bool {
		switch {
		case d.Old == nil && !k.has(d.New.ID, cycle):
			k.ids[d.New.ID] = cycle
		case d.New == nil && k.ids[d.Old.ID] == cycle:
			delete(k.ids, d.Old.ID) // a draft that no snapshot ever had
		}
		return true
	})
	k.working, k.info.Stamps = c.After, c.Stamps
}

// RequestSeen returns the error for a request token that the log already has: E_CONFLICT.
func RequestSeen(token string) error {
	return fault.New(fault.Conflict, "the request token "+strconv.Quote(token)+" was used before",
		"Request returns the log entry of that call")
}

// Has implements Store.
func (m *Memory) Has(_ context.Context, key Key, id string) (bool, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	k, err := m.with(key)
	if err != nil {
		return false, err
	}
	return k.has(id, k.info.Cycle+1), nil
}

// Log implements Store.
func (m *Memory) Log(_ context.Context, key Key, from, to int64) ([]Entry, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	k, err := m.with(key)
	if err != nil {
		return nil, err
	}
	from, to = max(from, 1), min(to, int64(len(k.log)))
	if from > to {
		return nil, nil
	}
	return append([]Entry(nil), k.log[from-1:to]...), nil
}

// Request implements Store.
func (m *Memory) Request(_ context.Context, key Key, token string) (*Entry, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	k, err := m.with(key)
	if err != nil {
		return nil, err
	}
	if i, ok := k.request(token, k.info.Revision); ok && token != "" {
		e := k.log[i]
		return &e, nil
	}
	return nil, nil
}

// Rename implements Renamer.
func (m *Memory) Rename(_ context.Context, key Key, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	k, err := m.with(key)
	if err != nil {
		return err
	}
	if err := m.free(name, k); err != nil {
		return err
	}
	k.info.Name = name
	return nil
}

// Delete implements Deleter.
func (m *Memory) Delete(_ context.Context, key Key) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.with(key); err != nil {
		return err
	}
	delete(m.contexts, key)
	return nil
}

// Close implements Store. It releases everything.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.contexts = nil
	return nil
}
