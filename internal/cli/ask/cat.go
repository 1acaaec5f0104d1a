package ask

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/spf13/cobra"
)

func catCommand(a *command.App) *cobra.Command {
	cmd := a.Command("cat")
	cmd.Args = cobra.ArbitraryArgs
	flags := a.SourceFlags(cmd)
	original := cmd.Flags().Bool("original", false, "print the contents as they were before a rule shortened them")
	raw := cmd.Flags().Bool("raw", false, "print the bytes of one content and nothing else")
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		if len(args) == 1 && flags.File == "" && !strings.HasPrefix(args[0], "@") {
			return catWhole(ctx, a, cmd, args[0], *raw)
		}
		s, rest, err := a.Source(ctx, cmd, flags, args)
		if err != nil {
			return err
		}
		defer s.Close()
		address := ""
		if len(rest) > 0 && view.IsAddress(rest[0]) {
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
			if fault.CodeOf(err) == fault.NodeNotFound && s.Context != nil && address == "" { // a note may name it
				if hit, found := wholeHit(record.FindWhole(ctx, s.Store, s.Context.Name(), nil, id)); found {
					list = append(list, hit)
					continue
				}
			}
			if err != nil {
				return err
			}
			if *original && n.Kind == toolcall.Result && n.Original() == nil && s.Context != nil {
				if hit, found := wholeHit(record.WholeOf(ctx, s.Store, s.Context.Name(), n)); found {
					snapshot, n = hit.Snapshot, hit.Node
				}
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

// wholeHit returns the block with a whole text, if it was found.
func wholeHit(c *pact.Context, id string, err error) (pact.Hit, bool) {
	if err != nil {
		return pact.Hit{}, false
	}
	n, err := c.Working().Node(id)
	return pact.Hit{Snapshot: c.Working(), Node: n}, err == nil
}

// catWhole prints the text that a note names, without the name of a context.
func catWhole(ctx context.Context, a *command.App, cmd *cobra.Command, id string, raw bool) error {
	s, err := a.OpenStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.Find(ctx, id); err == nil {
		return command.Usage(cmd, "cat needs the ID of a node: pact show or pact select lists them")
	}
	c, id, err := record.FindWhole(ctx, s, "", nil, id)
	if err != nil {
		return err
	}
	n, err := c.Working().Node(id)
	if err != nil {
		return err
	}
	return printContents(ctx, a, []pact.Hit{{Snapshot: c.Working(), Node: n}}, raw, true)
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
