package bring

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/opened"
	"github.com/spf13/cobra"
)

func openCommand(a *command.App) *cobra.Command {
	cmd := a.Command("open")
	flags := newImportFlags(a, cmd)
	all := cmd.Flags().Bool("all", false, "list every cycle and every context")
	noBrowser := cmd.Flags().Bool("no-browser", false, "print the address of the inspector and start no browser")
	export := cmd.Flags().String("export", "", "write the run to the HTML `FILE`, a page that needs no server and that pact import reads")
	redacted := command.RedactFlag(cmd, "leave out of that page")
	cmd.RunE = a.Does(withMemory(a, func(ctx context.Context, cmd *cobra.Command, args []string) error {
		what, err := redacted()
		if err != nil {
			return err
		}
		if *export != "" {
			return exportPage(ctx, a, cmd, flags, args, *export, what)
		}
		before := command.SizeOf(a.DB)
		f, list, s, err := openRun(ctx, a, cmd, flags, args)
		if err != nil {
			return err
		}
		err = examine(ctx, a, s, list, f)
		if closed := s.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
		f.Store.Path, f.Store.Bytes = a.Shown(), command.SizeOf(a.DB)
		if !slices.ContainsFunc(list, func(l intake.Made) bool { return l.Existed }) {
			f.Store.Grew = f.Store.Bytes - before
		}
		f.Next = next(a, f)
		if a.JSON {
			return a.PrintJSON(f)
		}
		drawOpenReport(a, f, *all)
		if !a.OutTerminal {
			return nil
		}
		return showInBrowser(ctx, a, f.Contexts, !*noBrowser)
	}))
	return cmd
}

// openRun imports what [toOpen] finds, and returns its contexts and their store, which the caller closes. Where the
// argument is no file and no session, it is the name of a stored context.
func openRun(ctx context.Context, a *command.App, cmd *cobra.Command, flags *importFlags, args []string) (*opened.Report, []intake.Made,
	*pact.DB, error) {
	in, found, missing := toOpen(ctx, a, flags, args)
	if missing != nil {
		if len(args) == 0 || lacksStore(a) || !errors.Is(missing, fs.ErrNotExist) && !isFolder(args[0]) {
			return nil, nil, nil, missing
		}
		c, s, err := a.LookAt(ctx, args[0], pact.OpenOptions{})
		switch {
		case fault.CodeOf(err) == fault.ContextNotFound && isFolder(args[0]):
			err = missing
		case fault.CodeOf(err) == fault.ContextNotFound:
			err = a.Neither(args[0], err)
		case err == nil:
			if err = flags.unused(cmd); err != nil {
				_ = s.Close()
			}
		}
		return &opened.Report{Kind: intake.History}, []intake.Made{{Context: c, Existed: true}}, s, err
	}
	s, err := storeFor(ctx, a, in)
	if err != nil {
		return nil, nil, nil, err
	}
	list, err := importAll(ctx, a, s, in)
	if err != nil {
		return nil, nil, nil, errors.Join(err, s.Close())
	}
	return &opened.Report{File: in.Input.Name, Kind: in.Plan.Kind, Sessions: found}, list, s, nil
}

// isFolder reports whether there is a directory of the name.
func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// examine describes the contexts of a run.
func examine(ctx context.Context, a *command.App, s *pact.DB, list []intake.Made, f *opened.Report) (err error) {
	f.Contexts = make([]opened.Context, len(list))
	total := 0
	for _, l := range list {
		first, last := l.Context.Info().First, l.Context.Info().Cycle
		total += int(last - first + 1)
	}
	relations, err := view.RelationsOf(ctx, s)
	if err != nil {
		return err
	}
	m, done := a.Meter("comparing"), 0
	defer m.End()
	for i, l := range list {
		f.Contexts[i], err = opened.Describe(ctx, l.Context, func() { done++; m.At(done, total) })
		if err != nil {
			return err
		}
		f.Contexts[i].Overlap = relations.Overlap(l.Context.Info().Name)
		f.Contexts[i].Existed, f.Contexts[i].Added = l.Existed, l.Added
		f.ThreadBytes += f.Contexts[i].Own()
	}
	if n := f.Main(); n >= 0 && len(f.Contexts[n].Cycles) > 0 {
		if err = f.Contexts[n].Tell(ctx, list[n].Context); err == nil {
			err = describe(ctx, a, &f.Contexts[n], list[n].Context)
		}
	}
	return err
}

// describe has a context say its three sentences.
func describe(ctx context.Context, a *command.App, of *opened.Context, c *pact.Context) error {
	counter, err := command.CounterNamed("") // as pact findings has it, so that both say the same
	if err != nil {
		return err
	}
	return of.Look(ctx, c, counter, opened.Commands{
		Findings: "pact findings " + screen.Quote(of.Name) + a.InStore(),
		Diff:     func(from, to int64) string { return richDiff(a, of.Name, from, to) },
	})
}

// richDiff returns the command that says what changed from one cycle to another.
func richDiff(a *command.App, name string, from, to int64) string {
	return "pact diff " + screen.Quote(name) + " " + view.Cycle(from) + " " + view.Cycle(to) + " --rich" + a.InStore()
}

// next returns three commands to try, ready to paste. They follow from the story
// that is told.
func next(a *command.App, f *opened.Report) []string {
	of := &f.Contexts[f.Main()]
	db := a.InStore()
	name := screen.Quote(of.Name)
	if len(of.Cycles) == 0 && of.Unanswered != "" {
		return []string{"pact log " + name + " --attempts" + db, "pact request " + name + db, "pact show " + name + " working --as text" + db}
	}
	if len(of.Cycles) == 0 {
		return []string{"pact show " + name + db, "pact commit " + name + db, "pact show " + name + " working --as thread" + db}
	}
	var list []string
	var breaks []int64
	if t := of.Story; t != nil {
		for _, b := range t.Breaks {
			breaks = append(breaks, b.Cycle)
		}
		if len(t.Failed) > 0 {
			list = append(list, "pact show "+name+" "+screen.Quote(t.Failed[0].ID)+db)
		}
		if len(t.Carried) > 0 && t.Carried[0].Calls > 1 {
			list = append(list, "pact life "+name+" "+screen.Quote(t.Carried[0].ID)+db)
		}
	}
	if len(breaks) > 0 {
		list = append([]string{richDiff(a, of.Name, breaks[0]-1, breaks[0])}, list...)
	}
	list = append(list, "pact log "+name+db, "pact show "+name+" --as text"+db, "pact show "+name+" latest"+db)
	return list[:nextCommands]
}

// nextCommands is how many commands open suggests.
const nextCommands = 3
