package cli

import (
	"context"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/tree"
	"github.com/spf13/cobra"
)

// newestTurns is how many turns show draws in full by default.
const newestTurns = 5

func (a *app) showCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show NAME [@t] | show --file FILE [@t]",
		Short: "Draw the tree of a snapshot",
		Long: `Draw the tree of a snapshot: regions, turns and nodes with their main headers and
the beginning of their contents. Without an address this is the working state if it
has uncommitted edits, otherwise the latest snapshot. Turns older than the newest
five are only counted, unless --all is given. Of a sub-agent the first line says which
call began it. --json prints the canonical document.`,
		Example: `  pact show chat
  pact show chat @t-1 --all
  pact show --file snapshot.json`,
	}
	flags := a.sourceFlags(cmd)
	all := cmd.Flags().Bool("all", false, "draw all turns")
	cmd.RunE = a.asks(flags, []string{"[@t]"}, func(ctx context.Context, s *source, rest []string) error {
		var snapshot *pact.Snapshot
		var err error
		if len(rest) == 0 && s.drafting(ctx) {
			snapshot = s.context.Working()
		} else if snapshot, err = s.argument(ctx, rest); err != nil {
			return err
		}
		if a.json {
			if err := snapshot.Export(ctx, a.out); err != nil {
				return err
			}
			a.printf("\n")
			return nil
		}
		a.title(s, snapshot)
		p := painter{app: a, ctx: ctx, snapshot: snapshot, all: *all}
		return p.region(snapshot.Tree().Root())
	})
	return cmd
}

// drafting reports whether a context has uncommitted edits, or no snapshot yet.
func (s *source) drafting(ctx context.Context) bool {
	if s.alone != nil {
		return false
	}
	working := s.context.Working()
	latest, err := s.context.At(ctx, pact.Latest)
	return err != nil || latest.Tree().WithCycle(working.Cycle()).Digest() != working.Tree().Digest()
}

func (a *app) title(s *source, snapshot *pact.Snapshot) {
	what, cycle := "snapshot of cycle ", strconv.FormatInt(snapshot.Cycle(), 10)
	name := ""
	if s.context != nil {
		name = visible(s.context.Name()) + ": "
		if _, last := s.context.Cycles(); snapshot.Cycle() > last {
			what = "working state of cycle "
		}
	}
	begun := ""
	if by := begunByOf(snapshot); by != nil {
		begun = ", begun by " + visible(by.words())
	}
	blocks, bytes := snapshot.ThreadSize()
	a.sentence(a.paint.strong(name) + what + cycle + a.paint.faint(
		", edition "+string(snapshot.Edition())+", "+plural(snapshot.Tree().Len(), "node")+", thread of "+
			plural(blocks, "block")+", "+bytesText(bytes)+begun))
}

// painter draws one tree.
type painter struct {
	app      *app
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
		p.app.warnf("%s", err)
	case kept != nil:
		line += p.app.paint.faint(", keeps a policy: " + limitsText(kept))
	}
	p.app.printf("%s\n", line)
	return p.children(root, "")
}

func (p *painter) children(e *tree.Entry, indent string) error {
	kids := e.Children()
	first := 0
	if e.Class() == tree.Seq && !p.all {
		first = max(0, kids.Len()-newestTurns)
	}
	if first > 0 {
		p.app.printf("%s\n", p.app.paint.faint(indent+"┊  "+plural(first, "older turn")+", drawn with --all"))
	}
	for i := first; i < kids.Len(); i++ {
		k := kids.At(i)
		branch, below := "├─ ", "│  "
		if i == kids.Len()-1 {
			branch, below = "└─ ", "   "
		}
		line := p.label(k)
		if !k.Class().Region() && k.Class() != tree.Turn {
			node, err := p.app.nodeLine(p.ctx, k.Node(), p.snapshot)
			if err != nil {
				return err
			}
			if line != "" {
				line += " "
			}
			line += node
		}
		p.app.printf("%s\n", p.app.clip(p.app.paint.faint(indent+branch)+line))
		if err := p.children(k, indent+below); err != nil {
			return err
		}
	}
	return nil
}

// label names the role of an entry in its place, unless its line shows it.
func (p *painter) label(e *tree.Entry) string {
	paint := p.app.paint
	id := visible(e.Node().ID)
	switch class := e.Class(); {
	case class == tree.Seq:
		return paint.good(class.String()) + " " + paint.faint(id+", "+plural(e.Children().Len(), "turn"))
	case class.Region():
		return paint.good(class.String()) + " " + paint.faint(id)
	case class == tree.Turn:
		s := e.Summary()
		return paint.good("turn") + " " + paint.strong(id) + paint.faint("  cycle "+strconv.FormatInt(e.Node().Cycle, 10)+
			", "+plural(s.Blocks, "block")+", "+bytesText(s.Bytes))
	case class == tree.Container && e.Node().Offset == 0:
		return paint.good("core")
	case class == tree.Container:
		return paint.good("group")
	}
	return ""
}
