package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/tree"
)

// nodeLine describes a node of a snapshot in one line: its id, its type unless
// the id shows it, unusual headers, its size, and the beginning of its content.
func (a *app) nodeLine(ctx context.Context, n *tree.Node, in *pact.Snapshot) (string, error) {
	facts := []string{a.paint.strong(visible(n.ID))}
	if class, named := tree.ClassOfType(n.Type); !strings.HasPrefix(n.ID, n.Type) && (!named || !class.Region()) {
		facts = append(facts, a.paint.faint(visible(n.Type)))
	}
	if n.Offset != 0 {
		facts = append(facts, fmt.Sprintf("offset %+d", n.Offset))
	}
	if n.Role != "" {
		facts = append(facts, a.paint.name(visible(n.Role)))
	}
	if n.Kind != "" {
		facts = append(facts, visible(n.Kind))
	}
	if n.Key != "" {
		facts = append(facts, "#"+visible(n.Key))
	}
	for _, tag := range n.Tags {
		facts = append(facts, "+"+visible(tag))
	}
	if ttl, finite := n.TTL(in.Cycle()); finite {
		facts = append(facts, a.paint.changed("ttl "+strconv.FormatInt(ttl, 10)))
	}
	if n.Priority != 0 {
		facts = append(facts, "priority "+strconv.FormatInt(n.Priority, 10))
	}
	if n.Pinned {
		facts = append(facts, "pinned")
	}
	if size := n.Content.Size(); size > 0 {
		content, err := n.Content.Value(ctx)
		if err != nil {
			return "", err
		}
		facts = append(facts, a.paint.faint(bytesText(int64(size))), excerpt(canon.Value(content), 60))
	}
	return strings.Join(facts, "  "), nil
}

// clip cuts a line that is wider than the terminal.
func (a *app) clip(line string) string { return a.clipBefore(line, "") }

// clipBefore cuts a line so that it and what follows it fit the terminal, as far as they can.
func (a *app) clipBefore(line, rest string) string {
	const least = 20 // columns of the line
	if a.width == 0 || lipgloss.Width(line+rest) <= a.width {
		return line + rest
	}
	return lipgloss.NewStyle().MaxWidth(max(a.width-1-lipgloss.Width(rest), least)).Render(line) + "…" + rest
}
