package pact

import (
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/archive"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// OpenOptions says who works with a context, and with what. A nil *OpenOptions is
// the zero OpenOptions.
type OpenOptions struct {
	// Actor names who edits, for the log, where a call names nobody itself.
	Actor string
	// Clock gives the time for stamps, in nanoseconds since the epoch; nil for the
	// clock of the system. It is read once for every stamp; readings that do not
	// increase are lifted to the last one plus 1 (02 §4.4).
	Clock func() int64
	// Counter counts the tokens of contents, for policies that limit them and for
	// reports; package tokens has some. With nil nothing is counted; with one, no
	// commit counts whose policy does not.
	Counter tree.Counter
}

// CreateOptions says how a new context begins. A nil *CreateOptions is the zero
// CreateOptions.
type CreateOptions struct {
	OpenOptions
	// Edition is that of the selectors of the context and of the names given to
	// new nodes, and stays; "" for canonical.
	Edition selector.Edition
	// Attrs are custom attributes of the root (02 §3.5).
	Attrs map[string]any
}

// ImportOptions says how a snapshot document is read. A nil *ImportOptions is the
// zero ImportOptions.
type ImportOptions struct {
	OpenOptions
	// Edition is that of the document; "" to go by the document itself.
	Edition selector.Edition
}

// HistoryOptions says how a history is read. A nil *HistoryOptions is the zero
// HistoryOptions.
type HistoryOptions struct {
	// Edition is that of the history; "" to go by the history itself.
	Edition selector.Edition
	// Strict refuses a history that had to be mended: snapshots newest first,
	// another root or region. It also refuses what no context can have done: sealed
	// turns that change, ids that come back, more than one edition. Otherwise the
	// former is mended, the latter taken as it is, and the findings say so.
	Strict bool
	// Renumber counts the cycles of a history of snapshots anew from that of the
	// oldest, one for every line, and the findings say which. Otherwise a history
	// with a gap between its cycles is refused: every cycle is one snapshot (05
	// §3.2, §6.6), and an address has to find what it names.
	Renumber bool
}

// ImportHistoryOptions says how a history is read, and who works with the context
// that it becomes. A nil *ImportHistoryOptions is the zero ImportHistoryOptions.
type ImportHistoryOptions struct {
	OpenOptions
	HistoryOptions
}

// Note is what the log keeps of one call beside what the call did. A nil *Note
// is the zero Note.
type Note struct {
	Actor   string // who makes the call; "" for the actor of the Context
	Message string // why, for whoever reads the log
	// Request is a token for the call, "" for none. A call with a token that the
	// log holds already does nothing, so that it can be repeated after a lost
	// answer. A token belongs to one call: E_CONFLICT where the log holds it with
	// a call of another kind.
	Request string
}

// Pruning says what a commit removes beyond what expires (02 §7). A nil *Pruning
// removes nothing more, as the zero Pruning does.
type Pruning struct {
	// Policy gives the limits. One that limits tokens needs a Context with a
	// counter: E_DOCUMENT_INVALID without.
	Policy lifecycle.Policy
	// IDs names blocks outside cores and whole turns to remove. What the rules
	// protect is held back, and the report says why.
	IDs []string
	// Select holds selectors in the edition of the context, without an address:
	// what one of them selects in the working state is removed like what IDs
	// names.
	Select []string
	// Rewrite names sealed turns that go because what is sent now does not go on
	// from them: earlier messages were rewritten, and what is still sent of them
	// was added again. They go whatever their age, before Policy is looked at, and
	// leave no stub. What is pinned, retained or referred to from elsewhere is
	// held back all the same.
	Rewrite []string
}

// empty reports whether nothing is asked for.
func (p *Pruning) empty() bool {
	return p == nil || p.Policy.Empty() && len(p.IDs)+len(p.Select)+len(p.Rewrite) == 0
}

// SelectOptions says how much of what a selector finds is returned. The windows
// apply after all controls of the selector, in the order Where, Skip, Limit (003,
// 001 §3.5.2). A nil *SelectOptions is the zero SelectOptions.
type SelectOptions struct {
	// Edition is the one to read the selector and Where in; "" for that of the
	// context.
	Edition selector.Edition
	// Where is a selector: what it matches stays, and what stands below a node that
	// it matches, in the same snapshot; "" keeps everything. It has no address, or
	// the one of the selector that is asked, which lets it use derived facets.
	Where string
	Skip  int // leaves out the first nodes
	Limit int // is the most nodes that are returned; 0 for no limit
	// RangeAsIDs makes a range of snapshots give ids, as @mode=union does: what
	// select_range_returns_diff=false means in edition v0.1 (annex 10). In the other
	// editions and without a range it is E_SELECTOR_INVALID.
	RangeAsIDs bool
}

// DiffOptions says what of two snapshots is compared. A nil *DiffOptions is the
// zero DiffOptions.
type DiffOptions struct {
	// Edition is the one to read Select in; "" for that of the context.
	Edition selector.Edition
	// Select is a selector without an address, to which both sides are restricted
	// first; "" compares everything.
	Select string
}

// ContentOptions says how a change of a content is shown.
type ContentOptions struct {
	// Mode is the form; "" for unified. A JSON Patch of contents that are not both
	// JSON becomes unified, and a warning says so.
	Mode diff.Mode
	// Lines are the lines of context of a unified diff, at least 0; nil for 3.
	Lines *int
}

// RichDiffOptions says what of two snapshots is compared, and how changes of
// contents are shown. A nil *RichDiffOptions is the zero RichDiffOptions.
type RichDiffOptions struct {
	DiffOptions
	ContentOptions
}

// RangeOptions says what RangeDiffLatest returns (04 §4, options). A nil
// *RangeOptions is the zero RangeOptions.
type RangeOptions struct {
	// Edition is the one to read the selector in; "" for that of the context.
	Edition selector.Edition
	// MaxSnapshots keeps so many of the newest snapshots of the range, at least 1;
	// nil for all.
	MaxSnapshots *int
	// MaxChangesPerSnapshot keeps so many of the first entries of every block, at
	// least 0: of what was added, then removed, then changed. Its stats still count
	// all of them. Nil for all.
	MaxChangesPerSnapshot *int
	// Content shows how the content of a changed node differs; nil does not.
	Content *ContentOptions
	// Materialize names headers to show of both versions of every changed node: any
	// of content, mime, encoding and content_hash.
	Materialize []string
}

// archive returns how package archive is to read a history for an actor.
func (o HistoryOptions) archive(actor string) archive.Options {
	return archive.Options{Edition: o.Edition, Actor: actor, Strict: o.Strict, Renumber: o.Renumber}
}

// orZero returns what a pointer to options points to, the zero value for nil.
func orZero[T any](o *T) (zero T) {
	if o == nil {
		return zero
	}
	return *o
}
