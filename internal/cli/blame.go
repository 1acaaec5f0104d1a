package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/wording"
	"github.com/spf13/cobra"
)

// blame is the answer of pact blame --json.
type blame struct {
	Cycle  int64           `json:"cycle"`
	Blocks []inspect.Blame `json:"blocks"`
}

func (a *app) blameCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "blame NAME [@t] | blame --file FILE [@t]",
		Short: "Say which cycle brought each block of a thread",
		Long: `List the blocks of a thread in the order in which the model is sent them, by
default those of the latest snapshot: the cycle that added each block and who did,
its bytes in the canonical thread and, after a /, the cycle of its current version if
the block was changed in place since.`,
		Example: `  pact blame chat
  pact blame chat @t-3
  pact blame chat working --json | jq '.blocks[] | select(.version)'`,
	}
	flags := a.sourceFlags(cmd)
	cmd.RunE = a.asks(flags, []string{"[@t]"}, func(ctx context.Context, s *source, rest []string) error {
		snapshot, err := s.argument(ctx, rest)
		if err != nil {
			return err
		}
		c, err := s.history(ctx)
		if err != nil {
			return err
		}
		address := pact.Latest
		if len(rest) > 0 {
			if address, err = parseAddress(rest[0]); err != nil {
				return err
			}
		}
		list, err := c.Blame(ctx, address)
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(blame{snapshot.Cycle(), list})
		}
		return a.drawBlame(ctx, snapshot, list)
	})
	return cmd
}

func (a *app) drawBlame(ctx context.Context, in *pact.Snapshot, list []inspect.Blame) error {
	rows := make([][]string, len(list))
	for i, b := range list {
		cycle, by := "@c"+strconv.FormatInt(b.Cycle, 10), b.By
		if b.Version != nil {
			cycle, by = cycle+"/@c"+strconv.FormatInt(b.Version.Cycle, 10), b.Version.By
		}
		content, err := in.Tree().Node(b.ID).Content.Value(ctx)
		if err != nil {
			return err
		}
		rows[i] = []string{cycle, wording.Author(by), fmt.Sprintf("%d–%d", b.Range.Start, b.Range.End), visible(b.ID),
			a.paint.name(visible(b.Role)), visible(b.Kind), excerpt(canon.Value(content), 40)}
	}
	a.table([]string{"cycle", "by", "bytes", "block", "role", "kind", "content"}, rows, "llrllll")
	return nil
}
