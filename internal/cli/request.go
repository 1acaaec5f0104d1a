package cli

import (
	"context"
	"fmt"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/record"
	"github.com/spf13/cobra"
)

func (a *app) requestCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "request NAME [ADDRESS]",
		Short: "Print the body of a recorded call, byte for byte",
		Long: `Print the body that a recorded call sent: the call of @t0 or of the address. The word
working means the call that has no answer yet or failed. pact rebuilds the body from
the snapshot and the attempt, and checks that its SHA-256 is the recorded one. If a
cycle has several attempts, the last recorded one counts.

With --json print an object: attempt, path, sha256, bytes, body as a string, and seen,
which says whether the model saw exactly this, and lists what the provider said it
changed; redacted if values were removed before the recording; encoding if the client
compressed the body, which is printed uncompressed.

With --broken print the parts that arrived of answers that broke off, a JSON object a
line: attempt, content, and about, what the provider had reported by then.`,
		Example: "  pact request chat @c12\n  pact request chat | jq .model\n  pact request chat @c12 --broken",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usage(cmd, "pact request takes NAME [ADDRESS]")
			}
			return nil
		},
		ValidArgsFunction: a.completeNames,
	}
	broken := cmd.Flags().Bool("broken", false, "print the parts that arrived of broken answers")
	cmd.RunE = a.does(func(ctx context.Context, _ *cobra.Command, args []string) error {
		at := pact.Back(0)
		working := len(args) > 1 && args[1] == "working"
		if len(args) > 1 && !working {
			var err error
			if at, err = pact.ParseAddress(args[1]); err != nil {
				return err
			}
		}
		c, s, err := a.openContext(ctx, args[0], "", nil)
		if err != nil {
			return err
		}
		defer s.Close()
		snapshot := c.Working()
		if !working {
			if snapshot, err = c.At(ctx, at); err != nil {
				return err
			}
		}
		if *broken {
			return a.printBroken(ctx, c, snapshot.Cycle())
		}
		body, err := record.Request(ctx, c, snapshot.Cycle())
		if err != nil {
			return err
		}
		if a.json {
			seen, err := record.Sight(ctx, c, snapshot.Cycle())
			if err != nil {
				return err
			}
			facts := map[string]any{"attempt": body.Attempt.ID, "path": body.Path, "sha256": body.SHA256,
				"bytes": len(body.Bytes), "body": string(body.Bytes), "seen": seen}
			if body.Redacted > 0 {
				facts["redacted"] = body.Redacted
			}
			if body.Encoding != "" {
				facts["encoding"] = body.Encoding
			}
			return a.printJSON(facts)
		}
		a.noteRedacted(body)
		_, err = a.out.Write(body.Bytes)
		return err
	})
	return cmd
}

// noteRedacted says that a body lacks values of the request that was sent.
func (a *app) noteRedacted(body *record.Body) {
	if body.Redacted > 0 {
		fmt.Fprintf(a.err, "pact: %s redacted before this was recorded\n", number(body.Redacted, "value"))
	}
}

// printBroken prints the parts that arrived of a cycle's broken answers.
func (a *app) printBroken(ctx context.Context, c *pact.Context, cycle int64) error {
	list, err := record.BrokenAnswers(ctx, c, cycle)
	if err != nil {
		return err
	}
	for _, b := range list {
		facts := map[string]any{"attempt": b.Attempt.ID, "content": b.Content}
		if b.About != nil {
			facts["about"] = b.About
		}
		if err := a.printJSON(facts); err != nil {
			return err
		}
	}
	return nil
}
