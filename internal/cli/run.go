package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/cli/ask"
	"github.com/contexttree/pact/internal/cli/bring"
	"github.com/contexttree/pact/internal/cli/care"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/edit"
	"github.com/contexttree/pact/internal/cli/trace"
	"github.com/contexttree/pact/internal/cli/wire"
	"github.com/spf13/cobra"
)

// Streams are the input, outputs and environment of a run.
type Streams = command.Streams

// Run executes one command line, given without the name of the program, and
// returns the exit code. It keeps no state between calls.
func Run(ctx context.Context, args []string, s Streams) int {
	a := command.New(s)
	a.Anew = Run
	return run(ctx, a, args)
}

func run(ctx context.Context, a *command.App, args []string) int {
	defer a.CloseFiles()
	root := root(a)
	root.SetArgs(args)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetContext(ctx)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = a.Finish()
	}
	if err != nil {
		if bring.IsHook(cmd, args) { // it never fails the agent that calls it, nor prints what the agent would read
			a.JSON = false
			a.Fail(ctx, cmd, err, args)
			return command.ExitOK
		}
		return a.Fail(ctx, cmd, err, args)
	}
	if a.Failed {
		return command.ExitFailure
	}
	if a.Exit != command.ExitOK {
		return a.Exit
	}
	return command.ExitOK
}

// leading are the commands that lead, in the order of the help.
var leading = []string{"open", "run", "log", "request", "serve"}

func init() { cobra.EnableCommandSorting = false } // the help lists commands as they are listed here

// families lists the other commands as the help shows them.
var families = []struct {
	id, title string
	commands  func(*command.App) []*cobra.Command
}{
	{"bring", "Bring in:", bring.Commands},
	{"wire", "Record and serve:", wire.Commands},
	{"ask", "Look and ask:", ask.Commands},
	{"trace", "Follow what happened:", trace.Commands},
	{"edit", "Edit:", edit.Commands},
	{"care", "Check, copy, erase:", care.Commands},
}

func root(a *command.App) *cobra.Command {
	root := a.Command("pact")
	root.Args = nil
	root.SilenceErrors, root.SilenceUsage, root.DisableAutoGenTag = true, true, true
	root.SetFlagErrorFunc(command.BadFlag)
	flags := root.PersistentFlags()
	flags.StringVar(&a.DB, "db", a.Getenv("PACT_DB", "pact.db"),
		"the store, a `FILE` or the address of a database, postgres://…; PACT_DB sets another default")
	flags.BoolVar(&a.JSON, "json", false, "print JSON, also for a failure; the same as --output json")
	flags.StringVar(&a.Color, "color", "auto", "colour the output: auto, always or never; NO_COLOR turns auto off")
	flags.BoolVar(&a.NoPager, "no-pager", false, "print to the terminal at once, without PAGER")
	command.CompleteFlag(root, "color", command.Colors)
	flags.StringVar(&a.Form, "output", "", "print in this `FORM`: "+strings.Join(command.Forms, ", "))
	command.CompleteFlag(root, "output", command.Forms)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		return cmp.Or(a.ChooseForm(cmd), command.CheckFlags(cmd))
	}
	_ = root.MarkPersistentFlagFilename("db")
	root.AddGroup(&cobra.Group{ID: "lead", Title: "Begin with:"})
	var rest []*cobra.Command
	leads := make([]*cobra.Command, len(leading))
	for _, f := range families {
		root.AddGroup(&cobra.Group{ID: f.id, Title: f.title})
		for _, c := range f.commands(a) {
			c.GroupID = f.id
			if i := slices.Index(leading, c.Name()); i >= 0 {
				c.GroupID, leads[i] = "lead", c
			} else {
				rest = append(rest, c)
			}
		}
	}
	root.AddCommand(append(leads, rest...)...)
	root.RunE = versionFlag(a, root)
	command.MarkFlags(root)
	addOldNames(a, root)
	fitHelp(root)
	return root
}
