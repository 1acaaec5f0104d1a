package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/wording"
	"github.com/spf13/cobra"
)

func (a *app) catCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cat NAME [@t] ID… | cat --file FILE [@t] ID…",
		Short: "Print what is in a block",
		Long: `Print the contents of nodes: a text as it is, also one that an API writes as a list
of parts, and anything else as indented JSON. A call of a tool is followed by its results. If it prints more than one content, a line with
the id, role and kind precedes each.

Without an address this is the content as the working state has it or, for a node that
is gone, as the last snapshot had it. Arguments of a call that its API writes as the text
of JSON are shown as JSON. --raw prints the bytes of one content and nothing
else: no line end, and JSON as it is stored. --json prints one object a line.`,
		Example: `  pact cat chat block:3-0
  pact cat chat @c2 block:1-0 block:2-1
  pact cat chat block:4-1 --raw > result.txt
  pact cat --file run.traj block:2-0`,
	}
	flags := a.sourceFlags(cmd)
	raw := cmd.Flags().Bool("raw", false, "print the bytes of one content and nothing else")
	cmd.RunE = a.does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		s, rest, err := a.source(ctx, cmd, flags, args)
		if err != nil {
			return err
		}
		defer s.close()
		address := ""
		if len(rest) > 0 && (strings.HasPrefix(rest[0], "@") || rest[0] == "working") {
			address, rest = rest[0], rest[1:]
		}
		if len(rest) == 0 {
			return usage(cmd, "cat needs the ID of a node: pact show or pact select lists them")
		}
		if *raw && len(rest) > 1 {
			return usage(cmd, "--raw prints one content; %d given", len(rest))
		}
		var list []pact.Hit
		for _, id := range rest {
			snapshot, err := s.having(ctx, address, id)
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
			for _, p := range toolcall.Partners(snapshot.Tree(), snapshot.Tree().Node(n.ID)) {
				result, err := snapshot.Node(p.ID)
				if err != nil {
					return err
				}
				list = append(list, pact.Hit{Snapshot: snapshot, Node: result})
			}
		}
		return a.printContents(ctx, list, *raw)
	})
	return cmd
}

// having returns the snapshot at an address or, without an address, the newest
// state that has the node.
func (s *source) having(ctx context.Context, address, id string) (*pact.Snapshot, error) {
	if address != "" {
		return s.argument(ctx, []string{address})
	}
	if s.alone != nil {
		return s.alone, nil
	}
	working := s.context.Working()
	_, err := working.Node(id)
	if factsOf(err).Code != fault.NodeNotFound {
		return working, err
	}
	line, err := s.context.Timeline(ctx, id)
	if err != nil {
		return nil, err
	}
	if line.Last == nil {
		return working, nil
	}
	return s.context.At(ctx, pact.Cycle(*line.Last))
}

// catLine is a line of pact cat --json.
type catLine struct {
	ID      string          `json:"id"`
	Cycle   int64           `json:"cycle"` // of the snapshot
	Role    string          `json:"role,omitempty"`
	Kind    string          `json:"kind,omitempty"`
	Content json.RawMessage `json:"content"`
}

func (a *app) printContents(ctx context.Context, list []pact.Hit, raw bool) error {
	for i, h := range list {
		text, err := h.Node.Text(ctx)
		if err != nil {
			return err
		}
		kept, err := h.Node.JSON(ctx)
		switch {
		case err != nil:
			return err
		case raw:
			a.printf("%s", text)
			continue
		case a.json:
			if kept == nil {
				kept = []byte("null")
			}
			line := catLine{h.Node.ID, h.Snapshot.Cycle(), h.Node.Role, h.Node.Kind, kept}
			if err := a.printJSON(line); err != nil {
				return err
			}
			continue
		}
		if len(list) > 1 {
			if i > 0 {
				a.printf("\n")
			}
			a.printf("%s\n", a.paint.strong("── "+strings.Join(cells(words(h.Node.ID, h.Node.Role, h.Node.Kind)...), "  ")))
		}
		if !isText(kept) {
			if parts, ok := wording.Readable(canon.Value(kept)); ok {
				text = parts
			} else {
				if h.Node.Kind == toolcall.Call {
					kept = []byte(toolcall.Opened(canon.Value(kept)))
				}
				text = indented(kept)
			}
		}
		a.printText(text)
	}
	return nil
}

func isText(kept []byte) bool { return len(kept) == 0 || kept[0] == '"' }

// words returns the texts that are not empty.
func words(list ...string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// printText prints a text of several lines and ends its last line. On a
// terminal it makes invisible characters visible.
func (a *app) printText(text string) {
	text = strings.TrimSuffix(text, "\n")
	if !a.outTerminal {
		a.printf("%s\n", text)
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		a.printf("%s\n", visible(strings.TrimSuffix(line, "\r")))
	}
}
