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
	cmd := a.Command("commit")
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
