package pact

import (
	"context"
	"io"

	"github.com/contexttree/pact/internal/archive"
	"github.com/contexttree/pact/internal/engine"
)

// Extension holds the cycles that another context has beyond this one. [Context.Extension] makes it.
type Extension struct {
	Cycles  int64 // how many snapshots it adds
	changes []engine.Change
	of      *Context
	from    *state // the state that it extends
}

// Extension compares this context with another one that begins with the same snapshots: a log
// grew and was imported again. [Extension.Apply] adds what is new; nothing is, if the other one
// is shorter. The other context can be in any store. E_CONFLICT if one does not begin with all
// snapshots of the other, or if the other one goes on without an uncommitted edit of this one;
// but a block that was removed before any snapshot had it comes back. Cost: reading every
// snapshot of both; the new cycles are held in memory.
func (c *Context) Extension(ctx context.Context, other *Context) (_ *Extension, err error) {
	all, err := other.current(ctx)
	if err != nil {
		return nil, err
	}
	g, err := archive.Copy(ctx, other.provenance(all), all.Name, c.actor)
	if err != nil {
		return nil, err
	}
	return c.extension(ctx, g)
}

// HistoryExtension is [Context.Extension] for the context that [ImportHistory] would make. It holds two
// snapshots at a time, and the new cycles. Errors are also those of ImportHistory.
func (c *Context) HistoryExtension(ctx context.Context, r io.Reader, o *HistoryOptions) (_ *Extension, err error) {
	read, err := archive.ReadHistory(ctx, c.Name(), r, optionsOf(o).archive(c.actor))
	if err != nil {
		return nil, err
	}
	return c.extension(ctx, read.Creation)
}

func (c *Context) extension(ctx context.Context, g engine.Creation) (*Extension, error) {
	s, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	changes, cycles, err := archive.Extension(ctx, c.provenance(s), g)
	if err != nil {
		return nil, err
	}
	return &Extension{cycles, changes, c, s}, nil
}

// Apply adds the snapshots and takes over the uncommitted edits, in one durable step. Log
// entries of edits and attempts stay behind. It does nothing if nothing is new. E_CONFLICT if
// another writer changed the context since the extension was made. Cost: writing what is new.
func (x *Extension) Apply(ctx context.Context) (err error) {
	if len(x.changes) == 0 {
		return nil
	}
	x.of.write.Lock()
	defer x.of.write.Unlock()
	if err := x.of.store.Apply(ctx, x.from.Key, guard(x.from), x.changes...); err != nil {
		return err
	}
	next := state{State: x.from.State}
	for _, change := range x.changes {
		next.Revision++
		next.Working, next.Stamps = change.After, change.Stamps
		if change.Sealed != nil {
			next.Head, next.State.Cycle, next.Idle = change.Sealed, change.Sealed.Cycle(), change.Entry.Idle
		}
	}
	x.of.state.Store(&next)
	return nil
}
