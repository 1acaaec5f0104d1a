package command

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/server"
	"github.com/contexttree/pact/tokens"
)

// ServeOn serves until ctx ends. It calls ready with the token once it accepts connections.
func ServeOn(ctx context.Context, listener net.Listener, handler *server.Server, ready func(token string) error) error {
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

// CounterNamed returns the counter of tokens with a name, the default one for "".
func CounterNamed(name string) (pact.Counter, error) {
	return tokens.Named(cmp.Or(name, DefaultTokenizer))
}

// PrintAddress prints the address to open, with the token of the run in its fragment.
func (a *App) PrintAddress(address, token string) error {
	if a.JSON {
		err := a.PrintJSON(struct {
			Address string `json:"address"`
			Token   string `json:"token,omitempty"`
		}{address, token})
		return errors.Join(err, a.Out.Flush())
	}
	if token != "" {
		address += "#token=" + token
	}
	a.Printf("%s\n", address)
	return a.Out.Flush()
}
