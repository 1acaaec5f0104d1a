package pact

import (
	"slices"
	"strconv"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/fault"
)

// RangeOption changes what RangeDiffLatest returns (04 §4, options).
type RangeOption func(*rangeOptions)

type rangeOptions struct {
	limits         diff.RangeLimits
	includeContent bool
	mode           diff.Mode
	contextLines   int
	materialize    []string
}

func collectRange(opts []RangeOption) rangeOptions {
	o := rangeOptions{mode: diff.Unified, contextLines: 3}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// IncludeContent shows how the content of a changed node differs: as a unified
// diff with 3 lines of context, unless ContentMode and ContextLines say
// otherwise.
func IncludeContent() RangeOption { return func(o *rangeOptions) { o.includeContent = true } }

// ContentMode sets the form in which IncludeContent shows a difference. A JSON
// Patch of contents that are not both JSON becomes unified, with a warning.
func ContentMode(m diff.Mode) RangeOption { return func(o *rangeOptions) { o.mode = m } }

// ContextLines sets the lines of context of a unified diff, n at least 0.
func ContextLines(n int) RangeOption { return func(o *rangeOptions) { o.contextLines = n } }

// Materialize inlines headers of both versions of every changed node: any of
// content, mime, encoding and content_hash.
func Materialize(headers ...string) RangeOption {
	return func(o *rangeOptions) { o.materialize = headers }
}

// MaxSnapshots keeps the n newest snapshots of the range, n at least 1.
func MaxSnapshots(n int) RangeOption {
	return func(o *rangeOptions) { o.limits.MaxSnapshots = &n }
}

// MaxChangesPerSnapshot keeps the first n entries of every block: of what was
// added, then removed, then changed. Its stats still count all of them.
func MaxChangesPerSnapshot(n int) RangeOption {
	return func(o *rangeOptions) { o.limits.MaxChangesPerSnapshot = &n }
}

// check refuses values that no option can have.
func (o *rangeOptions) check() error {
	if err := o.checkMode(); err != nil {
		return err
	}
	for _, h := range o.materialize {
		if !slices.Contains([]string{"content", "mime", "encoding", "content_hash"}, h) {
			return fault.At(fault.SelectorInvalid, fault.NoOffset, h, "this header cannot be materialized", "there are content, mime, encoding and content_hash")
		}
	}
	l := &o.limits
	if l.MaxSnapshots != nil && *l.MaxSnapshots < 1 {
		return fault.New(fault.RangeLimit, "at most "+strconv.Itoa(*l.MaxSnapshots)+" snapshots leave nothing to compare", "allow at least 1")
	}
	if l.MaxChangesPerSnapshot != nil && *l.MaxChangesPerSnapshot < 0 {
		return fault.New(fault.RangeLimit, "a block cannot have "+strconv.Itoa(*l.MaxChangesPerSnapshot)+" changes", "allow 0 or more")
	}
	return nil
}

// checkMode refuses a form or a number of lines that no content diff has.
func (o *rangeOptions) checkMode() error {
	if o.contextLines < 0 {
		return fault.New(fault.SelectorInvalid, "a unified diff cannot have "+strconv.Itoa(o.contextLines)+" lines of context", "allow 0 or more")
	}
	if slices.Contains([]diff.Mode{diff.Unified, diff.JSONPatch, diff.Tokens}, o.mode) {
		return nil
	}
	return fault.At(fault.SelectorInvalid, fault.NoOffset, string(o.mode), "there is no such form of a content diff", "the forms are unified, jsonpatch and tokens")
}
