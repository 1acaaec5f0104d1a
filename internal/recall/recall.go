package recall

import (
	"context"
	"fmt"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

type recalling struct {
	ID      string `json:"id,omitempty" jsonschema:"as the text names it, such as block:4-1"`
	Search  string `json:"search,omitempty" jsonschema:"a text in it, upper and lower case alike"`
	Context string `json:"context,omitempty" jsonschema:"its name; by default the context of this agent"`
	From    int    `json:"from,omitempty" jsonschema:"go on at this byte"`
}

// recall returns a text by the id of its block, or by a text in it.
func (t *tools) recall(ctx context.Context, in recalling) (string, error) {
	if (in.ID == "") == (in.Search == "") {
		return "", invalid("recall takes an id or a text to search", "give one of the two")
	}
	list, err := t.withOriginals(ctx, in.Context)
	if err != nil {
		return "", err
	}
	named := in.Context != "" || t.options.Context != ""
	if in.ID == "" {
		return search(ctx, list, &in, named)
	}
	c, hit, err := view.Find(ctx, t.db, list[0], t.mayAccess, in.ID)
	if err != nil {
		return "", err
	}
	return block(ctx, c, &hit.Node, in.From, named)
}

// block returns the text of a block. named says that the call names its context, not only the block.
func block(ctx context.Context, c *pact.Context, n *pact.Node, from int, named bool) (string, error) {
	if n.Erased {
		return "", fault.OnNode(fault.NodeNotFound, n.ID, "the content was erased for good", "ask the person for it again")
	}
	kept, err := n.JSON(ctx)
	if err != nil {
		return "", err
	}
	if before, shaped := commit.Original(tree.NodeOf(*n)); shaped {
		kept = []byte(before)
	}
	label := fmt.Sprintf("%s in context %s", title(n), view.Visible(c.Info().Name))
	return quote(label, authorOf(n.Role, named), view.Whole(n.Kind, canon.Value(kept)), from,
		fmt.Sprintf("recall with id %q and", n.ID))
}

// search finds blocks by a text. One that is found alone is returned whole.
func search(ctx context.Context, list []*pact.Context, in *recalling, named bool) (string, error) {
	pattern, err := view.Pattern(in.Search, true, true)
	if err != nil {
		return "", err
	}
	type found struct {
		*view.Occurrence
		in    *pact.Context
		state *pact.Snapshot
	}
	var all []found
	own := 0
	for _, c := range list {
		tail, err := record.TailOf(ctx, c)
		if err != nil {
			return "", err
		}
		working := string(tail)
		if working == "" {
			working = "working"
		}
		hits, err := view.Grep(ctx, c, pact.Cycle(first(c)), "latest", working, pattern, func(int64) {})
		if err != nil {
			return "", err
		}
		for _, o := range hits {
			state := c.Working()
			if o.State == "" {
				if state, err = c.At(ctx, pact.Cycle(o.Last)); err != nil {
					return "", err
				}
			}
			is, err := isToolBlock(ctx, state, o.ID)
			if err != nil {
				return "", err
			}
			if is {
				own++
			} else {
				all = append(all, found{o, c, state})
			}
		}
	}
	switch len(all) {
	case 0:
		message := "nothing that was ever sent has the text " + view.Visible(in.Search)
		if own > 0 {
			message += fmt.Sprintf(", but %d calls of recall and their answers", own)
		}
		return "", invalid(message, "search for a shorter part of it")
	case 1:
		o := all[0]
		n, err := o.state.Node(o.ID)
		if err != nil {
			return "", err
		}
		return block(ctx, o.in, &n, in.From, named)
	}
	var lines []string
	for i := len(all) - 1; i >= 0; i-- { // the newest first
		o := all[i]
		line := strings.TrimSpace(strings.Join([]string{o.ID, o.Role, o.Kind}, " "))
		for k, m := range o.Matches {
			if k == mostMatches {
				line += fmt.Sprintf("\n  and %d more lines", len(o.Matches)-k)
				break
			}
			line += "\n  " + view.Visible(view.Part(m.Text, m.Start, lineMost))
		}
		lines = append(lines, line)
	}
	return rows(fmt.Sprintf("%s have it, the newest first. Each line is a quotation; recall an id for the whole text.",
		view.Plural(len(all), "block")), lines, in.From, fmt.Sprintf("recall with search %q and", in.Search))
}

// isToolBlock reports whether a block is a call of these tools or an answer of theirs, because these repeat the text of
// the search.
func isToolBlock(ctx context.Context, s *pact.Snapshot, id string) (bool, error) {
	n, err := s.Node(id)
	if err != nil {
		return false, err
	}
	if n.Kind == "call" {
		name, _ := n.Attrs["wire:name"].(string)
		return names(name, "recall"), nil
	}
	if n.Kind != "result" {
		return false, nil
	}
	kept, err := n.JSON(ctx)
	text := view.Whole(n.Kind, canon.Value(kept))
	return strings.HasPrefix(text, commit.Recalled) || strings.Contains(text, "\nOutput:\n"+commit.Recalled), err // Codex puts a head before it
}

// names reports whether a call names a tool of this server: agents put the name of the server before it.
func names(called, tool string) bool {
	return called == tool || strings.HasSuffix(called, "pact_"+tool) || strings.HasSuffix(called, "pact__"+tool)
}

// first returns the cycle of the oldest snapshot.
func first(c *pact.Context) int64 {
	first := c.Info().First
	return first
}
