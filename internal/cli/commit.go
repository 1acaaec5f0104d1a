package cli

import (
	"context"
	"io"
	"strconv"

	"github.com/contexttree/pact"
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

func (a *app) commitCommand() *cobra.Command {
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
		Args:              exactly("NAME"),
		ValidArgsFunction: a.completeNames,
	}
	f := cmd.Flags()
	message := f.StringP("message", "m", "", "why, a `TEXT` for the log")
	request := f.String("request", "", "a `TOKEN`: repeating the command with it does nothing more")
	policy := a.policyFlags(cmd)
	prune := f.StringArray("prune", nil, "prune the node `ID`; may be repeated")
	retain := f.StringArray("retain", nil, "keep the node `ID` from expiring and being pruned this time; may be repeated")
	dryRun := f.Bool("dry-run", false, "publish nothing")
	send := f.String("send", "", "write the thread to `FILE` first, and record the SHA-256 of its bytes")
	w := a.writingFlags(cmd)
	cmd.MarkFlagsMutuallyExclusive("rebase", "send")
	cmd.RunE = a.does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		if *send != "" && (*dryRun || *request != "") {
			return usage(cmd, "--send cannot be combined with --dry-run or --request")
		}
		c, err := a.openToPrune(ctx, cmd, policy, args[0], *w.actor, false)
		if err != nil {
			return err
		}
		defer c.store.Close()
		release, err := c.Retain(*retain...)
		if err != nil {
			return err
		}
		defer release()
		pruning := c.pruning()
		pruning.IDs = *prune
		options := pact.CommitOptions{Note: pact.Note{Message: *message, Request: *request}}
		if *send == "" {
			options.Pruning = pruning
		} else if err := a.replaceFile(*send, func(w io.Writer) error {
			_, err := c.Send(ctx, w, pruning)
			return err
		}); err != nil {
			return err
		}
		var snapshot *pact.Snapshot
		if *dryRun {
			snapshot, err = c.Prepare(ctx, pruning)
		} else {
			snapshot, err = c.Commit(ctx, &options)
			snapshot, err = rebased(ctx, *w.rebase, snapshot, err)
		}
		if err != nil {
			return err
		}
		return a.reportCommit(snapshot, *dryRun)
	})
	return cmd
}

func (a *app) reportCommit(s *pact.Snapshot, dryRun bool) error {
	blocks, bytes := s.ThreadSize()
	if a.json {
		return a.printJSON(committed{s.Cycle(), s.Digest(), blocks, bytes, dryRun, s.Report})
	}
	what := "committed "
	if dryRun {
		what = "would commit "
	}
	a.printf("%s%s\n", what, a.paint.strong("@c"+strconv.FormatInt(s.Cycle(), 10)))
	a.printf("  digest  %s\n", s.Digest())
	a.printf("  thread  %s, %s\n", plural(blocks, "block"), bytesText(bytes))
	if s.Report == nil {
		return nil
	}
	a.drawReport(s.Report)
	return nil
}
