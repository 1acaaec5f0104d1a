package command

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
)

// LineOf describes a node of a snapshot by its id in one line, which is the id alone if there is no such node.
func (a *App) LineOf(ctx context.Context, id string, in *pact.Snapshot) (string, error) {
	n, err := tree.Of(in).Node(id)
	if err != nil || n == nil {
		return view.Visible(id), err
	}
	return a.NodeLine(ctx, n, in)
}

// NodeLine describes a node of a snapshot in one line: its id, its type unless
// the id shows it, unusual headers, its size, and the beginning of its content.
func (a *App) NodeLine(ctx context.Context, n *tree.Node, in *pact.Snapshot) (string, error) {
	facts := []string{a.Paint.Strong(view.Visible(n.ID))}
	if class, named := tree.ClassOfType(n.Type); !strings.HasPrefix(n.ID, n.Type) && (!named || !class.Region()) {
		facts = append(facts, a.Paint.Faint(view.Visible(n.Type)))
	}
	if n.Offset != 0 {
		facts = append(facts, fmt.Sprintf("offset %+d", n.Offset))
	}
	if n.Role != "" {
		facts = append(facts, a.Paint.Name(view.Visible(n.Role)))
	}
	if n.Kind != "" {
		facts = append(facts, view.Visible(n.Kind))
	}
	if n.Key != "" {
		facts = append(facts, "#"+view.Visible(n.Key))
	}
	for _, tag := range n.Tags {
		facts = append(facts, "+"+view.Visible(tag))
	}
	if ttl, finite := n.TTL(tree.Of(in).Base()); finite {
		facts = append(facts, a.Paint.Changed("ttl "+strconv.FormatInt(ttl, 10)))
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
		facts = append(facts, a.Paint.Faint(view.Size(int64(size))), view.FirstWords("", content, 60))
	}
	return strings.Join(facts, "  "), nil
}
