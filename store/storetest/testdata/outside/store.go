package outside

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// Store implements store.Store and no other power.
type Store struct {
	mu     sync.Mutex
	closed bool
	list   []*history // the key of a context is its index plus 1
}

// history is one context.
type history struct {
	state     store.State  // without the working state
	working   []byte       // as rows
	first     *tree.Tree   // the tree that it was created with
	snapshots []*tree.Tree // of the cycles state.First, state.First+1, …
	log       []store.Entry
}

// get finds a context. The caller holds the lock.
func (s *Store) get(key store.Key) (*history, error) {
	switch {
	case s.closed:
		return nil, store.Closed()
	case key < 1 || int(key) > len(s.list):
		return nil, store.NoKey(key)
	}
	return s.list[key-1], nil
}

func (s *Store) Contexts(context.Context) ([]store.Info, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, store.Closed()
	}
	var list []store.Info
	for _, h := range s.list {
		list = append(list, h.state.Info)
	}
	slices.SortFunc(list, func(a, b store.Info) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

func (s *Store) Find(ctx context.Context, name string) (store.Info, error) {
	list, err := s.Contexts(ctx)
	if err != nil {
		return store.Info{}, err
	}
	for _, i := range list {
		if i.Name == name {
			return i, nil
		}
	}
	return store.Info{}, store.NoContext(name)
}

func (s *Store) Info(_ context.Context, key store.Key) (store.Info, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.get(key)
	if err != nil {
		return store.Info{}, err
	}
	return h.state.Info, nil
}

func (s *Store) Create(ctx context.Context, g store.Creation) (store.Info, error) {
	if err := store.CheckName(g.Name); err != nil {
		return store.Info{}, err
	}
	if _, err := s.Find(ctx, g.Name); err == nil {
		return store.Info{}, store.NameTaken(g.Name)
	} else if fault.CodeOf(err) != fault.ContextNotFound {
		return store.Info{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	working := g.Tree
	if n := len(g.Changes); n > 0 {
		working = g.Changes[n-1].After
	}
	rows, err := written(ctx, working)
	if err != nil {
		return store.Info{}, err
	}
	h := &history{working: rows, first: g.Tree, state: store.State{
		Info: store.Info{Key: store.Key(len(s.list) + 1), Name: g.Name, Edition: g.Edition, First: g.First(),
			Cycle: g.Tree.Cycle(), Stamps: g.Stamps},
		Head: g.Tree, Idle: g.Entry.Idle,
	}}
	if g.Imported {
		h.snapshots = append(h.snapshots, g.Tree)
	}
	h.record(g.Entry.Logged(store.Create, g.Tree))
	h.apply(g.Changes)
	s.list = append(s.list, h)
	return h.state.Info, nil
}

func (h *history) record(e store.Entry) {
	h.state.Revision++
	e.Revision = h.state.Revision
	h.log = append(h.log, e)
}

func (h *history) apply(changes []store.Change) {
	for _, c := range changes {
		kind, t := store.Edit, c.After
		if c.Sealed != nil {
			kind, t = store.Commit, c.Sealed
			h.snapshots = append(h.snapshots, t)
			h.state.Head, h.state.Cycle, h.state.Idle = t, t.Cycle(), c.Entry.Idle
		}
		h.state.Stamps = c.Stamps
		h.record(c.Entry.Logged(kind, t))
	}
}

func (s *Store) Load(_ context.Context, key store.Key) (*store.State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.get(key)
	if err != nil {
		return nil, err
	}
	state := h.state
	if state.Working, err = read(state.Stamps.Cycle, h.working); err != nil {
		return nil, err
	}
	return &state, nil
}

func (s *Store) History(_ context.Context, key store.Key, from, to int64) iter.Seq2[*tree.Tree, error] {
	return func(yield func(*tree.Tree, error) bool) {
		list, err := s.span(key, from, to)
		if err != nil {
			yield(nil, err)
		}
		for _, t := range list {
			if !yield(t, nil) {
				return
			}
		}
	}
}

func (s *Store) span(key store.Key, from, to int64) ([]*tree.Tree, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.get(key)
	if err != nil {
		return nil, err
	}
	first := h.state.First
	for _, cycle := range [...]int64{from, to} {
		if cycle < first || cycle >= first+int64(len(h.snapshots)) {
			return nil, store.NoSnapshot(cycle)
		}
	}
	if from > to {
		return nil, nil
	}
	return slices.Clone(h.snapshots[from-first : to-first+1]), nil
}

func (s *Store) Apply(ctx context.Context, key store.Key, g store.Guard, changes ...store.Change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.get(key)
	if err != nil {
		return err
	}
	if g.Cycle != h.state.Cycle || g.Revision != h.state.Revision {
		return store.Moved(g, h.state.Cycle, h.state.Revision)
	}
	seen := map[string]bool{"": false}
	for _, c := range changes {
		token := c.Entry.Request
		if token != "" && (seen[token] || h.request(token) != nil) {
			return store.RequestSeen(token)
		}
		seen[token] = true
	}
	if n := len(changes); n > 0 {
		rows, err := written(ctx, changes[n-1].After)
		if err != nil {
			return err
		}
		h.working = rows
	}
	h.apply(changes)
	return nil
}

func (s *Store) Has(_ context.Context, key store.Key, id string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.get(key)
	if err != nil {
		return false, err
	}
	working, err := read(h.state.Stamps.Cycle, h.working)
	if err != nil {
		return false, err
	}
	return h.first.Has(id) || working.Has(id) || slices.ContainsFunc(h.snapshots,
		func(t *tree.Tree) bool { return t.Has(id) }), nil
}

func (s *Store) Log(_ context.Context, key store.Key, from, to int64) ([]store.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.get(key)
	if err != nil {
		return nil, err
	}
	from, to = max(from, 1), min(to, int64(len(h.log)))
	if from > to {
		return nil, nil
	}
	return slices.Clone(h.log[from-1 : to]), nil
}

func (h *history) request(token string) *store.Entry {
	for _, e := range h.log {
		if e.Request == token {
			return &e
		}
	}
	return nil
}

func (s *Store) Request(_ context.Context, key store.Key, token string) (*store.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.get(key)
	if err != nil || token == "" {
		return nil, err
	}
	return h.request(token), nil
}

func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.list = true, nil
	return nil
}
