package cli

import (
	"cmp"
	"context"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/cli/ask"
	"github.com/contexttree/pact/internal/cli/bring"
	"github.com/contexttree/pact/internal/cli/care"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/edit"
	"github.com/contexttree/pact/internal/cli/follow"
	"github.com/contexttree/pact/internal/cli/listen"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/selector"
	"github.com/spf13/cobra"
)

// Streams are the input, outputs and environment of a run.
type Streams = command.Streams

// Run executes one command line, given without the name of the program, and
// returns the exit code. It keeps no state between calls.
func Run(ctx context.Context, args []string, s Streams) int {
	a := command.New(s)
	a.Rerun = Run
	return run(ctx, a, args)
}

func run(ctx context.Context, a *command.App, args []string) int {
	defer a.CloseFiles()
	args, renamed := current(args)
	if renamed != "" {
		a.Report(renamed)
	}
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
	{"listen", "Record and serve:", listen.Commands},
	{"ask", "Look and ask:", ask.Commands},
	{"follow", "Follow what happened:", follow.Commands},
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
	fitHelp(root)
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	printed := help.Run
	help.Run, help.RunE = nil, func(cmd *cobra.Command, args []string) error {
		if of, _, err := root.Find(args); err != nil || of == root && len(args) > 0 {
			return cmp.Or(err, command.Usage(root, "there is no command %s", strings.Join(args, " ")))
		}
		printed(cmd, args)
		return nil
	}
	return root
}

// helpWidth is how many columns the help takes, on a terminal and elsewhere.
const helpWidth = 80

// fitHelp makes a command and those below it print help that fits into helpWidth
// columns. It breaks a text when it prints it: every command line makes all commands.
func fitHelp(cmd *cobra.Command) {
	const slop = 5 // the flag parser makes a line that much longer if a word would stand alone
	cmd.SetUsageTemplate(strings.ReplaceAll(cmd.UsageTemplate(), ".FlagUsages ",
		".FlagUsagesWrapped "+strconv.Itoa(helpWidth-slop)+" "))
	printed := cmd.HelpFunc()
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		cmd.Long = folded(cmd.Long)
		printed(cmd, args)
	})
}

// folded breaks the paragraphs of a text anew. Lines that begin with a blank are
// tables and examples, which it leaves as they are.
func folded(text string) string {
	var list []string
	paragraph := ""
	flush := func() {
		if paragraph != "" {
			list = append(list, screen.WrapLine(paragraph, helpWidth)...)
		}
		paragraph = ""
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || line[0] == ' ' {
			flush()
			list = append(list, line)
			continue
		}
		paragraph = strings.TrimPrefix(paragraph+" "+line, " ")
	}
	flush()
	return strings.Join(list, "\n")
}

// released is the version of a released binary, which the linker sets.
var released string

// version returns the version of the release or of the module, with the commit if
// the program was built from a checkout.
func version() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

// versionFlag adds --version, and returns what pact does without a command: it prints the version or the help.
func versionFlag(a *command.App, root *cobra.Command) func(*cobra.Command, []string) error {
	asked := root.Flags().BoolP("version", "v", false, "print the version of the program and of the specification that it follows")
	return a.Does(func(_ context.Context, cmd *cobra.Command, _ []string) error {
		if !*asked {
			return cmd.Help()
		}
		spec := selector.Canonical.Traits().SpecVersion
		return a.Answer("pact "+version()+", "+spec, map[string]any{"version": version(), "spec_version": spec})
	})
}
