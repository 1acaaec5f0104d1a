package wire

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/record/proxy"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/postgres"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/spf13/cobra"
)

// checkup is one thing that doctor tried.
type checkup struct {
	Tried  string `json:"tried"` // store, address, environment, settings or program
	Works  bool   `json:"works"`
	Says   string `json:"says"`             // what is so; of what does not work, the cause
	Remedy string `json:"remedy,omitempty"` // what to do about it
}

func doctorCommand(a *command.App) *cobra.Command {
	cmd := a.Command("doctor")
	f := cmd.Flags()
	f.SetInterspersed(false)
	address := f.String("addr", "127.0.0.1:0", "try this loopback `ADDRESS`, as pact proxy would listen on it")
	patience := f.Duration("wait", 30*time.Second, "wait so long for a call of the program")
	cmd.RunE = a.Does(func(ctx context.Context, _ *cobra.Command, args []string) error {
		list := []checkup{tryStore(ctx, a), tryAddress(*address), tryEnvironment(a.Env)}
		names := []string{"claude", "codex", "opencode", "gemini"}
		if len(args) > 0 {
			names = []string{baseName(args[0])}
		}
		for _, name := range names {
			list = append(list, trySettings(name, a.Env)...)
		}
		switch {
		case len(args) == 0:
		case slices.ContainsFunc(list, func(c checkup) bool { return c.Tried == "settings" && !c.Works }):
			list = append(list, checkup{Tried: "program", Says: names[0] + " was not run, because its settings send calls to a provider, " +
				"which may cost", Remedy: "change the settings named above, then try again"})
		default:
			of, err := tryProgram(ctx, a, args, *patience)
			if err != nil {
				return err
			}
			list = append(list, of)
		}
		a.Failed = slices.ContainsFunc(list, func(c checkup) bool { return !c.Works })
		if a.JSON {
			return a.PrintJSON(list)
		}
		drawCheckups(a, list, args)
		return nil
	})
	return cmd
}

func drawCheckups(a *command.App, list []checkup, args []string) {
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
		a.Printf("\nIts calls are recorded with pact run -- %s\n", screen.Quote(args[0]))
	default:
		a.Printf("\nTo see whether a program calls pact: pact doctor -- COMMAND\n")
	}
}

// tryStore writes nothing into the store that is there, and leaves none where there was none.
func tryStore(ctx context.Context, a *command.App) checkup {
	c := checkup{Tried: "store", Works: true, Says: a.Shown() + " can be written"}
	err := writeNothing(ctx, a.DB)
	if err == nil {
		return c
	}
	c.Works, c.Says, c.Remedy = false, err.Error(), "name another store with --db, or set PACT_DB"
	var f *fault.Error
	if errors.As(err, &f) {
		c.Says = f.Message
		if f.Remedy != "" {
			c.Remedy = f.Remedy
		}
	}
	return c
}

func writeNothing(ctx context.Context, db string) (err error) {
	if postgres.IsAddress(db) {
		s, err := postgres.Open(ctx, db)
		if err != nil {
			return err
		}
		return errors.Join(s.Write(ctx, &store.Batch{}), s.Close())
	}
	if _, err := os.Stat(db); errors.Is(err, fs.ErrNotExist) {
		dir, err := os.MkdirTemp(filepath.Dir(db), ".pact-doctor-*")
		if err != nil {
			return fault.Wrap(fault.Store, err, "no store can be made at "+db, "make the folder, or name another store with --db")
		}
		defer func() { _ = os.RemoveAll(dir) }()
		db = filepath.Join(dir, "pact.db")
	}
	s, err := sqlite.Open(ctx, db)
	if err != nil {
		return err
	}
	return errors.Join(s.Write(ctx, &store.Batch{}), s.Close())
}

// tryAddress listens where a proxy would.
func tryAddress(address string) checkup {
	listener, err := proxy.Listen(address)
	if err == nil {
		at := listener.Addr().String()
		if err = listener.Close(); err == nil {
			return checkup{Tried: "address", Works: true, Says: "pact can listen on " + at}
		}
	}
	c := checkup{Tried: "address", Says: err.Error()}
	var f *fault.Error
	if errors.As(err, &f) {
		c.Says, c.Remedy = f.Message, f.Remedy
		if cause := errors.Unwrap(f); cause != nil {
			c.Says += ": " + cause.Error()
		}
	}
	return c
}

// tryEnvironment looks for a proxy that takes the calls for loopback before pact gets them: curl, Python's
// and many of Node's libraries ask it for every address that NO_PROXY does not name.
func tryEnvironment(env map[string]string) checkup {
	spared := func(host string) bool {
		for _, name := range []string{"NO_PROXY", "no_proxy"} {
			for _, one := range strings.Split(env[name], ",") {
				if one = strings.TrimSpace(one); one == "*" || one == host || one == "127.0.0.0/8" {
					return true
				}
			}
		}
		return false
	}
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"} {
		if env[name] != "" && !spared("127.0.0.1") {
			return checkup{Tried: "environment", Says: name + " sends calls for 127.0.0.1 to another proxy",
				Remedy: "set NO_PROXY=127.0.0.1,localhost for the program, beside what it has"}
		}
	}
	return checkup{Tried: "environment", Works: true, Says: "no other proxy takes calls for 127.0.0.1"}
}
