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
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the contexts of the store over HTTP",
		Long: `Serve the store to programs in any language: docs/server.md lists the operations, and
/openapi.json describes them. Ctrl-C ends it once the requests that it has are
answered.

It listens on loopback. Other users of the machine can connect too, so a request needs
the token in the printed address: a browser that opens the address gets a cookie for
it, a program sends the header Authorization: Bearer TOKEN. Each run has another
token. --no-token serves every program that can connect.

To serve other machines, make named tokens with pact token, say with --host by which
names they call the server, and give --tls-cert and --tls-key, or --behind-proxy.

A program that starts the server for itself gives --until-eof, keeps the other end of
its standard input open, and writes nothing there. The server then ends with it, also
if the program is killed.`,
		Example: `  pact serve
  pact serve --addr 127.0.0.1:0 --db runs.db
  pact serve --addr 127.0.0.1:0 --until-eof --json
  pact serve --addr :7741 --host pact.example --tls-cert c.pem --tls-key k.pem
  curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:7741/v1/contexts`,
		Args: cobra.NoArgs,
	}
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
