package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/wording"
	"github.com/spf13/cobra"
)

// richFlags are the flags of the rich report.
type richFlags struct {
	on           bool
	contentMode  string
	contextLines int
	structure    bool // turns, groups and regions are drawn too
}

func (a *app) richFlags(cmd *cobra.Command) *richFlags {
	r := &richFlags{}
	f := cmd.Flags()
	f.BoolVar(&r.on, "rich", false, "tell why, with all values, contents and the bytes of each node in the threads")
	f.StringVar(&r.contentMode, "content-mode", "unified",
		"with --rich, `HOW` contents are shown: unified, jsonpatch or tokens")
	f.IntVar(&r.contextLines, "context-lines", 3, "with --rich, `N` lines of context in a unified diff")
	forms := []string{string(diff.Unified), string(diff.JSONPatch), string(diff.Tokens)}
	_ = cmd.RegisterFlagCompletionFunc("content-mode", cobra.FixedCompletions(forms, cobra.ShellCompDirectiveNoFileComp))
	return r
}

func (r *richFlags) check(cmd *cobra.Command) error {
	for _, name := range []string{"content-mode", "context-lines"} {
		if cmd.Flags().Changed(name) && !r.on {
			return usage(cmd, "--%s is for --rich", name)
		}
	}
	return nil
}

// richDiff prints the rich report of two snapshots; the first two words are
// their addresses.
func (a *app) richDiff(ctx context.Context, s *source, flags *richFlags, words []string, from, to *pact.Snapshot,
	o pact.DiffOptions) error {
	c, err := s.history(ctx)
	if err != nil {
		return err
	}
	var ends [2]pact.Address
	for i := range ends {
		if ends[i], err = parseAddress(words[i]); err != nil {
			return err
		}
	}
	r, err := c.RichDiff(ctx, ends[0], ends[1], &pact.RichDiffOptions{DiffOptions: o,
		ContentOptions: pact.ContentOptions{Mode: diff.Mode(flags.contentMode), Lines: &flags.contextLines}})
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(r)
	}
	d := richDrawing{app: a, ctx: ctx, from: from, to: to, structure: flags.structure}
	return d.draw(r)
}

// richDrawing draws one report.
type richDrawing struct {
	*app
	ctx       context.Context
	from, to  *pact.Snapshot
	structure bool // it draws turns, groups and regions too
	hidden    int  // how many nodes it left out because they are none of the blocks
}

// leavesOut reports whether a node is not drawn, and counts it.
func (d *richDrawing) leavesOut(id string, in *pact.Snapshot) bool {
	if d.structure || isBlock(in.Tree(), id) {
		return false
	}
	d.hidden++
	return true
}

