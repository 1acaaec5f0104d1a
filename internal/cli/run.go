package cli

import (
	"context"
	"io"
	"strings"

	"github.com/contexttree/pact/tree"
	"github.com/spf13/cobra"
)

// Streams are the input, outputs and environment of a run.
type Streams struct {
	In       io.Reader // standard input
	Out, Err io.Writer // standard output and standard error
	Env      []string  // "NAME=value", as os.Environ returns it
}

// The exit codes of Run.
const (
	exitOK          = 0
	exitFailure     = 1   // something is missing or does not work
	exitInvalid     = 2   // invalid input: arguments, selectors, documents, edits
	exitInterrupted = 130 // Ctrl-C
)

// app is one run.
type app struct {
	in   io.Reader
	out  *output
	err  io.Writer
	env  map[string]string
	json bool   // --json, or --output json or jsonl
	form string // --output: json, jsonl, table, wide or id; "" to choose by where the output goes

	color   string // --color: auto, always or never
	noPager bool   // --no-pager
	paged   bool   // the output goes through a pager when the command is done
	db      string // --db

	subject string // how the next command would name what this one is about: NAME or --file FILE
	nearest string // the name of the context that was meant by one that no context has; "" if nobody knows

	outTerminal, errTerminal, inTerminal bool
	width, errWidth                      int // columns of the outputs, 0 of one that is no terminal
	paint                                theme

	began  bool // the command started its work
	failed bool // a check failed; the answer is printed all the same
	exit   int  // exit code of the program that pact ran
}

// Run executes one command line, given without the name of the program, and
// returns the exit code. It keeps no state between calls.
func Run(ctx context.Context, args []string, s Streams) int { return newApp(s).run(ctx, args) }

func newApp(s Streams) *app {
	a := &app{in: s.In, err: s.Err, env: map[string]string{}}
	for _, pair := range s.Env {
		name, value, _ := strings.Cut(pair, "=")
		a.env[name] = value
	}
	a.out = &output{w: s.Out}
	a.outTerminal, a.errTerminal, a.inTerminal = terminal(s.Out), terminal(s.Err), terminal(s.In)
	a.width, a.errWidth, a.paint = columns(s.Out), columns(s.Err), themeFor(s.Out, s.Env)
	a.out.plain = a.outTerminal && !showsUnicode(a.env)
	return a
}

func (a *app) run(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetContext(ctx)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = a.finish()
	}
	if err != nil {
		if cmd.Name() == hookName { // it never fails the agent that calls it, nor prints what the agent would read
			a.json = false
			a.fail(ctx, cmd, err, args)
			return exitOK
		}
		return a.fail(ctx, cmd, err, args)
	}
	if a.failed {
		return exitFailure
	}
	if a.exit != exitOK {
		return a.exit
	}
	return exitOK
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "pact",
		Short: "Context trees for language models: import, ask, compare, edit",
		Long: `pact keeps what a language model is sent as a tree with regions, places and
lifetimes, and every model call as an immutable snapshot.

Contexts live in a store: --db FILE, else PACT_DB, else pact.db. Commands take
the name of a context, or with --file a snapshot document, a history in JSON
Lines, a transcript or the log of another program, and then need no store.

Addresses: @t0 the latest snapshot, @t-1 the one before, @c12 that of cycle 12,
working the state that is being edited.

Exit codes: 0, 1 for a failure, 2 for invalid input, 130 after Ctrl-C.`,
		Example: `  pact open conversation.json
  pact show conversation @t-1
  pact select conversation '^seq .seg:depth(1-3) .block'
  pact diff conversation @t-1 @t0`,
		Version:           version(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
	}
	root.SetVersionTemplate("pact {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(cmd, "%s", err.Error()) })
	flags := root.PersistentFlags()
	flags.StringVar(&a.db, "db", a.getenv("PACT_DB", "pact.db"),
		"the store, a `FILE` or the address of a database, postgres://…; PACT_DB sets another default")
	flags.BoolVar(&a.json, "json", false, "print JSON, also for a failure; the same as --output json")
	flags.StringVar(&a.color, "color", "auto", "colour the output: auto, always or never; NO_COLOR turns auto off")
	flags.BoolVar(&a.noPager, "no-pager", false, "print to the terminal at once, without PAGER")
	_ = root.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(colors, cobra.ShellCompDirectiveNoFileComp))
	flags.StringVar(&a.form, "output", "", "print in this `FORM`: "+strings.Join(forms, ", "))
	_ = root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(forms, cobra.ShellCompDirectiveNoFileComp))
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return a.chooseForm(cmd) }
	_ = root.MarkPersistentFlagFilename("db")
	root.AddGroup(
		&cobra.Group{ID: "in", Title: "Bring in and take out:"},
		&cobra.Group{ID: "ask", Title: "Look and ask:"},
		&cobra.Group{ID: "edit", Title: "Edit:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("in", a.openCommand(), a.importCommand(), a.exportCommand(), a.validateCommand(), a.replayCommand(),
		a.applyCommand(), a.copyCommand(), a.runCommand(), a.proxyCommand(), a.hookCommand(), a.serveCommand(),
		a.tokenCommand(), a.dbCommand())
	add("ask", a.contextsCommand(), a.logCommand(), a.showCommand(), a.selectCommand(), a.diffCommand(), a.blameCommand(),
		a.timelineCommand(), a.prefixCommand(), a.threadCommand(), a.hashCommand(), a.attemptsCommand(), a.requestCommand(),
		a.verifyCommand(),
		a.catCommand(), a.grepCommand(), a.explainCommand(), a.fmtCommand(), a.conformanceCommand())
	add("edit", a.newCommand(), a.addCommand(), a.updateCommand(), a.removeCommand(), a.moveCommand(), a.commitCommand(),
		a.pruneCommand(), a.policyCommand(),
		a.forkCommand(), a.undoCommand(), a.renameCommand(), a.deleteCommand(), a.eraseCommand())
	root.AddCommand(a.versionCommand())
	fitHelp(root)
	return root
}

// does makes the RunE of a command. An error before RunE runs is an error of
// usage.
func (a *app) does(f func(ctx context.Context, cmd *cobra.Command, args []string) error) func(*cobra.Command,
	[]string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		defer tree.Recover(&err)
		a.paged = a.wantsPager(cmd)
		a.began, a.out.hold = true, a.json || a.paged
		return f(cmd.Context(), cmd, args)
	}
}

func (a *app) getenv(name, fallback string) string {
	if v := a.env[name]; v != "" {
		return v
	}
	return fallback
}
