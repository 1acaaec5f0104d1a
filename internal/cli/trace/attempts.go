package trace

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"

	"github.com/spf13/cobra"
)

// listAttempts lists the calls of a provider.
func listAttempts(ctx context.Context, a *command.App, c *pact.Context, span []string) error {
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if len(span) > 0 {
		var err error
		if from, to, err = cyclesOf(ctx, c, span); err != nil {
			return err
		}
	}
	attempts, err := c.Attempts(ctx, from, to)
	if err != nil {
		return err
	}
	if len(attempts) == 0 {
		a.FoundNothing("no call of a provider was recorded in %s; pact commit --start records one", view.Visible(c.Name()))
	}
	return printAttempts(a, attempts)
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

// endFlags say how an attempt ended.
type endFlags struct {
	id, status, said string
	in, out          int64
}

func newEndFlags(a *command.App, cmd *cobra.Command) *endFlags {
	e, f := &endFlags{}, cmd.Flags()
	f.StringVar(&e.id, "end", "", "record how the attempt `ID` ended, which pact commit --start began")
	f.StringVar(&e.status, "status", "", "with --end: the `STATUS` completed, canceled or error")
	f.Int64Var(&e.in, "token-in", 0, "with --end: `N` tokens went in; without the flag their number is unknown")
	f.Int64Var(&e.out, "token-out", 0, "with --end: `N` tokens came out; without the flag their number is unknown")
	f.StringVar(&e.said, "error", "", "with --end: what went wrong, a `TEXT`")
	command.OneOf(cmd, "status", []string{"completed", "canceled", "error"})
	_ = cmd.RegisterFlagCompletionFunc("end", func(cmd *cobra.Command, args []string, prefix string) ([]string,
		cobra.ShellCompDirective) {
		return completeRunning(a, cmd, args, prefix)
	})
	return e
}

// end records how the attempt ended.
func (e *endFlags) end(ctx context.Context, a *command.App, cmd *cobra.Command, c *pact.Context) error {
	o := pact.Outcome{Status: history.AttemptStatus(e.status)}
	switch o.Status {
	case history.Completed, history.Canceled, history.Failed:
	default:
		return command.Usage(cmd, "--end needs --status, which is completed, canceled or error")
	}
	if e.said != "" {
		o.Err = errors.New(e.said)
	}
	if cmd.Flags().Changed("token-in") {
		o.TokenIn = &e.in
	}
	if cmd.Flags().Changed("token-out") {
		o.TokenOut = &e.out
	}
	ended, err := c.EndAttempt(ctx, e.id, o)
	if err != nil {
		return err
	}
	return a.Answer(ended.ID+" "+string(ended.Status), ended)
}

// completeRunning completes the ids of the running attempts of a context.
func completeRunning(a *command.App, cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
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
