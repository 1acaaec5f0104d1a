package pact

import (
	"context"
	"io"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/address"
	"github.com/contexttree/pact/internal/archive"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// ExportSnapshots writes the canonical snapshots between two addresses, both included, one a line, oldest first (05
// §3.2). This is the form for other tools. Its size grows with the square of the conversation; that of
// [Context.Export] does not. E_CONFLICT if an erasure changed the context meanwhile. Cost: about that of copying the
// bytes.
func (c *Context) ExportSnapshots(ctx context.Context, w io.Writer, from, to Address) (err error) {
	s := c.state.Load()
	first, last, err := address.Snapshots(s.Info.Info, string(from), string(to))
	if err != nil {
		return err
	}
	return archive.WriteSnapshots(ctx, w, c.provenance(s), first, last)
}

// Export writes the whole context in the compact form: for each cycle one line with the nodes that it added, the ids
// that it removed and its attempts, so that each version of a node is written once; then a line for edits that are
// not committed. Use it for copies and archives; [ImportHistory] reads it. [Context.ExportSnapshots] writes the form
// for other tools. It returns E_CONFLICT if an erasure changed the context meanwhile.
func (c *Context) Export(ctx context.Context, w io.Writer) (err error) {
	s, err := c.current(ctx)
	if err != nil {
		return err
	}
	return archive.WriteCompact(ctx, w, c.provenance(s))
}

// Copy copies this context with all its snapshots and uncommitted edits to another store, or under another name in
// the same store, in one durable step. Log entries of edits, attempts and forks stay behind; pact copy takes
// everything along. Errors: E_SNAPSHOT_NOT_FOUND if the context has no snapshot, E_CONFLICT if the name is taken.
func (c *Context) Copy(ctx context.Context, to *DB, name string) (_ *Context, err error) {
	s, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	if s.Cycle < s.First {
		return nil, fault.New(fault.SnapshotNotFound, "the context has no snapshot to copy", "commit first")
	}
	g, err := archive.Copy(ctx, c.provenance(s), name, c.actor)
	if err != nil {
		return nil, err
	}
	made, err := c.options().context(engine.Of(to)).begin(ctx, g)
	if err != nil {
		return nil, err
	}
	// What the copy shows is read from its own store, because the other one may be closed first. Where that fails, the
	// copy is there all the same.
	if own, err := made.load(ctx, made.state.Load().Key); err == nil {
		made.state.Store(own)
	}
	return made, nil
}

// ReadSnapshot reads a snapshot document that stands alone, for queries. It also reads a document with a shape that
// no context can have; the findings then say so. In selectors @t0, the cycle of the document and @* all name this
// snapshot. e is the edition in which to read the document; "" means the one that the document names. It returns
// E_DOCUMENT_INVALID for data that is not a snapshot document.
func ReadSnapshot(data []byte, e selector.Edition) (*Snapshot, []inspect.Finding, error) {
	d, err := document.Read(data, document.Options{Edition: e, Lenient: true})
	if err != nil {
		return nil, nil, err
	}
	return &Snapshot{hiddenTree: tree.Hide(d.Tree, nil), edition: d.Edition, alone: true}, d.Findings, nil
}

// Import makes a context from a snapshot document (05 §3.2). The document becomes the snapshot of its cycle, and the
// next commit is the cycle after it. The edition is that of the options or, if that is "", of the document. The
// findings say what Import had to mend. Errors: E_DOCUMENT_INVALID or E_PLACEMENT_INVALID for a shape that no context
// can have (02 §10), E_CONFLICT if the name is taken.
func Import(ctx context.Context, db *DB, name string, data []byte, opts *ImportOptions) (_ *Context,
	_ []inspect.Finding, err error) {
	o := optionsOf(opts)
	g, findings, err := archive.ReadDocument(name, data, o.archive())
	if err != nil {
		return nil, nil, err
	}
	c, err := o.context(engine.Of(db)).begin(ctx, g)
	return c, findings, err
}

// ImportHistory makes a context from a history in JSON Lines, in one of two forms: snapshots of consecutive cycles,
// oldest first, or what [Context.Export] wrote. It mends the mistakes of other tools in order, root and regions and
// reports them in the findings; with Strict it refuses such a history. Cycles keep their numbers. It refuses a
// history with a missing cycle (05 §3.2, §6.6) unless Renumber is set. The import is one durable step. Errors name
// the line.
func ImportHistory(ctx context.Context, db *DB, name string, r io.Reader, opts *ImportOptions) (
	_ *Context, _ []inspect.Finding, err error) {
	o := optionsOf(opts)
	read, err := archive.ReadHistory(ctx, name, r, o.archive())
	if err != nil {
		return nil, nil, err
	}
	c, err := o.context(engine.Of(db)).begin(ctx, read.Creation)
	return c, read.Findings(), err
}

// Extension compares this context with the one that [ImportHistory] would make, where a log grew and was imported
// again. It returns how many snapshots that one has more, and a function that adds them and takes over the uncommitted
// edits, in one durable step, and does nothing if nothing is new. Log entries of edits and attempts stay behind. Errors
// are those of ImportHistory, E_CONFLICT if one does not begin with all snapshots of the other, or if the other one goes
// on without an uncommitted edit of this one, but a block that was removed before any snapshot had it comes back; of the
// function if another writer changed the context meanwhile. Cost: reading every snapshot of both, two at a time; the new
// cycles are held in memory.
func (c *Context) Extension(ctx context.Context, r io.Reader, o *ImportOptions) (cycles int64,
	add func(context.Context) error, err error) {
	options := optionsOf(o)
	options.Actor = c.actor
	read, err := archive.ReadHistory(ctx, c.Info().Name, r, options.archive())
	if err != nil {
		return 0, nil, err
	}
	s, err := c.current(ctx)
	if err != nil {
		return 0, nil, err
	}
	changes, cycles, err := archive.Extension(ctx, c.provenance(s), read.Creation)
	if err != nil {
		return 0, nil, err
	}
	return cycles, func(ctx context.Context) error {
		if len(changes) == 0 {
			return nil
		}
		c.write.Lock()
		defer c.write.Unlock()
		next, err := c.apply(ctx, s, changes...)
		if err == nil {
			c.state.Store(next)
		}
		return err
	}, nil
}
