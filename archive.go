package pact

import (
	"context"
	"io"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/archive"
	"github.com/contexttree/pact/internal/document"
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
	return archive.WriteCompact(ctx, w, c.provenance(c.state.Load()))
}

// Copy makes a context in another store, or under another name, with all
// snapshots of this one, in one durable step. Edits that were not committed
// come along. E_SNAPSHOT_NOT_FOUND where there is no snapshot to copy, E_CONFLICT
// where the name is taken.
func (c *Context) Copy(ctx context.Context, to store.Store, name string) (*Context, error) {
	g, err := archive.Copy(ctx, c.provenance(c.state.Load()), name, c.actor)
	if err != nil {
		return nil, err
	}
	return begin(ctx, to, g, options{clock: c.clock, actor: c.actor, counter: c.counter})
}

// ReadSnapshot reads a snapshot document on its own, for queries: a foreign
// shape that no context can have is reported and read all the same. e is the
// edition to read it in, "" to go by the document. E_DOCUMENT_INVALID for what is
// no snapshot document at all.
func ReadSnapshot(data []byte, e Edition) (*Snapshot, []inspect.Finding, error) {
	d, err := document.Read(data, document.Options{Edition: e, Lenient: true})
	if err != nil {
		return nil, nil, err
	}
	return &Snapshot{tree: d.Tree, edition: d.Edition}, d.Findings, nil
}

// Import makes a context of a snapshot document (05 §3.2): its snapshot is that
// of the document's cycle, and the next commit is the cycle after it. The edition
// is that of WithEdition or, where that is "", the document's own. A shape that no
// context can have is refused (02 §10); what was mended is in the findings.
// E_CONFLICT where the name is taken.
func Import(
	ctx context.Context, s store.Store, name string, data []byte, opts ...Option,
) (*Context, []inspect.Finding, error) {
	o := collectImport(opts)
	g, findings, err := archive.ReadDocument(name, data, o.archive())
	if err != nil {
		return nil, nil, err
	}
	c, err := begin(ctx, s, g, o)
	return c, findings, err
}

// ImportHistory makes a context of a history in JSON Lines, in either form: the
// snapshots of consecutive cycles, oldest first, or what Backup wrote. What
// other tools get wrong about their order, root and regions is mended and
// reported, unless [Strict] is given. Cycles keep their numbers; where one is
// missing the history is refused (05 §3.2, §6.6), unless [Renumber] is given. The
// import is one durable step. Errors carry the line.
func ImportHistory(
	ctx context.Context, s store.Store, name string, r io.Reader, opts ...Option,
) (*Context, []inspect.Finding, error) {
	o := collectImport(opts)
	g, findings, err := archive.ReadHistory(ctx, name, r, o.archive())
	if err != nil {
		return nil, nil, err
	}
	c, err := begin(ctx, s, g, o)
	return c, findings, err
}

// Replay runs an exported history again, in either form: it makes a context of
// it in a fresh store in memory, exports that in the same form and compares byte
// by byte (06 §5.2). A history that cannot be read at all is an error. r is read
// twice. Cost: that of an import and an export; the bytes are not kept.
func Replay(ctx context.Context, r io.ReadSeeker, opts ...Option) (*inspect.Replay, error) {
	o := collectImport(opts)
	return archive.RoundTrip(ctx, r, o.archive())
}

// Strict refuses a history that had to be mended: snapshots newest first,
// another root or region. It also refuses what no context can have done: sealed
// turns that change, ids that come back, more than one edition. Without it
// ImportHistory mends the former, takes the latter as it is, and says so in its
// findings.
func Strict() Option { return func(o *options) { o.strict = true } }

// Renumber counts the cycles of a history of snapshots anew from that of the
// oldest, one for every line, and says which in the findings. Without it a
// history with a gap between its cycles is refused: every cycle is one snapshot
// (05 §3.2, §6.6), and an address has to find what it names.
func Renumber() Option { return func(o *options) { o.renumber = true } }

// collectImport collects the options of an import, which goes by the edition of
// what is read where none is given.
func collectImport(opts []Option) options { return collect(append([]Option{WithEdition("")}, opts...)) }

func (o *options) archive() archive.Options {
	return archive.Options{Edition: o.edition, Actor: o.actor, Strict: o.strict, Renumber: o.renumber}
}
