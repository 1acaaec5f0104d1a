package edit

import (
	"context"
	"io"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/lifecycle"
	"github.com/spf13/cobra"
)

// committed is the answer of pact commit --json.
type committed struct {
	Cycle  int64             `json:"cycle"`
	Digest string            `json:"digest"`
	Blocks int               `json:"blocks"`
	Bytes  int64             `json:"bytes"`
	DryRun bool              `json:"dry_run,omitempty"`
	Report *lifecycle.Report `json:"report,omitempty"`
}

func commitCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "commit NAME",
		Short: "End the cycle: expire, prune, seal, publish a snapshot",
		Long: `End the cycle: remove what expired, prune what the limits ask for, make the active
head a turn, and publish the result as the next snapshot. A commit that would send a
call without its result, or the reverse, is refused unless --orphans says otherwise.
A policy that the context keeps (pact policy) applies if --policy names no other; flags
for limits override it, and --policy strict leaves it aside.

With --dry-run nothing is published: the answer says what a commit would do. With
--send the thread is written first, without a newline, and the commit records the
SHA-256 of exactly these bytes; pact verify checks the snapshot against it.`,
		Example: `  pact commit chat --message 'first question'
  pact commit chat --max-nodes 200 --protect-turns 3 --dry-run
  pact commit chat --prune block:2-0 --request 7f3a
  pact commit chat --send thread.json`,
		Args:              command.Exactly("NAME"),
		ValidArgsFunction: a.CompleteNames,
	}
	f := cmd.Flags()
	message := f.StringP("message", "m", "", "why, a `TEXT` for the log")
	request := f.String("request", "", "a `TOKEN`: repeating the command with it does nothing more")
	policy := a.PolicyFlags(cmd)
	prune := f.StringArray("prune", nil, "prune the node `ID`; may be repeated")
	retain := f.StringArray("retain", nil, "keep the node `ID` from expiring and being pruned this time; may be repeated")
	dryRun := f.Bool("dry-run", false, "publish nothing")
	send := f.String("send", "", "write the thread to `FILE` first, and record the SHA-256 of its bytes")
	w := writingFlags(a, cmd)
	cmd.MarkFlagsMutuallyExclusive("rebase", "send")
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		if *send != "" && (*dryRun || *request != "") {
			return command.Usage(cmd, "--send cannot be combined with --dry-run or --request")
		}
		c, err := a.OpenToPrune(ctx, cmd, policy, args[0], *w.actor, false)
		if err != nil {
			return err
		}
		defer c.Store.Close()
		release, err := c.Retain(*retain...)
		if err != nil {
			return err
		}
		defer release()
		pruning := c.Pruning()
		pruning.IDs = *prune
		options := pact.CommitOptions{Note: pact.Note{Message: *message, Request: *request}}
		if *send == "" {
			options.Pruning = pruning
		} else if err := a.ReplaceFile(*send, func(w io.Writer) error {
			_, err := c.Send(ctx, w, pruning)
			return err
		}); err != nil {
			return err
		}
		var snapshot *pact.Sealed
		if *dryRun {
			snapshot, err = c.Prepare(ctx, pruning)
		} else {
			snapshot, err = c.Commit(ctx, &options)
			snapshot, err = rebased(ctx, *w.rebase, snapshot, err)
		}
		if err != nil {
			return err
		}
		return reportCommit(a, snapshot, *dryRun)
	})
	return cmd
}

func reportCommit(a *command.App, s *pact.Sealed, dryRun bool) error {
	blocks, bytes := s.ThreadSize()
	if a.JSON {
		return a.PrintJSON(committed{s.Cycle(), s.Digest(), blocks, bytes, dryRun, s.Report})
	}
	what := "committed "
	if dryRun {
		what = "would commit "
	}
	a.Printf("%s%s\n", what, a.Paint.Strong("@c"+strconv.FormatInt(s.Cycle(), 10)))
	a.Printf("  digest  %s\n", s.Digest())
	a.Printf("  thread  %s, %s\n", view.Plural(blocks, "block"), view.Size(bytes))
	drawReport(a, s.Report)
	return nil
}
