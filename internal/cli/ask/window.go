package ask

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/selector"
	"github.com/spf13/cobra"
)

// windowFlags are the flags that limit how much of a selector's result is
// printed.
type windowFlags struct {
	where                    string
	skip, limit              int
	ids                      bool
	maxSnapshots, maxChanges int

	includeContent bool
	contents       command.ContentDiffFlags
	materialize    []string
}

// registerWindows adds the flags for ids.
func (w *windowFlags) registerWindows(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&w.where, "where", "", "return only nodes that this `SELECTOR` finds too, and the nodes below them")
	f.IntVar(&w.skip, "skip", 0, "leave out the first `N` nodes")
	f.IntVar(&w.limit, "limit", 0, "return at most `N` nodes")
}

// registerRange adds the flags for ranges of snapshots.
func (w *windowFlags) registerRange(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&w.ids, "ids", false, "print ids for a range of snapshots, in edition v0.1")
	f.IntVar(&w.maxSnapshots, "max-snapshots", 0, "take only the `N` newest snapshots of a range")
	f.IntVar(&w.maxChanges, "max-changes", 0, "print at most `N` changes for each step of a range")
	f.BoolVar(&w.includeContent, "include-content", false, "for a range, show how contents changed")
	w.contents.AddTo(cmd, "")
	f.StringSliceVar(&w.materialize, "materialize", nil,
		"for a range, show these `HEADERS` of changed nodes: content, mime, encoding, content_hash")
}

// options translates the flags for the library, and reports whether the
// selector asks for a range. Outside ranges it ignores the flags for ranges (04
// §4).
func (w *windowFlags) options(cmd *cobra.Command, s *command.Source,
	q *selector.Selector) (o pact.SelectOptions, ranged bool, err error) {
	set := cmd.Flags().Changed
	ranged = q.Time != nil && q.Time.Kind == selector.Range && !w.ids
	if c, ok := q.Control(selector.ControlMode); ok && c.Word != "reduce" {
		ranged = false
	}
	for _, name := range []string{"where", "skip", "limit", "ids"} {
		if set(name) && ranged {
			return o, false, command.Usage(cmd, "--%s applies to ids, and a range of snapshots gives changes", name)
		}
	}
	if w.skip < 0 || w.limit < 0 {
		return o, false, command.Usage(cmd, "--skip and --limit take a number of 0 or more")
	}
	o = pact.SelectOptions{Skip: w.skip, Limit: w.limit, RangeAsIDs: w.ids && q.Time != nil &&
		q.Time.Kind == selector.Range}
	if set("where") {
		if _, err = selector.Parse(w.where, q.Edition); err != nil {
			return o, false, command.InArgument(err, w.where) // which says where in the argument the fault is
		}
		o.Where = w.where
	}
	return o, ranged, nil
}

// selectRange answers a selector over a range of snapshots.
func selectRange(ctx context.Context, a *command.App, cmd *cobra.Command, s *command.Source, q *selector.Selector,
	w *windowFlags) error {
	lines, err := w.contents.Lines(cmd)
	if err != nil {
		return err
	}
	if w.maxChanges < 0 {
		return command.Usage(cmd, "--max-changes takes a number of 0 or more")
	}
	o := diff.RangeOptions{Edition: q.Edition, Materialize: w.materialize, IncludeContent: w.includeContent,
		ContentMode: diff.Mode(w.contents.Mode), ContextLines: lines}
	if cmd.Flags().Changed("max-snapshots") {
		o.MaxSnapshots = &w.maxSnapshots
	}
	if cmd.Flags().Changed("max-changes") {
		o.MaxChangesPerSnapshot = &w.maxChanges
	}
	c, err := s.History(ctx)
	if err != nil {
		return err
	}
	r, err := c.RangeDiffLatest(ctx, q.Source, &o)
	if err != nil {
		return command.InArgument(err, q.Source)
	}
	if !a.OutTerminal || a.JSON || s.File != nil {
		return a.PrintJSON(r)
	}
	drawRange(a, r)
	return nil
}

// drawRange prints a line for each step of a range and for each change.
func drawRange(a *command.App, r *diff.RangeDiffLatestResult) {
	for _, b := range r.Diffs {
		a.Printf("%s %s, %s %s\n", a.Paint.Faint("newer"), a.Paint.Strong(b.From.Label), a.Paint.Faint("older"),
			a.Paint.Strong(b.To.Label))
		for _, id := range b.AddedIDs {
			a.Printf("  %s %s\n", a.Paint.Good("+"), view.Visible(id))
		}
		for _, id := range b.RemovedIDs {
			a.Printf("  %s %s\n", a.Paint.Bad("-"), view.Visible(id))
		}
		for _, c := range b.Changed {
			a.Printf("  %s %s  %s\n", a.Paint.Changed("~"), view.Visible(c.ID), a.Paint.Changed(strings.Join(c.Fields, ", ")))
			a.DrawContentDiff(c.ContentDiff, 0)
			drawMaterialized(a, c.Materialized)
		}
		if b.Stats == (diff.RangeStats{}) {
			a.Printf("  %s\n", a.Paint.Faint("nothing differs"))
		}
	}
	a.Printf("%s\n", a.Paint.Faint(view.Plural(len(r.Snapshots), "snapshot")))
	for _, w := range r.Warnings {
		a.Printf("%s %s\n", a.Paint.Changed("!"), w)
	}
	for _, e := range r.Errors {
		a.Printf("%s %s\n", a.Paint.Changed("!"), e.Message)
	}
}

// drawMaterialized prints the requested headers of both versions.
func drawMaterialized(a *command.App, m *diff.HeaderValues) {
	if m == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(m.From)) {
		a.Printf("    %s: %s %s %s\n", name, view.Visible(string(m.To[name])), a.Paint.Faint("became"),
			view.Visible(string(m.From[name])))
	}
}
