package follow

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/spf13/cobra"
)

// richFlags are the flags of the rich report.
type richFlags struct {
	on        bool
	structure bool // turns, groups and regions are drawn too
	contents  command.ContentDiffFlags
}

func newRichFlags(cmd *cobra.Command) *richFlags {
	r := &richFlags{}
	cmd.Flags().BoolVar(&r.on, "rich", false, "tell why, with all values, contents and the bytes of each node in the threads")
	r.contents.AddTo(cmd, "with --rich, ")
	return r
}

// richDiff prints the rich report of two snapshots; the first two words are
// their addresses.
func richDiff(ctx context.Context, a *command.App, s *command.Source, flags *richFlags, lines int, words []string,
	from, to *pact.Snapshot, o pact.DiffOptions) error {
	c, err := s.History(ctx)
	if err != nil {
		return err
	}
	var ends [2]pact.Address
	for i := range ends {
		if ends[i], err = command.ParseAddress(words[i], s.Edition()); err != nil {
			return err
		}
	}
	o.ContentMode, o.ContextLines = diff.Mode(flags.contents.Mode), lines
	r, err := c.RichDiff(ctx, ends[0], ends[1], &o)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(r)
	}
	d := richDrawing{App: a, drawnNodes: drawnNodes{structure: flags.structure}, ctx: ctx, from: from, to: to}
	return d.draw(r)
}

// richDrawing draws one report.
type richDrawing struct {
	*command.App
	drawnNodes
	ctx      context.Context
	from, to *pact.Snapshot
}

func (d *richDrawing) draw(r *diff.Report) error {
	from, to, gone, came, lacks, has := "older ", "newer ", "removed", "added", "", ""
	if d.from.Cycle() > d.to.Cycle() { // causes follow the order of time: what the earlier one lacks came later
		from, to, gone, came, lacks, has = to, from, came, gone, "not there yet, ", "still there, "
	}
	d.Sentence(d.Paint.Strong(from+r.From.Label+" → "+to+r.To.Label) + " " +
		d.Paint.Faint(fmt.Sprintf("thread of %s, %d bytes → %s, %d bytes",
			view.Plural(r.From.Blocks, "block"), r.From.Bytes, view.Plural(r.To.Blocks, "block"), r.To.Bytes)))
	d.Printf("\n")
	for _, c := range r.Removed {
		if err := d.component(d.Paint.Bad("-"), lacks+view.CauseInWords(c.Cause, gone), c, d.from, c.Previous); err != nil {
			return err
		}
	}
	for _, c := range r.Added {
		if err := d.component(d.Paint.Good("+"), has+view.CauseInWords(c.Cause, came), c, d.to, c.New); err != nil {
			return err
		}
	}
	older := 0
	for _, m := range r.Modified {
		if m.Cause.Kind == diff.ByTTL {
			older++
			continue
		}
		if err := d.modification(m); err != nil {
			return err
		}
	}
	if older > 0 {
		d.Printf("%s %s: only the ttl ran down\n", d.Paint.Changed("~"), view.Plural(older, "node"))
	}
	for _, m := range r.Moves {
		d.Printf("%s %s is probably %s, moved from %s to %s\n", d.Paint.Changed("→"), view.Visible(m.NewID), view.Visible(m.PreviousID),
			view.Visible(m.PreviousParent), view.Visible(m.NewParent))
	}
	for _, p := range r.Replacements {
		d.Printf("%s %s replaces %s  %s\n", d.Paint.Changed("⇄"), view.Visible(p.NewID), view.Visible(p.PreviousID),
			d.Paint.Faint("#"+view.Visible(p.Key)))
		d.DrawContentDiff(p.ContentDiff, drawnLines)
	}
	if len(r.Removed)+len(r.Added)+len(r.Modified) == 0 {
		d.Printf("nothing differs\n")
		return nil
	}
	line := view.Plural(len(r.Added), "node") + " added, " + view.Plural(len(r.Removed), "node") + " removed, " +
		view.Plural(len(r.Modified), "node") + " changed"
	if d.hidden > 0 {
		line += "; " + strconv.Itoa(d.hidden) + " of them only with --structure"
	}
	d.Sentence(d.Paint.Faint(line))
	return nil
}

func (d *richDrawing) component(sign, why string, c diff.Component, in *pact.Snapshot, at *diff.Range) error {
	if left, err := d.leavesOut(c.ID, in); left || err != nil {
		return err
	}
	line, err := d.LineOf(d.ctx, c.ID, in)
	if err != nil {
		return err
	}
	d.Printf("%s\n", d.Clip(sign+" "+line))
	d.why("in " + view.Visible(c.Parent) + "; " + why + "; " + view.RangeInWords(at))
	return nil
}

// why prints what is known of a change below its line.
func (d *richDrawing) why(text string) {
	for _, line := range screen.WrapLine(text, d.LineWidth()-contentSpace) {
		d.Printf("%s%s\n", strings.Repeat(" ", contentSpace), d.Paint.Faint(line))
	}
}

func (d *richDrawing) modification(m diff.Modification) error {
	if left, err := d.leavesOut(m.ID, d.to); left || err != nil {
		return err
	}
	line, err := d.LineOf(d.ctx, m.ID, d.to)
	if err != nil {
		return err
	}
	d.Printf("%s\n", d.Clip(d.Paint.Changed("~")+" "+line))
	places := view.RangeInWords(m.Previous)
	if m.Previous == nil || m.New == nil || *m.Previous != *m.New {
		places += " → " + strings.TrimPrefix(view.RangeInWords(m.New), "bytes ")
	}
	d.why(view.CauseInWords(m.Cause, "edited") + "; " + places)
	for _, f := range m.Fields {
		if f.Name == "content_hash" && m.ContentDiff != nil {
			continue // the content is drawn below
		}
		d.Printf("    %s: %s → %s\n", view.Visible(f.Name), d.Paint.Bad(view.HeaderInWords(f.Previous)), d.Paint.Good(view.HeaderInWords(f.New)))
	}
	d.DrawContentDiff(m.ContentDiff, drawnLines)
	return nil
}

// The sizes of drawn contents.
const (
	drawnLines   = 40 // lines of a content diff
	contentSpace = 4  // columns in front of it
)
