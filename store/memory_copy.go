package store

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/contexttree/pact/tree"
)

// after is the state of a context after a revision.
type after struct {
	stamps tree.Stamps
	latest int64
}

// Lines implements Copier.
func (m *Memory) Lines(context.Context) ([]Line, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.contexts == nil {
		return nil, Closed()
	}
	var list []Line
	seen := make(map[*memoryContext]bool)
	for _, k := range m.contexts {
		for ; k != nil && !seen[k]; k = k.origin {
			seen[k] = true
			l := Line{Info: k.info, Forks: k.forks, Unfinished: k.unfinished, Shared: m.contexts[k.info.Key] == nil}
			switch {
			case l.Unfinished:
				l.Name = CopiedName(l.Name)
			case l.Shared:
				l.Name = "@" + strconv.FormatInt(int64(l.Key), 10)
			}
			list = append(list, l)
		}
	}
	slices.SortFunc(list, func(a, b Line) int { return cmp.Compare(a.Key, b.Key) })
	return list, nil
}

// Revisions implements Copier.
func (m *Memory) Revisions(_ context.Context, key Key, from, to int64) ([]Revision, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	k, err := m.with(key)
	if err != nil {
		return nil, err
	}
	var list []Revision
	for i := max(from, 1); i <= min(to, int64(len(k.log))); i++ {
		list = append(list, Revision{k.log[i-1], k.after[i-1].stamps, k.after[i-1].latest})
	}
	return list, nil
}

// Base implements Copier.
func (m *Memory) Base(_ context.Context, key Key) (*tree.Tree, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	k, err := m.with(key)
	if err != nil {
		return nil, err
	}
	return k.snapshots[0], nil
}

// BeginCopy implements Copier.
func (m *Memory) BeginCopy(ctx context.Context, l Line, first Revision, base *tree.Tree) (Key, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.contexts == nil {
		return 0, Closed()
	}
	l.Info.Name = UnfinishedName(l.Name)
	if m.free(l.Info.Name, nil) != nil {
		return 0, CopyUnderWay(CopiedName(l.Info.Name))
	}
	k := &memoryContext{info: l.Info, requests: make(map[string]int), ids: make(map[string]int64), unfinished: true}
	if l.Origin.Key == 0 {
		var born []tree.Born
		for e, parent := range base.All() {
			born = append(born, tree.Born{Node: e.Node(), Parent: parent})
		}
		if err := hold(ctx, born); err != nil {
			return 0, err
		}
		base = base.Patch(base.Cycle(), nil, born)
		k.base, k.snapshots = base.Cycle(), []*tree.Tree{base}
		for e := range base.All() {
			k.ids[e.Node().ID] = k.base
		}
	} else {
		of, n, err := m.forkPoint(l.Origin)
		if err != nil {
			return 0, err
		}
		revision := l.Origin.Revision
		k.base, k.snapshots, k.marks, k.origin = of.base, of.snapshots[:n:n], of.marks[:n:n], of
		k.log, k.after = of.log[:revision:revision], of.after[:revision:revision]
	}
	m.next++
	k.info.Key, k.info.Revision = m.next, l.Origin.Revision
	k.retrace(first)
	k.working = k.snapshots[len(k.snapshots)-1].WithCycle(first.Stamps.Cycle)
	if l.Origin.Key == 0 {
		k.marks = []logMark{{k.info.Revision, first.Stamps}}
	}
	m.contexts[m.next] = k
	return m.next, nil
}

// forkPoint finds the context in which a fork began, and how many of its trees the fork shares.
func (m *Memory) forkPoint(o Origin) (of *memoryContext, trees int64, err error) {
	if of, err = m.with(o.Key); err != nil {
		return nil, 0, err
	}
	trees = o.Cycle - of.base + 1
	if trees < 1 || trees > int64(len(of.marks)) || of.marks[trees-1].revision != o.Revision {
		return nil, 0, NoSnapshot(o.Cycle)
	}
	return of, trees, nil
}

// retrace logs a revision as another store recorded it.
func (k *memoryContext) retrace(r Revision) {
	k.info.Stamps, k.info.Cycle = r.Stamps, r.Latest
	k.record(r.Entry)
}

