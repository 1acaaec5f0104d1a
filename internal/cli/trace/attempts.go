package trace

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"

	"github.com/spf13/cobra"
)

func attemptsCommand(a *command.App) *cobra.Command {
	list := a.OnContext(nil, func(ctx context.Context, _ *cobra.Command, c *pact.Context, _ *pact.DB, _ []string) error {
		attempts, err := c.Attempts(ctx, math.MinInt64, math.MaxInt64)
		if err != nil {
			return err
		}
		if len(attempts) == 0 {
			a.FoundNothing("no call of a provider was recorded in %s; pact attempts start records one", view.Visible(c.Name()))
		}
		return printAttempts(a, attempts)
	})
	cmd, same := a.Command("attempts"), a.Command("attempts list")
	cmd.RunE, same.RunE = list, list
	cmd.AddCommand(same, attemptsStartCommand(a), attemptsEndCommand(a))
	return cmd
}

func printAttempts(a *command.App, list []history.Attempt) error {
	rows := make([][]string, len(list))
	for i, one := range list {
		if a.JSON {
			if err := a.PrintJSON(one); err != nil {
				return err
			}
			continue
		}
		took := ""
		if one.Status != history.Running {
			took = time.Duration(one.EndedNS - one.StartedNS).Round(time.Millisecond).String()
		}
		said := one.Error
		if a.OutTerminal {
			said = screen.ClipRight(said)
		}
		rows[i] = screen.Row(one.ID, string(one.Status), view.Time(one.StartedNS), took, one.Provider, one.Model,
			one.TokenIn, one.TokenOut, one.Thread[:12], said)
	}
	if !a.JSON && len(rows) > 0 {
		a.Table([]string{"attempt", "status", "started", ">took", "provider", "model", ">in", ">out", "thread", "error"}, rows)
	}
	return nil
}

func attemptsStartCommand(a *command.App) *cobra.Command {
	cmd := a.Command("attempts start")
	f := cmd.Flags()
	var call pact.ProviderCall
	f.StringVar(&call.Provider, "provider", "", "the provider `WHO` is called")
	f.StringVar(&call.Model, "model", "", "the `MODEL` that is called")
	params := f.String("params-file", "", "the parameters of the call, JSON in `FILE`; - is standard input")
	out := f.String("out", "", "write the thread to `FILE`; without it, only its SHA-256 is recorded")
	policy := a.PolicyFlags(cmd)
	prune := f.StringArray("prune", nil, "prune the node `ID`; may be repeated")
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		if call.Provider == "" || call.Model == "" {
			return command.Usage(cmd, "an attempt needs --provider and --model")
		}
		if *params != "" {
			in, err := a.Read(ctx, *params)
			if err != nil {
				return err
			}
			if call.Params, err = canon.Parse(in.Data); err != nil {
				return command.InFile(err, in.Name, in.Data)
			}
		}
		c, err := a.OpenToPrune(ctx, cmd, policy, args[0], "", false)
		if err != nil {
			return err
		}
		defer c.Store.Close()
		pruning := c.Pruning()
		pruning.IDs = *prune
		began, err := startAttempt(ctx, a, c.Context, call, *out, pruning)
		if err != nil {
			return err
		}
		return a.Answer(began.ID, began)
	})
	return cmd
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

func attemptsEndCommand(a *command.App) *cobra.Command {
	cmd := a.Command("attempts end")
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		return completeRunning(a, cmd, args, prefix)
	}
	f := cmd.Flags()
	status := f.String("status", "", "the `STATUS`: completed, canceled or error")
	in := f.Int64("token-in", 0, "`N` tokens went in; without the flag their number is unknown")
	out := f.Int64("token-out", 0, "`N` tokens came out; without the flag their number is unknown")
	said := f.String("error", "", "what went wrong, a `TEXT`")
	command.CompleteFlag(cmd, "status", []string{"completed", "canceled", "error"})
	cmd.RunE = a.OnContext(nil, func(ctx context.Context, cmd *cobra.Command, c *pact.Context, _ *pact.DB, rest []string) error {
		o := pact.Outcome{Status: history.AttemptStatus(*status)}
		switch o.Status {
		case history.Completed, history.Canceled, history.Failed:
		default:
			return command.Usage(cmd, "--status is completed, canceled or error")
		}
		if *said != "" {
			o.Err = errors.New(*said)
		}
		if f.Changed("token-in") {
			o.TokenIn = in
		}
		if f.Changed("token-out") {
			o.TokenOut = out
		}
		ended, err := c.EndAttempt(ctx, rest[0], o)
		if err != nil {
			return err
		}
		return a.Answer(ended.ID+" "+string(ended.Status), ended)
	})
	return cmd
}

// completeRunning completes the name of a context, then the ids of its running
// attempts.
func completeRunning(a *command.App, cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return a.CompleteNames(cmd, args, prefix)
	}
	c, s, err := a.OpenContext(cmd.Context(), args[0], "")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer s.Close()
	list, err := c.Attempts(cmd.Context(), math.MinInt64, math.MaxInt64)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var ids []string
	for _, one := range list {
		if one.Status == history.Running && strings.HasPrefix(one.ID, prefix) {
			ids = append(ids, one.ID)
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
