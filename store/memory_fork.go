package store

import (
	"context"

	"github.com/contexttree/pact/tree"
)

// logMark is the state from which a fork at a snapshot continues.
type logMark struct {
	revision int64 // that published the snapshot
	stamps   tree.Stamps
}

// Fork implements Forker.
func (m *Memory) Fork(_ context.Context, key Key, cycle int64, f Fork) (Info, error) {
	if err := CheckName(f.Name); err != nil {
		return Info{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	of, err := m.with(key)
	if err != nil {
		return Info{}, err
	}
	if cycle < of.info.First || cycle > of.info.Cycle {
		return Info{}, NoSnapshot(cycle)
	}
	if _, seen := of.request(f.Entry.Request, of.info.Revision); seen {
		return Info{}, RequestSeen(f.Entry.Request)
	}
	if err := m.renameSource(of, f); err != nil {
		return Info{}, err
	}
	m.next++
	k := of.fork(m.next, cycle, f)
	m.contexts[m.next] = k
	return k.info, nil
}

// renameSource renames the context that is forked, if its new name and the name of the fork are
// free.
func (m *Memory) renameSource(of *memoryContext, f Fork) error {
	if f.SupersededName == "" {
		return m.free(f.Name, nil)
	}
	if err := CheckName(f.SupersededName); err != nil {
		return err
	}
	if f.Guard.Cycle != of.info.Cycle || f.Guard.Revision != of.info.Revision {
		return Moved(f.Guard, of.info.Cycle, of.info.Revision)
	}
	if f.SupersededName == f.Name {
		return NameTaken(f.Name)
	}
	if err := m.free(f.SupersededName, of); err != nil {
		return err
	}
	if err := m.free(f.Name, of); err != nil {
		return err
	}
	of.info.Name = f.SupersededName
	e := f.Entry
	e.Cycle, e.TimeNS = of.info.Stamps.Cycle, of.info.Stamps.LastNS
	of.record(e.Logged(Superseded, of.working))
	return nil
}

// free returns an error for a name that a context other than but has.
func (m *Memory) free(name string, but *memoryContext) error {
	for _, k := range m.contexts {
		if k != but && k.info.Name == name {
			return NameTaken(name)
		}
	}
	return nil
}

// fork returns a context that shares snapshots and log up to a cycle. Its origin is the
// context, among this one and its origins, that published the cycle.
func (k *memoryContext) fork(key Key, cycle int64, f Fork) *memoryContext {
	for k.origin != nil && cycle <= k.info.Origin.Cycle {
		k = k.origin
	}
	first := k
	for first.origin != nil {
		first = first.origin
	}
	first.forks++
	n := cycle - k.base + 1
	at := k.marks[n-1]
	t := k.snapshots[n-1]
	c := &memoryContext{
		info: Info{Key: key, Name: f.Name, Edition: k.info.Edition, First: k.info.First, Cycle: cycle, Revision: at.revision,
			Stamps: at.stamps, Fork: first.forks, Origin: Origin{k.info.Key, cycle, at.revision}},
		base: k.base, snapshots: k.snapshots[:n:n], marks: k.marks[:n:n], log: k.log[:at.revision:at.revision],
		after: k.after[:at.revision:at.revision], working: t.WithCycle(at.stamps.Cycle), origin: k,
		requests: make(map[string]int), ids: make(map[string]int64),
	}
	e := f.Entry
	e.Cycle, e.TimeNS = cycle, at.stamps.LastNS
	c.record(e.Logged(Forked, t))
	return c
}

// has reports whether a node with an id is or was in a snapshot up to a cycle, or in a draft of
// the cycle after it.
func (k *memoryContext) has(id string, upTo int64) bool {
	if first, ok := k.ids[id]; ok && first <= upTo {
		return true
	}
	return k.origin != nil && k.origin.has(id, min(upTo, k.info.Origin.Cycle))
}

// request finds a token among the revisions up to upTo.
func (k *memoryContext) request(token string, upTo int64) (index int, ok bool) {
	if i, ok := k.requests[token]; ok && int64(i) < upTo {
		return i, true
	}
	if k.origin == nil {
		return 0, false
	}
	return k.origin.request(token, min(upTo, k.info.Origin.Revision))
}

// Check implements Checker. It finds no damage, because nothing changes what is in memory.
func (m *Memory) Check(_ context.Context, key Key) (*Damage, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	_, err := m.with(key)
	return nil, err
}

// CheckAll implements Checker.
func (m *Memory) CheckAll(context.Context) (*Damage, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.contexts == nil {
		return nil, Closed()
	}
	return nil, nil
}
