package pact

import (
	"context"
	"io"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/archive"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// ExportSnapshots writes the canonical snapshots between two addresses, both included, one a
// line, oldest first (05 §3.2). This is the form for other tools. Its size grows with the
// square of the conversation; that of [Context.Export] does not. It returns
// E_SNAPSHOT_NOT_FOUND if there is no snapshot at an address, E_CONFLICT if an erasure changed
// the context meanwhile. Cost: about that of copying the bytes.
func (c *Context) ExportSnapshots(ctx context.Context, w io.Writer, from, to Address) (err error) {
	s := c.state.Load()
	first, last, err := cycles(s.Info, from, to)
	if err != nil {
		return err
	}
	return archive.WriteSnapshots(ctx, w, c.provenance(s), first, last)
}

// Export writes the whole context in the compact form: for each cycle one line with the
// nodes that it added, the ids that it removed and its attempts, so that each version of a
// node is written once; then a line for edits that are not committed. Use it for copies and
// archives; [ImportHistory] reads it. [Context.ExportSnapshots] writes the form for other
// tools. It returns E_CONFLICT if an erasure changed the context meanwhile.
func (c *Context) Export(ctx context.Context, w io.Writer) (err error) {
	s, err := c.current(ctx)
	if err != nil {
		return err
	}
	return archive.WriteCompact(ctx, w, c.provenance(s))
}

// Copy copies this context with all its snapshots and uncommitted edits to another store,
// or under another name in the same store, in one durable step. Log entries of edits,
// attempts and forks stay behind; [CopyContexts] takes everything along. Errors:
// E_SNAPSHOT_NOT_FOUND if the context has no snapshot, E_CONFLICT if the name is taken.
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
	return c.options().context(to.contexts).begin(ctx, g)
}

// ReadSnapshot reads a snapshot document that stands alone, for queries. It also reads a
// document with a shape that no context can have; the findings then say so. In selectors
// @t0, the cycle of the document and @* all name this snapshot. e is the edition in which
// to read the document; "" means the one that the document names. It returns
// E_DOCUMENT_INVALID for data that is not a snapshot document.
func ReadSnapshot(data []byte, e selector.Edition) (*Snapshot, []inspect.Finding, error) {
	d, err := document.Read(data, document.Options{Edition: e, Lenient: true})
	if err != nil {
		return nil, nil, err
	}
	return &Snapshot{hiddenTree: tree.Hide(d.Tree, nil), edition: d.Edition, alone: true}, d.Findings, nil
}

// Import makes a context from a snapshot document (05 §3.2). The document becomes the
// snapshot of its cycle, and the next commit is the cycle after it. The edition is that of
// the options or, if that is "", of the document. The findings say what Import had to mend.
// Errors: E_DOCUMENT_INVALID or E_PLACEMENT_INVALID for a shape that no context can have
// (02 §10), E_CONFLICT if the name is taken.
func Import(ctx context.Context, db *DB, name string, data []byte, opts *ImportOptions) (_ *Context,
	_ []inspect.Finding, err error) {
	o := optionsOf(opts)
	g, findings, err := archive.ReadDocument(name, data, archive.Options{Edition: o.Edition, Actor: o.Actor})
	if err != nil {
		return nil, nil, err
	}
	c, err := o.context(db.kept()).begin(ctx, g)
	return c, findings, err
}

// ImportHistory makes a context from a history in JSON Lines, in one of two forms:
// snapshots of consecutive cycles, oldest first, or what [Context.Export] wrote. It mends
// the mistakes of other tools in order, root and regions and reports them in the
// findings; with Strict it refuses such a history. Cycles keep their numbers. It refuses
// a history with a missing cycle (05 §3.2, §6.6) unless Renumber is set. The import is
// one durable step. Errors name the line.
func ImportHistory(ctx context.Context, db *DB, name string, r io.Reader, opts *ImportHistoryOptions) (
	_ *Context, _ []inspect.Finding, err error) {
	o := optionsOf(opts)
	read, err := archive.ReadHistory(ctx, name, r, o.archive(o.Actor))
	if err != nil {
		return nil, nil, err
	}
	c, err := o.context(db.kept()).begin(ctx, read.Creation)
	return c, read.Findings(), err
}

// Replay checks an exported history, in either form, by running it again: it imports the
// history into a new store in memory, exports it in the same form and compares the bytes
// (06 §5.2). It returns an error if it cannot read the history, but none if the bytes
// differ: the answer says where they do. Replay reads r twice. Cost: an import and an
// export; Replay does not keep the bytes.
func Replay(ctx context.Context, r io.ReadSeeker, o *HistoryOptions) (_ *inspect.Replay, err error) {
	return archive.RoundTrip(ctx, r, optionsOf(o).archive(""))
}
