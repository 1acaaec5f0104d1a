package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/proxy"
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

func (a *app) runCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run -- COMMAND [ARGUMENT…]",
		Short: "Run a program and record its calls of a provider",
		Long: `Run a program with a proxy between it and its providers, and record its calls as
pact proxy does. The program has this terminal, and its exit code is passed on.
At the end pact says what was recorded and which command shows it.

pact sets ANTHROPIC_BASE_URL, OPENAI_BASE_URL and GOOGLE_GEMINI_BASE_URL for this one
program. If one of them is already set, the proxy passes calls on to its address. codex
gets a provider with -c, opencode a configuration in OPENCODE_CONFIG_CONTENT. pact
changes no file. --print shows what it would set.

--diagnose adds a field to requests that asks the provider why it did not read all of
its cache; pact prefix --provider shows the reason. Without it pact adds nothing.`,
		Example: `  pact run -- codex
  pact run --name bug-42 -- claude -p 'What is in this directory?'
  pact run --print -- python my_agent.py`,
		Args: cobra.MinimumNArgs(1),
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	show := f.Bool("print", false, "print what would be set and run, with the port as PORT")
	name := f.String("name", "", "record to the context `NAME`; by default to one named like the program")
	diagnose := diagnoseFlag(f)
	cmd.RunE = a.does(func(ctx context.Context, _ *cobra.Command, args []string) error {
		upstreams := map[string]*url.URL{}
		for _, c := range clients {
			to, err := proxy.ParseUpstream(a.getenv(c.variable, c.provider))
			if err != nil {
				return err
			}
			upstreams[c.segment] = to
		}
		if *show {
			return a.printChild(newChild(args, "http://127.0.0.1:PORT", a.env))
		}
		program, err := exec.LookPath(args[0])
		if err != nil {
			return fault.Wrap(fault.Store, err, "the program cannot be run", "")
		}
		if *name == "" {
			*name = strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0]))
		}
		r, err := a.record(ctx, "127.0.0.1:0", proxy.Options{Upstreams: upstreams},
			record.Options{Context: *name, Diagnose: *diagnose})
		if err != nil {
			return err
		}
		code, err := a.runChild(program, newChild(args, r.address, a.env))
		if err := errors.Join(err, r.end()); err != nil {
			return err
		}
		a.exit = code
		a.summary(r)
		return nil
	})
	return cmd
}

// child is a program and the way to run it.
type child struct {
	args []string
	env  []string // "NAME=value", in addition to this process's environment
}

// newChild prepares a program so that it calls the proxy at an address.
func newChild(args []string, address string, env map[string]string) child {
	c := child{args: slices.Clone(args)}
	base := map[string]string{}
	for _, one := range clients {
		base[one.segment] = address + "/" + one.segment + one.path
		c.env = append(c.env, one.variable+"="+base[one.segment])
	}
	switch strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0])) {
	case "codex": // Codex ignores OPENAI_BASE_URL
		key := "model_providers.pact.requires_openai_auth=true"
		if env["OPENAI_API_KEY"] != "" {
			key = `model_providers.pact.env_key="OPENAI_API_KEY"`
		}
		var set []string
		for _, pair := range []string{
			`model_provider="pact"`, `model_providers.pact.name="pact"`,
			`model_providers.pact.base_url="` + base["openai"] + `"`, `model_providers.pact.wire_api="responses"`,
			`model_providers.pact.supports_websockets=false`, key,
		} {
			set = append(set, "-c", pair)
		}
		c.args = slices.Concat(c.args[:1], set, c.args[1:])
	case "opencode":
		provider := func(url string) map[string]any { return map[string]any{"options": map[string]string{"baseURL": url}} }
		configuration, err := json.Marshal(map[string]any{"provider": map[string]any{
			"anthropic": provider(base["anthropic"] + "/v1"), "openai": provider(base["openai"]),
			"google": provider(base["gemini"] + "/v1beta"),
		}})
		if err == nil {
			c.env = append(c.env, "OPENCODE_CONFIG_CONTENT="+string(configuration))
		}
	}
	return c
}

// printChild prints a program and its environment as shell input.
func (a *app) printChild(c child) error {
	if a.json {
		return a.printJSON(map[string]any{"env": c.env, "args": c.args})
	}
	for _, pair := range c.env {
		name, value, _ := strings.Cut(pair, "=")
		a.printf("%s=%s \\\n", name, quote(value))
	}
	var words []string
	for _, arg := range c.args {
		words = append(words, quote(arg))
	}
	a.printf("%s\n", strings.Join(words, " "))
	return nil
}

// runChild runs a program with the streams of this process and returns its exit
// code. Ctrl-C goes to the program, which decides what to do.
func (a *app) runChild(program string, c child) (code int, err error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	defer signal.Stop(signals)
	cmd := exec.Command(program, c.args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.in, a.out.w, a.err
	for name, value := range a.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	slices.Sort(cmd.Env)
	cmd.Env = append(cmd.Env, c.env...) // of two entries with one name the last counts
	err = cmd.Run()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		if code = failed.ExitCode(); code < 0 {
			fmt.Fprintf(a.err, "pact: the program ended by %s\n", failed.String())
			code = exitFailure
		}
		return code, nil
	}
	if err != nil {
		return 0, fault.Wrap(fault.Store, err, "the program cannot be run", "")
	}
	return 0, nil
}
