package cli

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/server"
	"github.com/contexttree/pact/tokens"
	"github.com/contexttree/pact/tree"
	"github.com/spf13/cobra"
)

func (a *app) serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the contexts of the store over HTTP",
		Long: `Serve the store to programs in any language: docs/server.md lists the operations, and
/openapi.json describes them. Ctrl-C ends it once the requests that it has are
answered.

It listens on loopback. Other users of the machine can connect too, so a request needs
the token in the printed address: a browser that opens the address gets a cookie for
it, a program sends the header Authorization: Bearer TOKEN. Each run has another
token. --no-token serves everybody who can connect.

To serve other machines, make named tokens with pact token, say with --host by which
names they call the server, and give --tls-cert and --tls-key, or --behind-proxy.`,
		Example: `  pact serve
  pact serve --addr 127.0.0.1:0 --db runs.db
  pact serve --addr :7741 --host pact.example --tls-cert c.pem --tls-key k.pem
  curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:7741/v1/contexts`,
		Args: cobra.NoArgs,
	}
	where := servingFlags(cmd)
	logs := cmd.Flags().Bool("log", false, "write one line for each request to standard error, without names or contents")
	cmd.RunE = a.does(func(ctx context.Context, _ *cobra.Command, _ []string) error {
		if err := where.check(); err != nil {
			return err
		}
		return a.serve(ctx, where, *logs)
	})
	return cmd
}

// serve serves the store until ctx ends.
func (a *app) serve(ctx context.Context, where *serving, logs bool) (err error) {
	s, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	o, err := where.options(ctx, s)
	if err != nil {
		return err
	}
	o.Actor, o.Counter = a.getenv("USER", ""), counterNamed
	if logs {
		o.Log = slog.New(slog.NewTextHandler(a.err, nil))
	}
	listener, err := where.listen()
	if err != nil {
		return err
	}
	return serveOn(ctx, listener, server.New(s, o), func(token string) error {
		return a.printAddress(where.scheme()+listener.Addr().String()+"/", token)
	})
}

// serveOn serves until ctx ends. It calls ready with the token once it accepts connections.
func serveOn(ctx context.Context, listener net.Listener, handler *server.Server, ready func(token string) error) error {
	h := &http.Server{Handler: handler, MaxHeaderBytes: server.MaxHeader, ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout: 2 * time.Minute, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	h.RegisterOnShutdown(handler.Close)
	served := make(chan error, 1)
	go func() { served <- h.Serve(listener) }()
	if err := ready(handler.Token()); err != nil {
		return errors.Join(err, h.Close())
	}
	select {
	case <-ctx.Done():
	case err := <-served:
		return fault.Wrap(fault.Store, err, "the server cannot accept connections", "start it again")
	}
	const patience = 10 * time.Second
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := h.Shutdown(end); errors.Is(err, context.DeadlineExceeded) {
		return h.Close()
	} else if err != nil {
		return err
	}
	return nil
}

// counterNamed returns the counter of tokens with a name, the default one for "".
func counterNamed(name string) (tree.Counter, error) {
	if name == "" {
		name = defaultTokenizer
	}
	return tokens.Named(name)
}

// printAddress prints the address to open, with the token of the run in its fragment.
func (a *app) printAddress(address, token string) error {
	if a.json {
		err := a.printJSON(struct {
			Address string `json:"address"`
			Token   string `json:"token,omitempty"`
		}{address, token})
		return errors.Join(err, a.out.flush())
	}
	if token != "" {
		address += "#token=" + token
	}
	a.printf("%s\n", address)
	return a.out.flush()
}
