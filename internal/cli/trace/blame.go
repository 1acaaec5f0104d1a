package trace

import (
	"context"
	"fmt"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
)

// blame is the answer of pact life NAME --json.
type blame struct {
	Cycle  int64           `json:"cycle"`
	Blocks []inspect.Blame `json:"blocks"`
}

// blameThread says of each block of a thread which cycle brought it.
func blameThread(ctx context.Context, a *command.App, s *command.Source, address []string) error {
	snapshot, err := s.Argument(ctx, address)
	if err != nil {
		return err
	}
	c, err := s.History(ctx)
	if err != nil {
		return err
	}
	at := pact.Latest()
	if len(address) > 0 {
		if at, err = command.ParseAddress(address[0], s.Edition()); err != nil {
			return err
		}
	}
	list, err := c.Blame(ctx, at)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(blame{snapshot.Cycle(), list})
	}
	return drawBlame(ctx, a, snapshot, list)
}

func drawBlame(ctx context.Context, a *command.App, in *pact.Snapshot, list []inspect.Blame) error {
	rows := make([][]string, len(list))
	for i, b := range list {
		cycle, by := view.Cycle(b.Cycle), b.By
		if b.Version != nil {
			cycle, by = cycle+"/@c"+strconv.FormatInt(b.Version.Cycle, 10), b.Version.By
		}
		node, err := tree.Of(in).Node(b.ID)
		if err != nil {
			return err
		}
		content, err := node.Content.Value(ctx)
		if err != nil {
			return err
		}
		rows[i] = screen.Row(cycle, screen.Painted(view.Author(by)), fmt.Sprintf("%d–%d", b.Range.Start, b.Range.End), b.ID,
			screen.Painted(a.Paint.Name(view.Visible(b.Role))), b.Kind, view.FirstWords("", content, 40))
	}
	a.Table([]string{"cycle", "by", ">bytes", "block", "role", "kind", "content"}, rows)
	return nil
}
