package command

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/story"
	"github.com/spf13/cobra"
)

// ContentDiffFlags say how changes of contents are shown.
type ContentDiffFlags struct {
	Mode  string
	lines int
}

// AddTo adds the flags to a command. when is what the help says of both, such as "with --rich, ".
func (f *ContentDiffFlags) AddTo(cmd *cobra.Command, when string) {
	cmd.Flags().StringVar(&f.Mode, "content-mode", string(diff.Unified), when+"`HOW` contents are shown: unified, jsonpatch or tokens")
	cmd.Flags().IntVar(&f.lines, "context-lines", 3, when+"`N` lines of context in a unified diff")
	OneOf(cmd, "content-mode", []string{string(diff.Unified), string(diff.JSONPatch), string(diff.Tokens)})
}

// Lines returns the lines of context as the options of the library have them, where 0 is the default and -1 none.
func (f *ContentDiffFlags) Lines(cmd *cobra.Command) (int, error) {
	switch {
	case f.lines < 0:
		return 0, Usage(cmd, "--context-lines takes a number of 0 or more")
	case f.lines == 0:
		return -1, nil
	}
	return f.lines, nil
}

// DrawContentDiff prints the change of a content, indented, of a unified diff not more than some lines; 0 is all of them.
func (a *App) DrawContentDiff(d *diff.ContentDiff, most int) {
	if d == nil {
		return
	}
	switch {
	case d.Diff != nil:
		list := strings.SplitAfter(strings.TrimSuffix(*d.Diff, "\n"), "\n")
		if most == 0 {
			most = math.MaxInt
		} else {
			list = list[min(2, len(list)):] // the line above already says what the labels say
		}
		for _, line := range list[:min(most, len(list))] {
			line = a.Clip("    " + view.Visible(strings.TrimSuffix(line, "\n")))
			switch {
			case strings.HasPrefix(line, "    +"):
				line = a.Paint.Good(line)
			case strings.HasPrefix(line, "    -"):
				line = a.Paint.Bad(line)
			}
			a.Printf("%s\n", line)
		}
		if more := len(list) - most; more > 0 {
			a.Printf("    %s\n", a.Paint.Faint("… "+view.Plural(more, "more line")+"; --json has all of them"))
		}
	case d.Mode == diff.JSONPatch:
		a.Printf("    %s\n", view.Visible(string(d.Patch)))
	default:
		a.Printf("    ")
		for _, h := range d.Hunks {
			switch h.Op {
			case "ins":
				a.Printf("%s", a.Paint.Good("[+"+view.Visible(h.Text)+"+]"))
			case "del":
				a.Printf("%s", a.Paint.Bad("[-"+view.Visible(h.Text)+"-]"))
			default:
				a.Printf("%s", view.Visible(h.Text))
			}
		}
		a.Printf("\n")
	}
}

// LineOf describes a node of a snapshot by its id in one line, which is the id alone if there is no such node.
func (a *App) LineOf(ctx context.Context, id string, in *pact.Snapshot) (string, error) {
	n, err := tree.Of(in).Node(id)
	if err != nil || n == nil {
		return view.Visible(id), err
	}
	return a.NodeLine(ctx, n, in)
}

// NodeLine describes a node of a snapshot in one line: its id, its type unless
// the id shows it, unusual headers, its size, and the beginning of its content.
func (a *App) NodeLine(ctx context.Context, n *tree.Node, in *pact.Snapshot) (string, error) {
	facts := []string{a.Paint.Strong(view.Visible(n.ID))}
	if class, named := tree.ClassOfType(n.Type); !strings.HasPrefix(n.ID, n.Type) && (!named || !class.Region()) {
		facts = append(facts, a.Paint.Faint(view.Visible(n.Type)))
	}
	if n.Offset != 0 {
		facts = append(facts, fmt.Sprintf("offset %+d", n.Offset))
	}
	if n.Role != "" {
		facts = append(facts, a.Paint.Name(view.Visible(n.Role)))
	}
	if n.Kind != "" {
		facts = append(facts, view.Visible(n.Kind))
	}
	if n.Key != "" {
		facts = append(facts, "#"+view.Visible(n.Key))
	}
	for _, tag := range n.Tags {
		facts = append(facts, "+"+view.Visible(tag))
	}
	if ttl, finite := n.TTL(tree.Of(in).Base()); finite {
		facts = append(facts, a.Paint.Changed("ttl "+strconv.FormatInt(ttl, 10)))
	}
	if n.Priority != 0 {
		facts = append(facts, "priority "+strconv.FormatInt(n.Priority, 10))
	}
	if n.Pinned {
		facts = append(facts, "pinned")
	}
	if size := n.Content.Size(); size > 0 {
		content, err := n.Content.Value(ctx)
		if err != nil {
			return "", err
		}
		facts = append(facts, a.Paint.Faint(view.Size(int64(size))), view.FirstWords("", content, 60))
	}
	return strings.Join(facts, "  "), nil
}