func (d *richDrawing) draw(r *diff.Report) error {
	d.sentence(d.paint.strong("older "+r.From.Label+" → newer "+r.To.Label) + " " +
		d.paint.faint(fmt.Sprintf("thread of %s, %d bytes → %s, %d bytes",
			plural(r.From.Blocks, "block"), r.From.Bytes, plural(r.To.Blocks, "block"), r.To.Bytes)))
	d.printf("\n")
	for _, c := range r.Removed {
		if err := d.component(d.paint.bad("-"), "removed", c, d.from, c.Previous); err != nil {
			return err
		}
	}
	for _, c := range r.Added {
		if err := d.component(d.paint.good("+"), "added", c, d.to, c.New); err != nil {
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
		d.printf("%s %s: only the ttl ran down\n", d.paint.changed("~"), plural(older, "node"))
	}
	for _, m := range r.Moves {
		d.printf("%s %s is probably %s, moved from %s to %s\n", d.paint.changed("→"), visible(m.NewID), visible(m.PreviousID),
			visible(m.PreviousParent), visible(m.NewParent))
	}
	for _, p := range r.Replacements {
		d.printf("%s %s replaces %s  %s\n", d.paint.changed("⇄"), visible(p.NewID), visible(p.PreviousID),
			d.paint.faint("#"+visible(p.Key)))
		d.content(p.ContentDiff)
	}
	if len(r.Removed)+len(r.Added)+len(r.Modified) == 0 {
		d.printf("nothing differs\n")
		return nil
	}
	line := plural(len(r.Added), "node") + " added, " + plural(len(r.Removed), "node") + " removed, " +
		plural(len(r.Modified), "node") + " changed"
	if d.hidden > 0 {
		line += "; " + strconv.Itoa(d.hidden) + " of them only with --structure"
	}
	d.sentence(d.paint.faint(line))
	return nil
}

func (d *richDrawing) component(sign, edited string, c diff.Component, in *pact.Snapshot, at *diff.Range) error {
	if d.leavesOut(c.ID, in) {
		return nil
	}
	line := visible(c.ID)
	if n := in.Tree().Node(c.ID); n != nil {
		var err error
		if line, err = d.nodeLine(d.ctx, n, in); err != nil {
			return err
		}
	}
	d.printf("%s\n", d.clip(sign+" "+line))
	d.why("in " + visible(c.Parent) + "; " + causeText(c.Cause, edited) + "; " + rangeText(at))
	return nil
}

// why prints what is known of a change below its line.
func (d *richDrawing) why(text string) {
	for _, line := range wrapLine(text, d.lineWidth()-contentSpace) {
		d.printf("%s%s\n", strings.Repeat(" ", contentSpace), d.paint.faint(line))
	}
}

func (d *richDrawing) modification(m diff.Modification) error {
	if d.leavesOut(m.ID, d.to) {
		return nil
	}
	line, err := d.nodeLine(d.ctx, d.to.Tree().Node(m.ID), d.to)
	if err != nil {
		return err
	}
	d.printf("%s\n", d.clip(d.paint.changed("~")+" "+line))
	places := rangeText(m.Previous)
	if m.Previous == nil || m.New == nil || *m.Previous != *m.New {
		places += " → " + strings.TrimPrefix(rangeText(m.New), "bytes ")
	}
	d.why(causeText(m.Cause, "edited") + "; " + places)
	for _, f := range m.Fields {
		if f.Name == "content_hash" && m.ContentDiff != nil {
			continue // the content is drawn below
		}
		d.printf("    %s: %s → %s\n", visible(f.Name), d.paint.bad(valueText(f.Previous)), d.paint.good(valueText(f.New)))
	}
	d.content(m.ContentDiff)
	return nil
}

// valueText prints a header for a person: a text without quotes, clipped.
func valueText(raw json.RawMessage) string {
	const most = 60
	text := string(raw)
	var plain string
	if json.Unmarshal(raw, &plain) == nil && plain != "" {
		text = plain
	}
	if list := []rune(text); len(list) > most {
		text = string(list[:most]) + "…"
	}
	return visible(text)
}

func rangeText(r *diff.Range) string {
	switch {
	case r == nil:
		return "not in the thread"
	case r.Start == r.End:
		return "nothing at byte " + strconv.FormatInt(r.Start, 10)
	}
	return fmt.Sprintf("bytes %d to %d", r.Start, r.End)
}

// causeText puts a cause into words. edited is the word for what the edit did.
func causeText(c diff.Cause, edited string) string {
	text := wording.Deed(c, edited)
	if c.Kind != diff.BySelection && c.Kind != diff.ByTTL {
		text += " in @c" + strconv.FormatInt(c.Cycle, 10)
	}
	return text + wording.By(c.Author)
}

// The sizes of drawn contents.
const (
	wideEnough   = 120 // columns from which two contents fit side by side
	drawnLines   = 40  // lines of a content diff
	contentSpace = 4   // columns in front of it
)

// content draws the change of a content, side by side if there is room.
func (d *richDrawing) content(c *diff.ContentDiff) {
	if c == nil {
		return
	}
	if c.Diff == nil {
		d.drawContentDiff(c)
		return
	}
	lines := slices.Collect(strings.Lines(*c.Diff))
	lines = lines[min(2, len(lines)):] // the line above already says what the labels say
	more := 0
	if d.width >= wideEnough {
		list := sidePairs(lines)
		more = len(list) - drawnLines
		d.sideBySide(list[:min(drawnLines, len(list))])
	} else {
		more = len(lines) - drawnLines
		d.unified(lines[:min(drawnLines, len(lines))])
	}
	if more > 0 {
		d.printf("%s%s\n", strings.Repeat(" ", contentSpace), d.paint.faint("… "+plural(more, "more line")+
			"; --json has all of them"))
	}
}

func (d *richDrawing) unified(lines []string) {
	for _, line := range lines {
		line = visible(strings.TrimSuffix(line, "\n"))
		line = d.clip(strings.Repeat(" ", contentSpace) + line)
		switch line[contentSpace] {
		case '+':
			line = d.paint.good(line)
		case '-':
			line = d.paint.bad(line)
		default:
			line = d.paint.faint(line)
		}
		d.printf("%s\n", line)
	}
}
