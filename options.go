package pact

import (
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/archive"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
)

// Counter counts the tokens of a text as some tokenizer does. Package tokens has several. It must always
// give the same number for the same text, and be safe for concurrent use.
type Counter interface {
	Name() string // identifies the tokenizer: Counters with equal names count alike
	Count(text string) int
}

// OpenOptions says who works with a context, and with which clock and counter.
type OpenOptions struct {
	// Actor names who edits, for the log; the Note of a call can name another person.
	Actor string
	// Clock returns the time for stamps, in nanoseconds since the epoch; nil means the clock
	// of the system. It is read once for every stamp. A reading that is not later than the
	// last stamp is replaced by that stamp plus 1 (02 §4.4).
	Clock func() int64
	// Counter counts the tokens of contents, for policies that limit them and for reports. With nil no tokens are
	// counted. A commit counts only if its policy limits tokens.
	Counter Counter
}

// CreateOptions says how a new context begins.
type CreateOptions struct {
	OpenOptions
	// Edition is the edition of the selectors of the context and of the types of new nodes; ""
	// means that of the [DB], canonical unless it says another. It cannot be changed later.
	Edition selector.Edition
	// Attrs are custom attributes of the root (02 §3.5).
	Attrs map[string]any
}

// ImportOptions says how to read a snapshot document or a history, and who works with the context that it becomes.
// Strict and Renumber are about a history alone.
type ImportOptions struct {
	OpenOptions
	// Edition is the edition of the input; "" means the one that it names.
	Edition selector.Edition
	// Strict refuses a history with faults. Without it, snapshots that stand newest first and
	// other ids of the root or a region are mended; sealed turns that change, ids that come
	// back and more than one edition are taken as they are. The findings say so in both cases.
	Strict bool
	// Renumber gives the snapshots of a history new cycles, counted from the first, and the
	// findings say which. Without it, a history with a gap between its cycles is refused,
	// because every cycle has exactly one snapshot (05 §3.2, §6.6).
	Renumber bool
}

// Note tells the log who made a call, and why.
type Note struct {
	Actor   string // who makes the call; "" means the actor of the Context
	Message string // why, for readers of the log
	// Request is a token that identifies the call, "" for none. A call whose token is in the
	// log already does nothing, so that it can be repeated when its answer was lost. It is
	// E_CONFLICT to use the token of another kind of call.
	Request string
}

// Pruning says what a commit removes besides expired nodes (02 §7). The zero Pruning removes what the policy of the
// context asks for, nothing if it keeps none.
type Pruning struct {
	// Policy gives the limits. A policy that limits tokens needs a Context with a Counter,
	// otherwise it is E_DOCUMENT_INVALID. With the zero Policy, the one that the context keeps
	// applies, if it keeps one ([Batch.KeepPolicy]).
	Policy lifecycle.Policy
	// WithoutKept has Policy alone decide, also the zero Policy.
	WithoutKept bool
	// IDs names blocks outside cores and whole turns to remove. A node that the rules protect
	// stays, and the report says why.
	IDs []string
	// Select holds selectors without an address. The nodes that they find in the working state
	// are removed as if IDs named them.
	Select []string
	// Edition is that of Select; "" means that of the context.
	Edition selector.Edition
	// Rewrite names sealed turns, and blocks outside cores, that the conversation replaces:
	// earlier messages were rewritten, and what is still sent of them was added again. They go
	// before Policy is looked at, whatever their age, and leave no stub; of a call and its result
	// only the one that is named. What is pinned, retained or referred to from elsewhere stays.
	Rewrite []string
}

// empty reports whether it asks for nothing.
func (p *Pruning) empty() bool {
	return p == nil || p.Policy.Empty() && len(p.IDs)+len(p.Select)+len(p.Rewrite) == 0
}

// SelectOptions says which of the nodes that a selector finds are returned, and for a range of snapshots which
// changes (04 §4, options). Where, Skip and Limit apply in this order, after all controls of the selector (003, 001
// §3.5.2).
type SelectOptions struct {
	// Edition is the edition of the selector and of Where; "" means that of the context.
	Edition selector.Edition
	// Where is a second selector: only nodes that it finds in the same snapshot, and nodes below these, are returned;
	// "" returns all. It has no address, or the address of the first selector, which lets it use derived facets.
	Where string
	Skip  int // leaves out this many nodes at the beginning
	Limit int // returns at most this many nodes; 0 for no limit
	// RangeAsIDs makes a range of snapshots give ids, as @mode=union does. It stands for
	// select_range_returns_diff=false of edition v0.1 (annex 10); in the other editions, and
	// without a range, it is E_SELECTOR_INVALID.
	RangeAsIDs bool
	// Counter counts for the facet tokens; nil means the Counter of the context. A selector
	// that has the facet and no Counter is E_SELECTOR_INVALID.
	Counter Counter
	// Working makes @* ask the working state too, before the snapshots. Of a recorded run it holds the last answer.
	Working bool
}

// DiffOptions says what of two snapshots to compare, and how [RichDiff] shows changes of contents.
type DiffOptions struct {
	// Select is a selector without an address; only the nodes that it finds on each side are
	// compared. "" compares all nodes.
	Select string
	// Edition is that of Select; "" means that of each snapshot.
	Edition selector.Edition
	// ContentMode is the form in which to show the change of a content; "" means unified. A JSON
	// Patch needs two contents in JSON; otherwise the form is unified, and a warning says so.
	ContentMode diff.Mode
	// ContextLines is the number of lines of context of a unified diff; 0 means 3, and a negative number none.
	ContextLines int
}

// archive returns these options in the form that package archive takes.
func (o ImportOptions) archive() archive.Options {
	return archive.Options{Edition: o.Edition, Actor: o.Actor, Strict: o.Strict, Renumber: o.Renumber}
}

// optionsOf returns the options that a caller gave, the zero value for nil.
func optionsOf[T any](o *T) (zero T) {
	if o == nil {
		return zero
	}
	return *o
}
