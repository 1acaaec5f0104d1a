package edit

import (
	"context"
	"errors"
	"io"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
	"github.com/spf13/cobra"
)

// committed is the answer of pact commit --json.
type committed struct {
	Cycle  int64             `json:"cycle"`
	Digest string            `json:"digest,omitempty"` // "" of a dry run, whose stamps are others than the commit's
	Blocks int               `json:"blocks"`
	Bytes  int64             `json:"bytes"`
	DryRun bool              `json:"dry_run,omitempty"`
	Report *lifecycle.Report `json:"report,omitempty"`
	*planned
}

// commitFlags say what a commit prunes and publishes.
type commitFlags struct {
	note                    *pact.Note
	prune, selected, retain []string
	dryRun, limited         bool
	send, prices, model     string
	starts                  bool
	provider, params        string
	policy                  *command.PolicyFlags
	writing
}

func newCommitFlags(a *command.App, cmd *cobra.Command) *commitFlags {
	c, f := &commitFlags{policy: a.PolicyFlags(cmd), writing: writingFlags(a, cmd), note: noteFlags(cmd)}, cmd.Flags()
	f.StringArrayVar(&c.prune, "prune", nil, "prune the node `ID`; may be repeated")
	f.StringArrayVar(&c.selected, "select", nil, "prune what `SELECTOR` selects in the working state; may be repeated")
	f.StringArrayVar(&c.retain, "retain", nil, "keep the node `ID` from expiring and being pruned this time; may be repeated")
	f.BoolVar(&c.dryRun, "dry-run", false, "publish nothing: say what would be lost, and what that costs the cache")
	f.BoolVar(&c.limited, "limited", false, "refuse to commit if nothing says what to prune, as pact prune did")
	_ = f.MarkHidden("limited")
	f.StringVar(&c.prices, "prices", "", "with --dry-run: say what the lost cache costs, by the list of prices in `FILE`")
	f.StringVar(&c.send, "send", "", "write the thread to `FILE` first, and record the SHA-256 of its bytes")
	f.BoolVar(&c.starts, "start", false, "publish nothing yet: record that a provider is being called with the thread")
	f.StringVar(&c.provider, "provider", "", "with --start: the provider `WHO` is called")
	f.StringVar(&c.model, "model", "", "the `MODEL`: with --start the one that is called, with --prices the one of the price")
	f.StringVar(&c.params, "params-file", "", "with --start: the parameters of the call, JSON in `FILE`; - is standard input")
	for _, pair := range [][]string{{"rebase", "send"}, {"send", "dry-run"}, {"send", "request"}, {"start", "dry-run"},
		{"start", "request"}} {
		cmd.MarkFlagsMutuallyExclusive(pair...)
	}
	return c
}

func commitCommand(a *command.App) *cobra.Command {
	cmd := a.Command("commit")
	f := newCommitFlags(a, cmd)
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		c, s, err := a.OpenContext(ctx, args[0], *f.actor)
		if err != nil {
			return err
		}
		defer s.Close()
		policy, counter, err := f.policy.OfContext(ctx, a, cmd, c)
		if err == nil && counter == nil && f.dryRun { // it says how many tokens would go
			counter, err = command.CounterNamed("")
		}
		if err == nil && counter != nil { // the policy names it
			c, err = pact.Open(ctx, s, c.Info().Name, &pact.OpenOptions{Actor: *f.actor, Counter: counter})
		}
		if err != nil {
			return err
		}
		for _, text := range f.selected {
			if _, err := selector.Parse(text, c.Info().Edition); err != nil {
				return command.InSelector(err, text, c.Working())
			}
		}
		release, err := c.Retain(f.retain...)
		if err != nil {
			return err
		}
		defer release()
		pruning := &pact.Pruning{IDs: f.prune, Select: f.selected, Policy: policy, WithoutKept: true}
		switch limitless := !f.policy.Prunes(&policy); {
		case limitless && f.limited && len(f.prune) == 0 && len(f.selected) == 0:
			return command.Usage(cmd, "nothing says what to prune: IDs, --select, a limit such as --max-tokens 20000, or a policy with "+
				"limits that the context keeps")
		case limitless && policy.Ranks != nil:
			a.Warnf("the policy says what goes first, not how much may stay: add a limit such as --max-tokens 20000")
		}
		switch {
		case f.starts:
			return f.start(ctx, a, cmd, c, pruning)
		case f.dryRun:
			return f.plan(ctx, a, c, counter, pruning)
		}
		return f.publish(ctx, a, c, pruning)
	})
	return cmd
}

// publish commits, after it wrote the thread if it shall, and reports what became of the nodes.
func (f *commitFlags) publish(ctx context.Context, a *command.App, c *pact.Context, pruning *pact.Pruning) error {
	task, err := commit.Task(ctx, tree.Of(c.Working()))
	if err != nil {
		return err
	}
	options := pact.CommitOptions{Note: *f.note}
	if f.send == "" {
		options.Pruning = pruning
	} else if err := a.ReplaceFile(f.send, func(w io.Writer) error {
		_, err := c.Send(ctx, w, pruning)
		return err
	}); err != nil {
		return err
	}
	snapshot, err := c.Commit(ctx, &options)
	if snapshot, err = rebased(ctx, *f.rebase, snapshot, err); err != nil {
		return err
	}
	if task != nil && removes(snapshot.Report, task.ID) {
		a.Warnf("the first message of the user went: %s", view.Visible(task.ID))
	}
	blocks, bytes := snapshot.ThreadSize()
	if a.JSON {
		return a.PrintJSON(committed{Cycle: snapshot.Cycle(), Digest: snapshot.Digest(), Blocks: blocks, Bytes: bytes,
			Report: snapshot.Report})
	}
	a.Printf("committed %s\n", a.Paint.Strong(view.Cycle(snapshot.Cycle())))
	a.Printf("  digest  %s\n", snapshot.Digest())
	a.Printf("  thread  %s, %s\n", view.Plural(blocks, "block"), view.Size(bytes))
	drawReport(a, snapshot.Report)
	return nil
}

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
		_, unended := c.EndAttempt(context.WithoutCancel(ctx), pact.Outcome{ID: began.ID, Status: history.Failed, Err: err})
		err = errors.Join(err, unended)
	}
	return began, err
}
