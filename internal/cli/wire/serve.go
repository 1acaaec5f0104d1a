package wire

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime/debug"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/server"
	"github.com/spf13/cobra"
)

func serveCommand(a *command.App) *cobra.Command {
	cmd := a.Command("serve")
	where := servingFlags(cmd)
	logs := cmd.Flags().Bool("log", false, "write one line for each request to standard error, without names or contents")
	untilEOF := cmd.Flags().Bool("until-eof", false, "end once standard input ends, as Ctrl-C ends it")
	cmd.RunE = a.Does(func(ctx context.Context, _ *cobra.Command, _ []string) error {
		if err := where.check(); err != nil {
			return err
		}
		if *untilEOF {
			ctx = untilEnd(ctx, a.In)
		}
		return serve(ctx, a, where, *logs)
	})
	return cmd
}

// untilEnd returns a context that ends with an input. A system closes the input of a program
// whose parent is gone, however it went.
func untilEnd(ctx context.Context, input io.Reader) context.Context {
	ctx, end := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, input) // an input that cannot be read has ended too
		end()
	}()
	return ctx
}

// serve serves the store until ctx ends.
func serve(ctx context.Context, a *command.App, where *serving, logs bool) (err error) {
	s, err := a.OpenStore(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	o, err := where.options(ctx, s)
	if err != nil {
		return err
	}
	o.Actor, o.Counter = a.Getenv("USER", ""), command.CounterNamed
	if logs {
		o.Log = slog.New(slog.NewTextHandler(a.Err, nil))
	}
	listener, err := where.listen()
	if err != nil {
		return err
	}
	if a.Getenv("GOMEMLIMIT", "") == "" { // then the process collects garbage sooner as it comes near to that
		debug.SetMemoryLimit(o.Memory + o.Memory/2 + 64<<20)
	}
	return command.ServeOn(ctx, listener, server.New(s, o), func(token string) error {
		return a.PrintAddress(where.scheme()+listener.Addr().String()+"/", token)
	})
}
