package recall

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
)

type showing struct {
	Selector string `json:"selector,omitempty" jsonschema:"such as .block[kind='result'] or ^sys .block"`
	At       string `json:"at,omitempty" jsonschema:"working, latest for the last call, latest-1 for the one before, @c12 for call 12"`
	Context  string `json:"context,omitempty"`
	From     int    `json:"from,omitempty" jsonschema:"go on at this line"`
}

// show lists blocks.
func (t *tools) show(ctx context.Context, in showing) (string, error) {
	c, err := t.open(ctx, in.Context)
	if err != nil {
		return "", err
	}
	find := c.Find
	if in.At != "" {
		address, err := pact.ParseAddress(in.At, c.Info().Edition)
		if err != nil {
			return "", err
		}
		where, err := c.At(ctx, address)
		if err != nil {
			return "", err
		}
		find = where.Find
	}
	hits, err := find(ctx, cmp.Or(in.Selector, ".block"), nil)
	if err != nil {
		return "", err
	}
	if err := newestFirst(hits); err != nil {
		return "", err
	}
	var lines []string
	for _, h := range hits {
		text, err := line(ctx, &h)
		if err != nil {
			return "", err
		}
		lines = append(lines, text)
	}
	last := c.Info().Cycle
	head := fmt.Sprintf("context %s, %s up to now; %s, the newest turn first. These are quotations.", view.Visible(c.Info().Name),
		view.Plural(int(last), "call"), view.Plural(len(hits), "block"))
	again := "show with"
	for _, given := range []struct{ name, value string }{{"selector", in.Selector}, {"at", in.At}, {"context", in.Context}} {
		if given.value != "" {
			again += fmt.Sprintf(" %s %q and", given.name, given.value)
		}
	}
	return rows(head, lines, in.From, again)
}

// newestFirst puts the active head first, then the turns from the newest to the oldest, whichever way the edition
// lists them, then ^sys. Cost: O(log n) for each turn.
func newestFirst(hits []pact.Hit) error {
	ages := make(map[string]int) // how many turns are older, by id
	for _, h := range hits {
		if _, known := ages[h.Turn]; known || h.Turn == "" {
			continue
		}
		path, err := tree.Of(h.Snapshot).Path(h.Turn)
		if err != nil {
			return err
		}
		if ages[h.Turn], err = path[1].Children().Rank(path[2]); err != nil {
			return err
		}
	}
	regions := []string{"^ah", "^seq", "^sys"}
	slices.SortStableFunc(hits, func(a, b pact.Hit) int {
		return cmp.Or(slices.Index(regions, a.Region)-slices.Index(regions, b.Region), ages[b.Turn]-ages[a.Turn])
	})
	return nil
}

// line describes a block.
func line(ctx context.Context, h *pact.Hit) (string, error) {
	n := &h.Node
	content, err := n.JSON(ctx)
	if err != nil {
		return "", err
	}
	tool, err := toolcall.Name(ctx, tree.Of(h.Snapshot), tree.NodeOf(n))
	if err != nil {
		return "", err
	}
	words := []string{n.ID}
	for _, word := range []string{n.Role, n.Kind, tool, n.Key} {
		if word != "" {
			words = append(words, word)
		}
	}
	if n.Pinned {
		words = append(words, "pinned")
	}
	words = append(words, view.Size(int64(len(content))))
	return view.Visible(strings.Join(words, " ")) + ": " + view.FirstWords(n.Kind, canon.Value(content), lineMost/2), nil
}

type comparing struct {
	Older   string `json:"older,omitempty" jsonschema:"an address as in show, latest-1 by default"`
	Newer   string `json:"newer,omitempty" jsonschema:"latest by default"`
	Context string `json:"context,omitempty"`
	From    int    `json:"from,omitempty" jsonschema:"go on at this line"`
}

// changes says what differs between two snapshots.
func (t *tools) changes(ctx context.Context, in comparing) (string, error) {
	c, err := t.open(ctx, in.Context)
	if err != nil {
		return "", err
	}
	older, newer := cmp.Or(in.Older, "latest-1"), cmp.Or(in.Newer, "latest")
	var ends [2]pact.Address
	for i, text := range []string{older, newer} {
		if ends[i], err = pact.ParseAddress(text, c.Info().Edition); err != nil {
			return "", err
		}
	}
	report, err := c.RichDiff(ctx, ends[0], ends[1], nil)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, n := range report.Removed {
		lines = append(lines, change("-", n.ID, n.Type, n.Cause, "removed"))
	}
	for _, n := range report.Added {
		lines = append(lines, change("+", n.ID, n.Type, n.Cause, "added"))
	}
	for _, n := range report.Modified {
		names := make([]string, len(n.Fields))
		for i, f := range n.Fields {
			names[i] = f.Name
		}
		lines = append(lines, change("~", n.ID, n.Type, n.Cause, strings.Join(names, ", ")+" changed"))
	}
	head := fmt.Sprintf("context %s from %s to %s: %d came, %d went, %d changed", view.Visible(c.Info().Name), report.From.Label,
		report.To.Label, len(report.Added), len(report.Removed), len(report.Modified))
	return rows(head, lines, in.From, fmt.Sprintf("changes with older %q, newer %q and", older, newer))
}

// change is a line of changes.
func change(sign, id, kind string, cause diff.Cause, edited string) string {
	return sign + " " + view.Visible(id+" "+kind) + ": " + view.DescribeCause(cause, edited) + view.ByAuthor(cause.Author)
}
