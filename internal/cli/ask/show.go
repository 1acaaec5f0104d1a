package ask

import (
	"context"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/spf13/cobra"
)

// newestTurns is how many turns show draws in full by default.
const newestTurns = 5

func showCommand(a *command.App) *cobra.Command {
	cmd := a.Command("show")
	flags := a.SourceFlags(cmd)
	all := cmd.Flags().Bool("all", false, "draw all turns")
	cmd.RunE = a.Asks(flags, func(ctx context.Context, s *command.Source, rest []string) error {
		var snapshot *pact.Snapshot
		var err error
		if len(rest) == 0 && drafting(ctx, s) {
			snapshot = s.Context.Working()
		} else if snapshot, err = s.Argument(ctx, rest); err != nil {
			return err
		}
		if a.JSON {
			if err := snapshot.Export(ctx, a.Out); err != nil {
				return err
			}
			a.Printf("\n")
			return nil
		}
		title(a, s, snapshot)
		p := painter{app: a, ctx: ctx, snapshot: snapshot, all: *all}
		return p.region(tree.Of(snapshot).Root())
	})
	return cmd
}

// drafting reports whether a context has uncommitted edits, or no snapshot yet.
func drafting(ctx context.Context, s *command.Source) bool {
	if s.Alone != nil {
		return false
	}
	working := s.Context.Working()
	latest, err := s.Context.At(ctx, pact.Latest())
	return err != nil || tree.Of(latest).WithCycle(working.Cycle()).Digest() != tree.Of(working).Digest()
}

func title(a *command.App, s *command.Source, snapshot *pact.Snapshot) {
	what, cycle := "snapshot of cycle ", strconv.FormatInt(snapshot.Cycle(), 10)
	name := ""
	if s.Context != nil {
		name = view.Visible(s.Context.Name()) + ": "
		if _, last := s.Context.Cycles(); snapshot.Cycle() > last {
			what = "working state of cycle "
		}
	}
	begun := ""
	if by := begunByOf(record.BegunBy(snapshot)); by != nil {
		begun = ", begun by " + view.Visible(by.words())
	}
	blocks, bytes := snapshot.ThreadSize()
	a.Sentence(a.Paint.Strong(name) + what + cycle + a.Paint.Faint(
		", edition "+string(snapshot.Edition())+", "+view.Plural(snapshot.Len(), "node")+", thread of "+
			view.Plural(blocks, "block")+", "+view.Size(bytes)+begun))
}

// painter draws one tree.
type painter struct {
	app      *command.App
	ctx      context.Context
	snapshot *pact.Snapshot
	all      bool
}

// region draws the root and everything below it.
func (p *painter) region(root *tree.Entry) error {
	line := p.label(root)
	kept, err := p.snapshot.Policy()
	switch {
	case err != nil:
		p.app.Warnf("%s", err)
	case kept != nil:
		line += p.app.Paint.Faint(", keeps a policy: " + command.LimitsText(kept))
	}
	p.app.Printf("%s\n", line)
	return p.children(root, "")
}

func (p *painter) children(e *tree.Entry, indent string) error {
	kids := e.Children()
	first := 0
	if e.Class() == tree.Seq && !p.all {
		first = max(0, kids.Len()-newestTurns)
	}
	if first > 0 {
		p.app.Printf("%s\n", p.app.Paint.Faint(indent+"┊  "+view.Plural(first, "older turn")+", drawn with --all"))
	}
	for i := first; i < kids.Len(); i++ {
		k, err := kids.At(i)
		if err != nil {
			return err
		}
		branch, below := "├─ ", "│  "
		if i == kids.Len()-1 {
			branch, below = "└─ ", "   "
		}
		line := p.label(k)
		if !k.Class().Region() && k.Class() != tree.Turn {
			node, err := p.app.NodeLine(p.ctx, k.Node(), p.snapshot)
			if err != nil {
				return err
			}
			if line != "" {
				line += " "
			}
			line += node
		}
		p.app.Printf("%s\n", p.app.Clip(p.app.Paint.Faint(indent+branch)+line))
		if err := p.children(k, indent+below); err != nil {
			return err
		}
	}
	return nil
}

// label names the role of an entry in its place, unless its line shows it.
func (p *painter) label(e *tree.Entry) string {
	paint := p.app.Paint
	id := view.Visible(e.Node().ID)
	switch class := e.Class(); {
	case class == tree.Seq:
		return paint.Good(class.String()) + " " + paint.Faint(id+", "+view.Plural(e.Children().Len(), "turn"))
	case class.Region():
		return paint.Good(class.String()) + " " + paint.Faint(id)
	case class == tree.Turn:
		s := e.Summary()
		return paint.Good("turn") + " " + paint.Strong(id) + paint.Faint("  cycle "+strconv.FormatInt(e.Node().Cycle, 10)+
			", "+view.Plural(s.Blocks, "block")+", "+view.Size(s.Bytes))
	case class == tree.Container && e.Node().Offset == 0:
		return paint.Good("core")
	case class == tree.Container:
		return paint.Good("group")
	}
	return ""
}