// unfinishedCopy finds an unfinished copy. The caller holds the lock.
func (m *Memory) unfinishedCopy(key Key) (*memoryContext, error) {
	if m.contexts == nil {
		return nil, Closed()
	}
	if k := m.contexts[key]; k != nil && k.unfinished {
		return k, nil
	}
	return nil, NoCopy()
}

// ExtendCopy implements Copier.
func (m *Memory) ExtendCopy(ctx context.Context, key Key, g Guard, pieces ...Piece) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, err := m.unfinishedCopy(key)
	if err != nil {
		return err
	}
	if g.Cycle != k.info.Cycle || g.Revision != k.info.Revision {
		return Moved(g, k.info.Cycle, k.info.Revision)
	}
	changes, err := k.holding(ctx, pieces)
	if err != nil {
		return err
	}
	for i, p := range pieces {
		k.take(changes[i])
		for _, r := range p.Revisions {
			k.retrace(r)
		}
		if p.Sealed != nil {
			k.marks = append(k.marks, logMark{k.info.Revision, p.Stamps})
		}
	}
	return nil
}

// holding returns the changes of pieces with trees that hold their contents: the trees of the
// pieces may load contents from the store that they come from.
func (k *memoryContext) holding(ctx context.Context, pieces []Piece) ([]Change, error) {
	list, working := make([]Change, len(pieces)), k.working
	for i, p := range pieces {
		next := p.After
		if p.Sealed != nil {
			next = p.Sealed
		}
		gone, born := p.Before.Delta(next)
		if err := hold(ctx, born); err != nil {
			return nil, err
		}
		list[i] = p.Change
		list[i].Before, list[i].After = working, working.Patch(next.Cycle(), gone, born)
		if p.Sealed != nil {
			list[i].Sealed, list[i].After = list[i].After, list[i].After.WithCycle(p.Stamps.Cycle)
		}
		working = list[i].After
	}
	return list, nil
}

// hold replaces nodes that load their contents by nodes that hold them.
func hold(ctx context.Context, list []tree.Born) error {
	for i, b := range list {
		if b.Node.Content.Size() == 0 {
			continue
		}
		content, err := b.Node.Content.Value(ctx)
		if err != nil {
			return err
		}
		n := *b.Node
		n.Content = tree.Hold(content)
		var hash *tree.Digest
		if n.HashOK {
			hash = &b.Node.Hash
		}
		list[i].Node = tree.NewNode(n, hash)
	}
	return nil
}

// CopyAttempts implements Copier.
func (m *Memory) CopyAttempts(_ context.Context, key Key, list []Attempt) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, err := m.unfinishedCopy(key)
	if err != nil {
		return err
	}
	for _, a := range list {
		if _, _, fork, ok := ParseAttemptID(a.ID); !ok || fork != k.info.Fork {
			return NoAttempt(a.ID)
		}
		i := slices.IndexFunc(k.attempts, func(b Attempt) bool { return b.ID == a.ID })
		if i < 0 {
			k.attempts = append(k.attempts, a.clone())
		} else {
			k.attempts[i] = a.clone()
		}
	}
	slices.SortFunc(k.attempts, compareAttempts)
	return nil
}

// compareAttempts orders the attempts of a context by their start.
func compareAttempts(a, b Attempt) int {
	cycleA, numberA, _, _ := ParseAttemptID(a.ID)
	cycleB, numberB, _, _ := ParseAttemptID(b.ID)
	return cmp.Or(cmp.Compare(cycleA, cycleB), cmp.Compare(numberA, numberB))
}

// FinishCopies implements Copier.
func (m *Memory) FinishCopies(_ context.Context, lines []Line) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	taken := make(map[string]bool)
	for _, l := range lines {
		if _, err := m.unfinishedCopy(l.Key); err != nil {
			return err
		}
		if l.Shared {
			continue
		}
		if err := CheckName(l.Name); err != nil {
			return err
		}
		if m.free(l.Name, nil) != nil || taken[l.Name] {
			return NameTaken(l.Name)
		}
		taken[l.Name] = true
	}
	for _, l := range lines {
		k := m.contexts[l.Key]
		k.info.Name, k.forks, k.info.Erasures, k.unfinished = l.Name, l.Forks, l.Erasures, false
		if l.Shared {
			delete(m.contexts, l.Key)
		}
	}
	return nil
}
