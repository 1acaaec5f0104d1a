package trace

import (
	"context"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/cli/command"
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
