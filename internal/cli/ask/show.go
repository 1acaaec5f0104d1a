package ask

import (
	"context"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
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
	thread, contents := newThreadFlags(cmd), newContentFlags(cmd)
	for _, flag := range []string{"raw", "original"} {
		cmd.MarkFlagsMutuallyExclusive("as", flag)
	}
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		if err := thread.check(cmd); err != nil {
			return err
		}
		s, rest, err := a.Source(ctx, cmd, flags, args)
		if fault.CodeOf(err) == fault.ContextNotFound && len(args) == 1 {
			return showWhole(ctx, a, args[0], contents.raw, err)
		}
		if err != nil {
			return err
		}
		defer s.Close()
		at, ids := rest[:0], rest
		if len(rest) > 0 && view.IsAddress(rest[0]) {
			at, ids = rest[:1], rest[1:]
		}
		switch {
		case *thread.as != "" && len(ids) > 0:
			return command.Usage(cmd, "--as writes the whole thread; %s names a block", ids[0])
		case *thread.as != "":
			return writeThread(ctx, a, s, at, &thread)
		case len(ids) > 0:
			return contents.show(ctx, a, cmd, s, strings.Join(at, ""), ids)
		case contents.raw || contents.original:
			return command.Usage(cmd, "--raw and --original need the ID of a block: pact show or pact select lists them")
		}
		return drawSnapshot(ctx, a, s, at, *all)
	})
	return cmd
}

// drawSnapshot draws the tree of a snapshot, that of the working state if it has uncommitted edits and there is no
// address.
func drawSnapshot(ctx context.Context, a *command.App, s *command.Source, address []string, all bool) (err error) {
	var snapshot *pact.Snapshot
	if len(address) == 0 && drafting(ctx, s) {
		snapshot = s.Context.Working()
	} else if snapshot, err = s.Argument(ctx, address); err != nil {
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
	p := painter{app: a, ctx: ctx, snapshot: snapshot, all: all}
	return p.region(tree.Of(snapshot).Root())
}

// drafting reports whether a context has uncommitted edits, or no snapshot yet.
func drafting(ctx context.Context, s *command.Source) bool {
	if s.Alone != nil {
		return false
	}
	working := s.Context.Working()
	latest, err := s.Context.At(ctx, "latest")
	return err != nil || tree.Of(latest).WithCycle(working.Cycle()).Digest() != tree.Of(working).Digest()
}

func title(a *command.App, s *command.Source, snapshot *pact.Snapshot) {
	what, cycle := "snapshot of cycle ", strconv.FormatInt(snapshot.Cycle(), 10)
	name := ""
	if s.Context != nil {
		name = view.Visible(s.Context.Info().Name) + ": "
		if last := s.Context.Info().Cycle; snapshot.Cycle() > last {
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