// DrawLoss prints a line a turn, cut at the width of a terminal.
func (a *App) DrawLoss(l *story.Loss) {
	rows := make([][]string, len(l.ByTurn))
	for i, t := range l.ByTurn {
		what := view.Plural(t.Blocks, "block")
		switch {
		case t.Whole:
			what = "whole turn"
		case t.Results > 0:
			what = view.Plural(t.Results, "result")
			if len(t.Tools) > 0 {
				what += " of " + strings.Join(t.Tools, ", ")
			}
		}
		size := view.Size(t.Bytes)
		if l.Tokens > 0 {
			size = view.Plural(int(t.Tokens), "token")
		}
		begins := t.Begins
		if t.Role != "" {
			begins = t.Role + ": " + begins
		}
		rows[i] = screen.Cells("  @c"+strconv.FormatInt(t.Cycle, 10), what, size, begins)
	}
	c := screen.LayoutOf("llrl")
	for _, row := range rows {
		c.Fit(row)
	}
	for _, row := range rows {
		a.Printf("%s\n", a.Clip(c.Line(row)))
	}
}

// DrawImportLoss prints what the limits of an import took from its calls.
func (a *App) DrawImportLoss(l *story.Loss) {
	if l == nil {
		return
	}
	if text := l.Summary(); text != "" {
		a.Printf("  left out %s\n", text)
	} else {
		a.Printf("  the limits left nothing out\n")
	}
	a.DrawLoss(l)
	if l.Task != "" {
		a.Warnf("the first message of the user was left out: %s", view.Visible(l.Task))
	}
}

// Repeats returns cells of a table that lists calls: how many blocks and bytes a call repeats of the call before, their
// share, and what ended that or broke. They are empty for the first call.
func (a *App) Repeats(s *view.Step) []string {
	p := s.Shared
	if p == nil {
		return make([]string, 4)
	}
	blocks, of, bytes := p.Blocks, p.OfBlocks, p.Bytes
	if s.Call != nil && s.Call.Shared != nil {
		blocks, of, bytes = s.Call.Shared.Blocks, s.Call.Shared.OfBlocks, s.Call.Shared.Bytes
	}
	share, _, complete := view.Reused(&s.Prefix)
	where := a.Paint.Good("complete")
	switch b := s.Broke; {
	case b != nil:
		where = a.Paint.Bad(b.Why + " (" + string(b.Known) + ")")
	case !complete: // and the provider counted no break
		where = a.Paint.Changed(view.Why(&s.Prefix))
	}
	return screen.Row(strconv.Itoa(blocks)+"/"+strconv.Itoa(of), bytes, view.Percent(share), screen.Painted(where))
}

// OriginOf returns where a context in a list began, nil if it is not a fork.
func OriginOf(c history.Info, all []history.Info) *inspect.Origin {
	if c.Origin.Key == 0 {
		return nil
	}
	o := &inspect.Origin{Cycle: c.Origin.Cycle}
	for _, other := range all {
		if other.Key == c.Origin.Key {
			o.Name = other.Name
		}
	}
	return o
}

func OriginText(o inspect.Origin) string {
	if o.Name == "" {
		return "a deleted context, " + view.Cycle(o.Cycle)
	}
	return o.Name + " " + view.Cycle(o.Cycle)
}
