package cli

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
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
	contentMode    string
	contextLines   int
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
	f.StringVar(&w.contentMode, "content-mode", "unified", "`HOW` contents are shown: unified, jsonpatch or tokens")
	f.IntVar(&w.contextLines, "context-lines", 3, "`N` lines of context in a unified diff")
	f.StringSliceVar(&w.materialize, "materialize", nil,
		"for a range, show these `HEADERS` of changed nodes: content, mime, encoding, content_hash")
	forms := []string{string(diff.Unified), string(diff.JSONPatch), string(diff.Tokens)}
	_ = cmd.RegisterFlagCompletionFunc("content-mode", cobra.FixedCompletions(forms, cobra.ShellCompDirectiveNoFileComp))
}

// options translates the flags for the library, and reports whether the
// selector asks for a range. Outside ranges it ignores the flags for ranges (04
// §4).
func (w *windowFlags) options(cmd *cobra.Command, s *source, edition string,
	q *selector.Selector) (o pact.SelectOptions, ranged bool, err error) {
	set := cmd.Flags().Changed
	ranged = q.Time != nil && q.Time.Kind == selector.Range && !w.ids
	if c, ok := q.Control(selector.ControlMode); ok && c.Word != "reduce" {
		ranged = false
	}
	for _, name := range []string{"where", "skip", "limit", "ids"} {
		if set(name) && ranged {
			return o, false, usage(cmd, "--%s applies to ids, and a range of snapshots gives changes", name)
		}
	}
	if w.skip < 0 || w.limit < 0 {
		return o, false, usage(cmd, "--skip and --limit take a number of 0 or more")
	}
	o = pact.SelectOptions{Skip: w.skip, Limit: w.limit, RangeAsIDs: w.ids && q.Time != nil &&
		q.Time.Kind == selector.Range}
	if set("where") {
		if _, err := s.parse(w.where, edition); err != nil {
			return o, false, err
		}
		o.Where = w.where
	}
	return o, ranged, nil
}

// selectRange answers a selector over a range of snapshots.
func (a *app) selectRange(ctx context.Context, cmd *cobra.Command, s *source, q *selector.Selector, text string,
	w *windowFlags) error {
	o := pact.RangeOptions{Edition: q.Edition, Materialize: w.materialize}
	if w.includeContent {
		o.Content = &pact.ContentOptions{Mode: diff.Mode(w.contentMode), Lines: &w.contextLines}
	}
	if cmd.Flags().Changed("max-snapshots") {
		o.MaxSnapshots = &w.maxSnapshots
	}
	if cmd.Flags().Changed("max-changes") {
		o.MaxChangesPerSnapshot = &w.maxChanges
	}
	c, err := s.history(ctx)
	if err != nil {
		return err
	}
	r, err := c.RangeDiffLatest(ctx, text, &o)
	if err != nil {
		return inArgument(err, text)
	}
	if !a.outTerminal || a.json || s.file != nil {
		return a.printJSON(r)
	}
	a.drawRange(r)
	return nil
}

// drawRange prints a line for each step of a range and for each change.
func (a *app) drawRange(r *diff.RangeDiffLatestResult) {
	for _, b := range r.Diffs {
		a.printf("%s %s, %s %s\n", a.paint.faint("newer"), a.paint.strong(b.From.Label), a.paint.faint("older"),
			a.paint.strong(b.To.Label))
		for _, id := range b.AddedIDs {
			a.printf("  %s %s\n", a.paint.good("+"), visible(id))
		}
		for _, id := range b.RemovedIDs {
			a.printf("  %s %s\n", a.paint.bad("-"), visible(id))
		}
		for _, c := range b.Changed {
			a.printf("  %s %s  %s\n", a.paint.changed("~"), visible(c.ID), a.paint.changed(strings.Join(c.Fields, ", ")))
			a.drawContentDiff(c.ContentDiff)
			a.drawMaterialized(c.Materialized)
		}
		if b.Stats == (diff.RangeStats{}) {
			a.printf("  %s\n", a.paint.faint("nothing differs"))
		}
	}
	a.printf("%s\n", a.paint.faint(plural(len(r.Snapshots), "snapshot")))
	for _, w := range r.Warnings {
		a.printf("%s %s\n", a.paint.changed("!"), w)
	}
	for _, e := range r.Errors {
		a.printf("%s %s\n", a.paint.changed("!"), e.Message)
	}
}

// drawContentDiff prints the change of a content, indented.
func (a *app) drawContentDiff(d *diff.ContentDiff) {
	if d == nil {
		return
	}
	switch {
	case d.Diff != nil:
		for line := range strings.Lines(*d.Diff) {
			line = visible(strings.TrimSuffix(line, "\n"))
			switch {
			case strings.HasPrefix(line, "+"):
				line = a.paint.good(line)
			case strings.HasPrefix(line, "-"):
				line = a.paint.bad(line)
			}
			a.printf("    %s\n", line)
		}
	case d.Mode == diff.JSONPatch:
		a.printf("    %s\n", visible(string(d.Patch)))
	default:
		a.printf("    ")
		for _, h := range d.Hunks {
			switch h.Op {
			case "ins":
				a.printf("%s", a.paint.good("[+"+visible(h.Text)+"+]"))
			case "del":
				a.printf("%s", a.paint.bad("[-"+visible(h.Text)+"-]"))
			default:
				a.printf("%s", visible(h.Text))
			}
		}
		a.printf("\n")
	}
}

// drawMaterialized prints the requested headers of both versions.
func (a *app) drawMaterialized(m *diff.HeaderValues) {
	if m == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(m.From)) {
		a.printf("    %s: %s %s %s\n", name, visible(string(m.To[name])), a.paint.faint("became"),
			visible(string(m.From[name])))
	}
}
