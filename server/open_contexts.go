package server

import (
	"context"
	"slices"
	"sync"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
)

// Limits of what stays open between requests.
const (
	mostOpen      = 32        // contexts
	mostOpenNodes = 1_000_000 // nodes of their latest snapshots, together
	mostOldNodes  = 250_000   // nodes of the older snapshots of a context, of which there is at least one
)

// openContexts keeps the contexts that were read last, so that the next question about one
// does not open it again. A context is used again only if the store says that nothing was
// written to it since, by this process or another one.
type openContexts struct {
	mu      sync.Mutex
	list    []*openContext // the one that was used last comes first
	opening map[opening]chan struct{}
}

// opening is a context that a request opens at this moment. The channel is closed when it is
// done, so that others wait for what it reads instead of reading the same beside it.
type opening struct {
	key  history.Key
	unit view.Unit
}

// openContext is a context at one revision.
type openContext struct {
	info    history.Info
	unit    view.Unit
	context *pact.Context
	counter tree.Counter // nil for bytes
	reader  *view.Reader
	nodes   int

	mu     sync.Mutex
	states []readState // the one that was read last comes first
}

// readState is a snapshot and the address by which it was read.
type readState struct {
	at       pact.Address
	snapshot *pact.Snapshot
}

// read opens a context for reading, or takes it as it is open already.
func (s *Server) read(ctx context.Context, name string, unit view.Unit) (*openContext, error) {
	for {
		info, err := s.store.Find(ctx, name)
		if err != nil {
			return nil, err
		}
		c, wait, done := s.opened.enter(info, unit)
		switch {
		case c != nil:
			return c, nil
		case done != nil:
			defer done()
			return s.openNow(ctx, info, unit)
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// openNow opens a context, and begins with what a reader of an earlier revision knows.
func (s *Server) openNow(ctx context.Context, info history.Info, unit view.Unit) (*openContext, error) {
	o, err := s.openFor(unit)
	if err != nil {
		return nil, err
	}
	c, err := pact.Open(ctx, s.store, info.Name, &o)
	if err != nil {
		return nil, err
	}
	now := &openContext{info: info, unit: unit, context: c, counter: o.Counter, nodes: c.Working().Len()}
	var before *view.Reader
	if older := s.opened.find(info, unit); older != nil && older.info.Erasures == info.Erasures {
		before = older.reader
	}
	now.reader = view.NewReader(c, unit, o.Counter, before)
	if c.Info().Revision == info.Revision { // else another writer was faster: the next request opens it again
		s.opened.add(now)
	}
	return now, nil
}

// readContext is read for operations that ask the context itself.
func (s *Server) readContext(ctx context.Context, name string) (*pact.Context, error) {
	c, err := s.read(ctx, name, view.Bytes)
	if err != nil {
		return nil, err
	}
	return c.context, nil
}

// enter returns the context if it is open at the revision of info. Otherwise it returns a
// channel to wait for if another request opens it at this moment; and if none does, the
// function that the caller calls when it has opened it or failed to.
func (o *openContexts) enter(info history.Info, unit view.Unit) (c *openContext, wait <-chan struct{}, done func()) {
	if c = o.find(info, unit); c != nil && c.info == info {
		return c, nil, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	at := opening{info.Key, unit}
	if other, ok := o.opening[at]; ok {
		return nil, other, nil
	}
	if o.opening == nil {
		o.opening = map[opening]chan struct{}{}
	}
	mine := make(chan struct{})
	o.opening[at] = mine
	return nil, nil, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.opening, at)
		close(mine)
	}
}

// find returns the open context with a key, at whatever revision, nil if there is none.
func (o *openContexts) find(info history.Info, unit view.Unit) *openContext {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.list, func(c *openContext) bool { return c.info.Key == info.Key && c.unit == unit })
	if i < 0 {
		return nil
	}
	c := o.list[i]
	copy(o.list[1:i+1], o.list[:i])
	o.list[0] = c
	return c
}

// add keeps a context instead of the one with the same key, and lets go of those that were
// not used for longest if there are too many.
func (o *openContexts) add(c *openContext) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = slices.DeleteFunc(o.list, func(other *openContext) bool {
		return other.info.Key == c.info.Key && other.unit == c.unit
	})
	o.list = slices.Insert(o.list, 0, c)
	nodes, keep := 0, 0
	for keep < len(o.list) && keep < mostOpen {
		if nodes += o.list[keep].nodes; nodes > mostOpenNodes && keep > 0 {
			break
		}
		keep++
	}
	clear(o.list[keep:])
	o.list = o.list[:keep]
}

// at returns the state at an address that a request has.
func (c *openContext) at(ctx context.Context, address string) (*pact.Snapshot, error) {
	a, err := pact.ParseAddress(address, c.context.Info().Edition)
	if err != nil {
		return nil, err
	}
	return c.stateAt(ctx, a)
}

// stateAt returns the state at an address.
func (c *openContext) stateAt(ctx context.Context, a pact.Address) (*pact.Snapshot, error) {
	if a == "working" || a == "latest" {
		return c.context.At(ctx, a)
	}
	if s := c.cached(a); s != nil {
		return s, nil
	}
	s, err := c.context.At(ctx, a)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.states = slices.Insert(c.states, 0, readState{a, s})
	nodes := 0
	for i := range c.states {
		if nodes += c.states[i].snapshot.Len(); nodes > mostOldNodes && i > 0 {
			clear(c.states[i:])
			c.states = c.states[:i]
			break
		}
	}
	return s, nil
}

// cached returns a state that was read before, nil if it was not.
func (c *openContext) cached(a pact.Address) *pact.Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.states, func(s readState) bool { return s.at == a })
	if i < 0 {
		return nil
	}
	found := c.states[i]
	copy(c.states[1:i+1], c.states[:i])
	c.states[0] = found
	return found.snapshot
}
