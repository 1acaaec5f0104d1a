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
		Long: `Serve the store to programs in any language, on loopback: docs/server.md lists the
operations, and /openapi.json describes them. Ctrl-C ends it once the requests that it
has are answered.

Other users of the machine can connect too, so a request needs the token in the printed
address: a browser that opens the address gets a cookie for it, a program sends the
header Authorization: Bearer TOKEN. Each run has another token. --no-token serves
everybody who can connect.`,
		Example: `  pact serve
  pact serve --addr 127.0.0.1:0 --db runs.db
  curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:7741/v1/contexts`,
		Args: cobra.NoArgs,
	}
	address := cmd.Flags().String("addr", "127.0.0.1:7741", "listen on this loopback `ADDRESS`; port 0 picks a free one")
	noToken := cmd.Flags().Bool("no-token", false, "serve everybody who can connect")
	logs := cmd.Flags().Bool("log", false, "write one line for each request to standard error, without names or contents")
	cmd.RunE = a.does(func(ctx context.Context, _ *cobra.Command, _ []string) error {
		o := server.Options{NoToken: *noToken, Actor: a.getenv("USER", ""), Counter: counterNamed}
		if *logs {
			o.Log = slog.New(slog.NewTextHandler(a.err, nil))
		}
		return a.serve(ctx, *address, o)
	})
	return cmd
}

// serve serves the store until ctx ends.
func (a *app) serve(ctx context.Context, address string, o server.Options) (err error) {
	listener, err := listenOnLoopback(address)
	if err != nil {
		return err
	}
	s, err := a.openStore(ctx)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	handler := server.New(s, o)
	h := &http.Server{Handler: handler, MaxHeaderBytes: server.MaxHeader, ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout: 2 * time.Minute, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	h.RegisterOnShutdown(handler.Close)
	served := make(chan error, 1)
	go func() { served <- h.Serve(listener) }()
	if err := a.printAddress("http://"+listener.Addr().String()+"/", handler.Token()); err != nil {
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

// printAddress prints the address to open, with the token in its fragment.
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

// listenOnLoopback listens on an address that no other machine can reach.
func listenOnLoopback(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	if err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fault.At(fault.DocumentInvalid, fault.NoOffset, address, "pact serves on loopback only",
			"give an address such as 127.0.0.1:7741; other machines need named tokens and TLS, which are not there yet")
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fault.Wrap(fault.Store, err, "the server cannot listen on "+address,
			"give another address with --addr, or one with port 0")
	}
	return listener, nil
}
