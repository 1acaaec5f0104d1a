package command

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/cli/screen"
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
	ExitOK          = 0
	ExitFailure     = 1   // something is missing or does not work
	ExitInvalid     = 2   // invalid input: arguments, selectors, documents, edits
	exitInterrupted = 130 // Ctrl-C
)

// App is one run.
type App struct {
	In         io.Reader
	InTerminal bool
	screen.Screen
	NoPager bool   // --no-pager
	DB      string // --db

	Subject string // how the next command names the same source: NAME or --file FILE
	nearest string // the context whose name is nearest to one that no context has; "" for none

	began  bool // the command started its work
	Failed bool // a check failed; the answer is printed all the same
	Exit   int  // exit code of the program that pact ran

	Rerun func(ctx context.Context, args []string, s Streams) int // runs another command line in this process
	files []io.Closer                                             // that inputs are read from as long as the command runs
}

func New(s Streams) *App {
	return &App{In: s.In, InTerminal: screen.Terminal(s.In), Screen: *screen.New(s.Out, s.Err, s.Env)}
}

func (a *App) CloseFiles() {
	for _, file := range a.files {
		_ = file.Close() // it was only read
	}
}

// Does makes the RunE of a command. An error before RunE runs is an error of
// usage.
func (a *App) Does(f func(ctx context.Context, cmd *cobra.Command, args []string) error) func(*cobra.Command,
	[]string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		a.Paged = a.wantsPager(cmd)
		a.began, a.Out.Hold = true, a.JSON || a.Paged
		return f(cmd.Context(), cmd, args)
	}
}

// Forms are the values of --output.
var Forms = []string{"json", "jsonl", "table", "wide", "id"}

// Colors are the values of --color.
var Colors = []string{"auto", "always", "never"}

// ChooseForm reads --color, --output and --json, which is short for --output
// json.
func (a *App) ChooseForm(cmd *cobra.Command) error {
	switch {
	case a.Form == "" && a.JSON:
		a.Form = "json"
	case a.Form != "" && !slices.Contains(Forms, a.Form):
		hint := ""
		if cmd.Flags().Lookup("out") != nil {
			hint = "; --out names a file"
		}
		return Usage(cmd, "--output %s is not known: it is one of %s%s", a.Form, strings.Join(Forms, ", "), hint)
	case a.JSON && a.Form != "json" && a.Form != "jsonl":
		return Usage(cmd, "--json is the same as --output json; %s is another form", a.Form)
	}
	a.JSON = a.Form == "json" || a.Form == "jsonl"
	switch a.Color {
	case "auto":
	case "always", "never":
		a.Paint.On = a.Color == "always"
	default:
		return Usage(cmd, "--color %s is not known: it is one of %s", a.Color, strings.Join(Colors, ", "))
	}
	return nil
}

// wantsPager reports whether the output of a command goes through a pager: on a
// terminal, for commands that look and ask.
func (a *App) wantsPager(cmd *cobra.Command) bool {
	return screen.Terminal(a.Out.W) && !a.NoPager && (cmd.GroupID == "ask" || cmd.GroupID == "follow" || cmd.Name() == "log") &&
		len(a.PagerCommand()) > 0
}
