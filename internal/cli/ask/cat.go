package ask

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/spf13/cobra"
)

func catCommand(a *command.App) *cobra.Command {
	cmd := a.Command("cat")
	cmd.Args = cobra.ArbitraryArgs
	flags := a.SourceFlags(cmd)
	original := cmd.Flags().Bool("original", false, "print the contents as they were before a rule shortened them")
	raw := cmd.Flags().Bool("raw", false, "print the bytes of one content and nothing else")
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		s, rest, err := a.Source(ctx, cmd, flags, args)
		if err != nil {
			return err
		}
		defer s.Close()
		address := ""
		if len(rest) > 0 && (strings.HasPrefix(rest[0], "@") || rest[0] == "working") {
			address, rest = rest[0], rest[1:]
		}
		if len(rest) == 0 {
			return command.Usage(cmd, "cat needs the ID of a node: pact show or pact select lists them")
		}
		if *raw && len(rest) > 1 {
			return command.Usage(cmd, "--raw prints one content; %d given", len(rest))
		}
		var list []pact.Hit
		for _, id := range rest {
			snapshot, err := s.Having(ctx, address, id)
			if err != nil {
				return err
			}
			n, err := snapshot.Node(id)
			if err != nil {
				return err
			}
			list = append(list, pact.Hit{Snapshot: snapshot, Node: n})
			if n.Kind != toolcall.Call || *raw {
				continue
			}
			partners, err := toolcall.Partners(tree.Of(snapshot), tree.NodeOf(n))
			if err != nil {
				return err
			}
			for _, p := range partners {
				result, err := snapshot.Node(p.ID)
				if err != nil {
					return err
				}
				list = append(list, pact.Hit{Snapshot: snapshot, Node: result})
			}
		}
		return printContents(ctx, a, list, *raw, *original)
	})
	return cmd
}

// catLine is a line of pact cat --json.
type catLine struct {
	ID      string          `json:"id"`
	Cycle   int64           `json:"cycle"` // of the snapshot
	Role    string          `json:"role,omitempty"`
	Kind    string          `json:"kind,omitempty"`
	Content json.RawMessage `json:"content"`
}

func printContents(ctx context.Context, a *command.App, list []pact.Hit, raw, original bool) error {
	for i, h := range list {
		kept, err := h.Node.JSON(ctx)
		if err != nil {
			return err
		}
		if before := h.Node.Original(); original && before != nil {
			kept = before
		}
		switch {
		case raw:
			text := string(kept)
			if len(kept) > 0 && canon.Value(kept).Kind() == canon.KindString {
				text, _ = canon.Value(kept).Text()
			}
			a.Printf("%s", text)
			continue
		case a.JSON:
			if kept == nil {
				kept = []byte("null")
			}
			line := catLine{h.Node.ID, h.Snapshot.Cycle(), h.Node.Role, h.Node.Kind, kept}
			if err := a.PrintJSON(line); err != nil {
				return err
			}
			continue
		}
		if len(list) > 1 {
			if i > 0 {
				a.Printf("\n")
			}
			a.Printf("%s\n", a.Paint.Strong("── "+strings.Join(screen.Cells(view.Words(h.Node.ID, h.Node.Role, h.Node.Kind)...), "  ")))
		}
		a.PrintText(view.Whole(h.Node.Kind, canon.Value(kept)))
	}
	return nil
}
