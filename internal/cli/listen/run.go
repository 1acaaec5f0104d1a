package listen

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/record/agents"
	"github.com/contexttree/pact/internal/record/proxy"
	"github.com/contexttree/pact/internal/view"
	"github.com/spf13/cobra"
)

// startsProxy ends a remedy that says to start a proxy.
const startsProxy = "; pact proxy --upstream URL --addr ADDRESS starts one, which lets WebSockets pass with --websocket tunnel"

func runCommand(a *command.App) *cobra.Command {
	cmd := a.Command("run")
	f := cmd.Flags()
	f.SetInterspersed(false)
	show := f.Bool("print", false, "print what would be set and run, with the port as PORT")
	name := f.String("name", "", "record to the context `NAME`; by default to one named like the program")
	flags := newRecordFlags(cmd)
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		p, err := agents.NewProgram(args, a.Env)
		if p.NeedsProxy {
			return command.Advise(err, startsProxy)
		}
		if err != nil {
			return err
		}
		if *show {
			p.Dir = "DIR"
			p.Point("http://127.0.0.1:PORT")
			return printProgram(a, p)
		}
		if err := p.Find(); err != nil {
			return err
		}
		if *name == "" {
			*name = agents.ContextName(args)
		}
		o, err := flags.options(ctx, a, cmd, *name)
		if err != nil {
			return err
		}
		r, err := startRecording(ctx, a, "127.0.0.1:0", proxy.Options{Upstreams: p.Upstreams, Refuse: p.Misled}, o)
		if err != nil {
			return err
		}
		if p.Warns {
			a.Warnf("%s", p.Note)
		}
		stop := warnWithout(r.proxy.Calls, time.Minute, func() {
			fmt.Fprintf(a.Err, "pact: no call of a model came to %s in the first minute.\r\n      If %s has asked one by now, "+
				"pact doctor -- %s says why it is not recorded\r\n", r.address, view.Visible(args[0]), screen.Quote(args[0]))
		})
		p.Point(r.address)
		code, err := runProgram(ctx, a, p)
		stop()
		if err := errors.Join(err, r.end()); err != nil {
			return err
		}
		a.Exit = code
		summary(a, r, o, code)
		return nil
	})
	return cmd
}

// warnWithout warns once, if there was no call after some time. It stops with the function that it returns.
func warnWithout(calls func() int, after time.Duration, warn func()) (stop func() bool) {
	return time.AfterFunc(after, func() {
		if calls() == 0 {
			warn()
		}
	}).Stop
}

// printProgram prints a program and its environment as shell input.
func printProgram(a *command.App, p *agents.Program) error {
	if a.JSON {
		all := map[string]any{"env": append([]string{}, p.Env...), "args": p.Args}
		if p.Note != "" {
			all["says"] = p.Note
		}
		if p.File != "" {
			all["file"] = map[string]string{"path": filepath.Join(p.Dir, p.File), "holds": p.Holds}
		}
		return a.PrintJSON(all)
	}
	if p.Note != "" {
		a.Printf("# %s.\n", p.Note)
	}
	if p.File != "" {
		a.Printf("# %s holds:\n# %s\n", filepath.Join(p.Dir, p.File),
			strings.ReplaceAll(strings.TrimSpace(p.Holds), "\n", "\n# "))
	}
	for _, pair := range p.Env {
		name, value, _ := strings.Cut(pair, "=")
		a.Printf("%s=%s \\\n", name, screen.Quote(value))
	}
	var words []string
	for _, arg := range p.Args {
		words = append(words, screen.Quote(arg))
	}
	a.Printf("%s\n", strings.Join(words, " "))
	return nil
}

// startWithSignals starts a program. From then on it takes Ctrl-C, which the program receives too,
// from this process, and passes other requests to end on to the program, until stop is called.
// It takes signals before the program starts: one that came between would end this process.
func startWithSignals(cmd *exec.Cmd) (stop func(), err error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if err := cmd.Start(); err != nil {
		signal.Stop(signals)
		return nil, err
	}
	go func() {
		for s := range signals {
			if s != os.Interrupt {
				_ = cmd.Process.Signal(s) // it fails if the program has just ended
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}, nil
}

// runProgram runs a program with the streams of this process and returns its exit
// code. Ctrl-C goes to the program, which decides what to do. It is told if this
// process is asked to end, or dies.
func runProgram(ctx context.Context, a *command.App, p *agents.Program) (code int, err error) {
	cmd, done, err := p.Command(context.WithoutCancel(ctx))
	if err != nil {
		return 0, err
	}
	defer done()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.In, a.Out.W, a.Err
	stop, err := startWithSignals(cmd)
	if err == nil {
		err = cmd.Wait()
		stop()
	}
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		if code = failed.ExitCode(); code < 0 {
			a.Reportf("pact: the program ended by %s", failed.String())
			code = command.ExitFailure
		}
		return code, nil
	}
	if err != nil {
		return 0, agents.CannotRun(err)
	}
	return 0, nil
}

func doctorCommand(a *command.App) *cobra.Command {
	cmd := a.Command("doctor")
	f := cmd.Flags()
	f.SetInterspersed(false)
	address := f.String("addr", "127.0.0.1:0", "try this loopback `ADDRESS`, as pact proxy would listen on it")
	patience := f.Duration("wait", 30*time.Second, "wait so long for a call of the program")
	cmd.RunE = a.Does(func(ctx context.Context, _ *cobra.Command, args []string) error {
		list := []agents.Checkup{agents.TryStore(ctx, a.DB, a.Shown()), agents.TryAddress(*address), agents.TryEnvironment(a.Env)}
		if !list[0].Works {
			list[0].Remedy += "; --db or PACT_DB names it"
		}
		tried, err := tryProgram(ctx, a, args, *patience)
		if err != nil {
			return err
		}
		list = append(list, tried...)
		for i := range list {
			if list[i].NeedsProxy {
				list[i].Remedy += startsProxy
			}
		}
		a.Failed = slices.ContainsFunc(list, func(c agents.Checkup) bool { return !c.Works })
		return a.Show(list, func() { drawCheckups(a, list, args) })
	})
	return cmd
}

func drawCheckups(a *command.App, list []agents.Checkup, args []string) {
	for _, c := range list {
		word := a.Paint.Good("works")
		if !c.Works {
			word = a.Paint.Bad("fails")
		}
		a.Sentence(word + "  " + c.Tried + ": " + view.Visible(c.Says) + ".")
		if c.Remedy != "" {
			a.Sentence("       " + view.Visible(c.Remedy) + ".")
		}
	}
	switch {
	case a.Failed:
	case len(args) > 0:
		a.Printf("\nIts calls are recorded with pact run --")
		for _, word := range args {
			a.Printf(" %s", screen.Quote(word))
		}
		a.Printf("\n")
	default:
		a.Printf("\nTo see whether a program calls pact: pact doctor -- COMMAND\n")
	}
}

// tryProgram looks into the settings of the program that was named, else of all agents, and runs it.
func tryProgram(ctx context.Context, a *command.App, args []string, patience time.Duration) ([]agents.Checkup, error) {
	if len(args) == 0 {
		return agents.TrySettings(a.Env), nil
	}
	m := a.Meter("waiting for a call")
	defer m.End()
	return agents.TryProgram(ctx, args, a.Env, patience)
}
