package pact

import (
	"context"
	"io"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/archive"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// ExportHistory writes the canonical snapshots between two addresses, both
// included, one a line, oldest first (05 §3.2): the form for exchange. Its size
// grows with the square of the conversation; Backup's does not.
// E_SNAPSHOT_NOT_FOUND where there is nothing at an address. Cost: about copying
// what is written.
func (c *Context) ExportHistory(ctx context.Context, w io.Writer, from, to Address) error {
	s := c.state.Load()
	first, last, err := cycles(s.Info, from, to)
	if err != nil {
		return err
	}
	return archive.WriteSnapshots(ctx, w, c.provenance(s), first, last)
}

// Backup writes the whole context in the compact form: a line for each cycle
// with the nodes that it brought and the ids that it took away, each version of
// a node once, and a last line for edits that were not committed. It is the
// form for copying and keeping; ImportHistory reads it.
func (c *Context) Backup(ctx context.Context, w io.Writer) error {
	s, err := c.current(ctx)
	if err != nil {
		return err
	}
	return archive.WriteCompact(ctx, w, c.provenance(s))
}

// Copy makes a context in another store, or under another name, with all
// snapshots of this one, in one durable step. Edits that were not committed
// come along. E_SNAPSHOT_NOT_FOUND where there is no snapshot to copy, E_CONFLICT
// where the name is taken.
func (c *Context) Copy(ctx context.Context, to store.Store, name string) (*Context, error) {
	s, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	g, err := archive.Copy(ctx, c.provenance(s), name, c.actor)
	if err != nil {
		return nil, err
	}
	return c.options().context(to).begin(ctx, g)
}

// ReadSnapshot reads a snapshot document on its own, for queries: a foreign
// shape that no context can have is reported and read all the same. In selectors
// @t0, the cycle of the document and @* name it. e is the
// edition to read it in, "" to go by the document. E_DOCUMENT_INVALID for what is
// no snapshot document at all.
func ReadSnapshot(data []byte, e selector.Edition) (*Snapshot, []inspect.Finding, error) {
	d, err := document.Read(data, document.Options{Edition: e, Lenient: true})
	if err != nil {
		return nil, nil, err
	}
	return &Snapshot{tree: d.Tree, edition: d.Edition, alone: true}, d.Findings, nil
}

// Import makes a context of a snapshot document (05 §3.2): its snapshot is that
// of the document's cycle, and the next commit is the cycle after it. The edition
// is that of the options or, where that is "", the document's own. A shape that no
// context can have is refused (02 §10); what was mended is in the findings.
// E_CONFLICT where the name is taken.
func Import(ctx context.Context, s store.Store, name string, data []byte, opts *ImportOptions) (*Context,
	[]inspect.Finding, error) {
	o := orZero(opts)
	g, findings, err := archive.ReadDocument(name, data, archive.Options{Edition: o.Edition, Actor: o.Actor})
	if err != nil {
		return nil, nil, err
	}
	c, err := o.context(s).begin(ctx, g)
	return c, findings, err
}

// ImportHistory makes a context of a history in JSON Lines, in either form: the
// snapshots of consecutive cycles, oldest first, or what Backup wrote. What
// other tools get wrong about their order, root and regions is mended and
// reported, unless the options are strict. Cycles keep their numbers; where one is
// missing the history is refused (05 §3.2, §6.6), unless the options renumber it. The
// import is one durable step. Errors carry the line.
func ImportHistory(ctx context.Context, s store.Store, name string, r io.Reader, opts *ImportHistoryOptions) (*Context,
	[]inspect.Finding, error) {
	o := orZero(opts)
	g, findings, err := archive.ReadHistory(ctx, name, r, o.archive(o.Actor))
	if err != nil {
		return nil, nil, err
	}
	c, err := o.context(s).begin(ctx, g)
	return c, findings, err
}

// Replay runs an exported history again, in either form: it makes a context of
// it in a fresh store in memory, exports that in the same form and compares byte
// by byte (06 §5.2). A history that cannot be read at all is an error. r is read
// twice. Cost: that of an import and an export; the bytes are not kept.
func Replay(ctx context.Context, r io.ReadSeeker, o *HistoryOptions) (*inspect.Replay, error) {
	return archive.RoundTrip(ctx, r, orZero(o).archive(""))
}
