package wire

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/record/proxy"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/spf13/cobra"
)

// client says how a program learns the address of a provider.
type client struct {
	variable string // the environment variable
	segment  string // the first path segment, by which the proxy recognizes the provider
	path     string // the path that programs expect after the host
	provider string // the provider's base address
}

var clients = []client{
	{"ANTHROPIC_BASE_URL", "anthropic", "", "https://api.anthropic.com"},
	{"OPENAI_BASE_URL", "openai", "/v1", "https://api.openai.com/v1"},
	{"GOOGLE_GEMINI_BASE_URL", "gemini", "", "https://generativelanguage.googleapis.com"},
}

func runCommand(a *command.App) *cobra.Command {
	cmd := a.Command("run")
	f := cmd.Flags()
	f.SetInterspersed(false)
	show := f.Bool("print", false, "print what would be set and run, with the port as PORT")
	name := f.String("name", "", "record to the context `NAME`; by default to one named like the program")
	diagnose, managing := diagnoseFlag(f), policyFlags(cmd)
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		known := agentOf(args[0])
		if err := known.unable(); err != nil {
			return err
		}
		c := child{args: slices.Clone(args), given: a.Env, upstreams: map[string]*url.URL{}, says: known.says}
		if cache, err := os.UserCacheDir(); err == nil {
			c.dir = filepath.Join(cache, "pact-run-"+strconv.Itoa(os.Getpid()))
		}
		for _, one := range slices.Concat(clients, known.reads) {
			to, err := proxy.ParseUpstream(a.Getenv(one.variable, one.provider))
			if err != nil {
				return err
			}
			c.upstreams[one.segment] = to
		}
		if *show {
			c.dir = "DIR"
			c.point(known, "http://127.0.0.1:PORT")
			return printChild(a, c)
		}
		program, err := exec.LookPath(args[0])
		if err != nil {
			return fault.Wrap(fault.Store, err, "the program cannot be run", "")
		}
		if *name == "" {
			*name = contextName(args)
		}
		o := record.Options{Context: *name, Diagnose: *diagnose}
		if err := managing.options(ctx, a, cmd, &o); err != nil {
			return err
		}
		r, err := startRecording(ctx, a, "127.0.0.1:0", proxy.Options{Upstreams: c.upstreams}, o)
		if err != nil {
			return err
		}
		stop := warnWithout(r.proxy.Calls, time.Minute, func() {
			fmt.Fprintf(a.Err, "pact: no call of a model came to %s in the first minute.\r\n      If %s has asked one by now, "+
				"pact doctor -- %s says why it is not recorded\r\n", r.address, view.Visible(args[0]), screen.Quote(args[0]))
		})
		code, err := runChild(a, program, &c, known, r.address)
		stop()
		if err := errors.Join(err, r.end()); err != nil {
			return err
		}
		a.Exit = code
		summary(a, r, o.Manage)
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

// child is a program and the way to run it.
type child struct {
	args        []string
	env         []string            // "NAME=value", in addition to given
	given       map[string]string   // the environment of this process
	upstreams   map[string]*url.URL // where the proxy passes calls on, by the first segment of their paths
	base        map[string]string   // the address that programs take for that of a provider, by that segment
	dir         string              // a folder for this one run
	file, holds string              // the name and the text of a file in it that the program reads
	says        string              // a note for its user
}

// point makes a program call the proxy at an address.
func (c *child) point(known agent, address string) {
	c.base = map[string]string{}
	for _, one := range slices.Concat(clients, known.reads) {
		c.base[one.segment] = address + "/" + one.segment + one.path
		c.env = append(c.env, one.variable+"="+c.base[one.segment])
	}
	if known.prepare != nil {
		known.prepare(c)
	}
}

// printChild prints a program and its environment as shell input.
func printChild(a *command.App, c child) error {
	if a.JSON {
		all := map[string]any{"env": c.env, "args": c.args}
		if c.says != "" {
			all["says"] = c.says
		}
		if c.file != "" {
			all["file"] = map[string]string{"path": filepath.Join(c.dir, c.file), "holds": c.holds}
		}
		return a.PrintJSON(all)
	}
	if c.says != "" {
		a.Printf("# %s.\n", c.says)
	}
	if c.file != "" {
		a.Printf("# %s holds:\n# %s\n", filepath.Join(c.dir, c.file),
			strings.ReplaceAll(strings.TrimSpace(c.holds), "\n", "\n# "))
	}
	for _, pair := range c.env {
		name, value, _ := strings.Cut(pair, "=")
		a.Printf("%s=%s \\\n", name, screen.Quote(value))
	}
	var words []string
	for _, arg := range c.args {
		words = append(words, screen.Quote(arg))
	}
	a.Printf("%s\n", strings.Join(words, " "))
	return nil
}

// writeFile writes the file that the program reads.
func (c *child) writeFile() error {
	err := os.MkdirAll(c.dir, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(c.dir, c.file), []byte(c.holds), 0o600)
	}
	if err != nil {
		return fault.Wrap(fault.Store, err, "the program needs a file that cannot be written", "")
	}
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

// runChild runs a program with the streams of this process and returns its exit
// code. Ctrl-C goes to the program, which decides what to do. It is told if this
// process is asked to end, or dies.
func runChild(a *command.App, program string, c *child, known agent, address string) (code int, err error) {
	c.point(known, address)
	if c.file != "" {
		defer os.RemoveAll(c.dir)
		if err := c.writeFile(); err != nil {
			return 0, err
		}
	}
	cmd := exec.Command(program, c.args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.In, a.Out.W, a.Err
	for name, value := range a.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	slices.Sort(cmd.Env)
	cmd.Env = append(cmd.Env, c.env...) // of two entries with one name the last counts
	defer bind(cmd)()
	stop, err := startWithSignals(cmd)
	if err == nil {
		err = cmd.Wait()
		stop()
	}
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		if code = failed.ExitCode(); code < 0 {
			fmt.Fprintf(a.Err, "pact: the program ended by %s\n", failed.String())
			code = command.ExitFailure
		}
		return code, nil
	}
	if err != nil {
		return 0, fault.Wrap(fault.Store, err, "the program cannot be run", "")
	}
	return 0, nil
}
