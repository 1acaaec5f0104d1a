package follow

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/spf13/cobra"
)

func requestCommand(a *command.App) *cobra.Command {
	cmd := a.Command("request")
	broken := cmd.Flags().Bool("broken", false, "print the parts that arrived of broken answers")
	asked := cmd.Flags().Bool("asked", false, "print what the agent asked for, where a policy changed it")
	attempt := cmd.Flags().String("attempt", "", "the attempt `N` of the cycle, from 1, or all")
	cmd.MarkFlagsMutuallyExclusive("broken", "attempt")
	cmd.MarkFlagsMutuallyExclusive("broken", "asked")
	ended := newEndFlags(a, cmd)
	flags := a.SourceFlags(cmd)
	cmd.RunE = a.Asks(flags, func(ctx context.Context, s *command.Source, rest []string) error {
		c, err := s.History(ctx)
		if err != nil {
			return err
		}
		if ended.id != "" {
			return ended.end(ctx, a, cmd, c)
		}
		number, err := strconv.ParseInt(*attempt, 10, 64)
		switch {
		case *attempt == "all" && !a.JSON:
			return command.Usage(cmd, "--attempt all prints several bodies, which only --json keeps apart; add --json")
		case *attempt != "" && *attempt != "all" && (err != nil || number < 1):
			return command.Usage(cmd, "--attempt takes a number from 1, or all; pact log %s --attempts lists those of each cycle", a.Subject)
		}
		snapshot, err := s.Argument(ctx, rest)
		if len(rest) == 0 && fault.CodeOf(err) == fault.SnapshotNotFound { // no call was answered yet
			snapshot, err = c.Working(), nil
		}
		if err != nil {
			return err
		}
		if *broken {
			return printBroken(ctx, a, c, snapshot.Cycle())
		}
		if *attempt == "all" {
			return printRequests(ctx, a, c, snapshot.Cycle())
		}
		body, err := record.Request(ctx, c, snapshot.Cycle(), number) // 0 without a number
		if err == nil && *asked {
			body, err = record.Asked(ctx, s.Store, body)
		}
		if err != nil {
			return err
		}
		if a.JSON {
			facts, err := requestFacts(ctx, c, body)
			if err != nil {
				return err
			}
			return a.PrintJSON(facts)
		}
		noteRedacted(a, body)
		_, err = a.Out.Write(body.Bytes)
		return err
	})
	return cmd
}

// requestFacts returns what --json prints of a body.
func requestFacts(ctx context.Context, c *pact.Context, body *record.Body) (map[string]any, error) {
	seen, err := record.SeenByModel(ctx, c, body.Attempt)
	if err != nil {
		return nil, err
	}
	facts := map[string]any{"attempt": body.Attempt.ID, "status": body.Attempt.Status, "path": body.Path,
		"sha256": body.SHA256, "bytes": len(body.Bytes), "body": string(body.Bytes), "seen": seen}
	if shaped, cleared, saved, would := body.WasManaged(); shaped+cleared > 0 {
		facts["managed"] = map[string]any{"shaped": shaped, "cleared": cleared, "saved": saved, "would": would}
	}
	if body.Redacted > 0 {
		facts["redacted"] = body.Redacted
	}
	if body.Encoding != "" {
		facts["encoding"] = body.Encoding
	}
	return facts, nil
}

// printRequests prints what each attempt of a cycle sent.
func printRequests(ctx context.Context, a *command.App, c *pact.Context, cycle int64) error {
	attempts, err := c.Attempts(ctx, cycle, cycle)
	if err != nil {
		return err
	}
	if len(attempts) == 0 {
		_, err := record.Request(ctx, c, cycle, 0)
		return err
	}
	for _, one := range attempts {
		_, number, _, _ := history.ParseAttemptID(one.ID)
		facts := map[string]any{"attempt": one.ID, "status": one.Status}
		body, err := record.Request(ctx, c, cycle, number)
		switch fault.CodeOf(err) {
		case "":
			facts, err = requestFacts(ctx, c, body)
		case fault.AttemptNotFound, fault.Conflict:
			facts["problem"], err = err.Error(), nil
		}
		if err == nil {
			err = a.PrintJSON(facts)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// noteRedacted says that a body lacks values of the request that was sent.
func noteRedacted(a *command.App, body *record.Body) {
	if body.Redacted > 0 {
		a.Reportf("pact: %s redacted before this was recorded", view.Plural(body.Redacted, "value"))
	}
}

// printBroken prints the parts that arrived of a cycle's broken answers.
func printBroken(ctx context.Context, a *command.App, c *pact.Context, cycle int64) error {
	list, err := record.BrokenAnswers(ctx, c, cycle)
	if err != nil {
		return err
	}
	for _, b := range list {
		facts := map[string]any{"attempt": b.Attempt.ID, "content": b.Content}
		if b.About != nil {
			facts["about"] = b.About
		}
		if err := a.PrintJSON(facts); err != nil {
			return err
		}
	}
	return nil
}

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
		a.FoundNothing("no call of a provider was recorded in %s; pact commit --start records one", view.Visible(c.Info().Name))
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
	if !a.JSON {
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
	o := pact.Outcome{ID: e.id, Status: history.AttemptStatus(e.status)}
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
	ended, err := c.EndAttempt(ctx, o)
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
	c, s, err := a.LookAt(cmd.Context(), args[0], pact.OpenOptions{})
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
