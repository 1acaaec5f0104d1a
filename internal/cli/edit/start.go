package edit

import (
	"context"
	"errors"
	"io"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/spf13/cobra"
)

// start records that a provider is being called with what a commit would publish, and writes that thread.
func (f *commitFlags) start(ctx context.Context, a *command.App, cmd *cobra.Command, c *pact.Context, pruning *pact.Pruning) error {
	call := pact.ProviderCall{Provider: f.provider, Model: f.model}
	if call.Provider == "" || call.Model == "" {
		return command.Usage(cmd, "--start needs --provider and --model")
	}
	if f.params != "" {
		in, err := a.Read(ctx, f.params)
		if err != nil {
			return err
		}
		if call.Params, err = canon.Parse(in.Data); err != nil {
			return command.InFile(err, in.Name, in.Data)
		}
	}
	began, err := startAttempt(ctx, a, c, call, f.send, pruning)
	if err != nil {
		return err
	}
	return a.Answer(began.ID, began)
}

// startAttempt starts an attempt and writes its thread to a file, "" for none.
// If the file cannot be put in place, startAttempt ends the attempt.
func startAttempt(ctx context.Context, a *command.App, c *pact.Context, call pact.ProviderCall, out string,
	pruning *pact.Pruning) (began *history.Attempt, err error) {
	if out == "" {
		return c.StartAttempt(ctx, call, io.Discard, pruning)
	}
	err = a.ReplaceFile(out, func(w io.Writer) error {
		began, err = c.StartAttempt(ctx, call, w, pruning)
		return err
	})
	if err != nil && began != nil {
		_, unended := c.EndAttempt(context.WithoutCancel(ctx), began.ID, pact.Outcome{Status: history.Failed, Err: err})
		err = errors.Join(err, unended)
	}
	return began, err
}
