package view

import (
	"context"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/toolcall"
)

// Whole returns a content as people read it: a text as it is, also one that an API writes as a list of
// parts, the arguments of a call as JSON, anything else as indented JSON. "" stays "".
func Whole(kind string, content canon.Value) string {
	if content == "" {
		return ""
	}
	text, readable := Readable(content)
	switch {
	case readable:
		return text
	case kind == toolcall.Call:
		content = toolcall.Opened(content)
	}
	return indented([]byte(content))
}

// Having returns the newest state that has a node: the working state or, for a node that is gone, its
// last snapshot. A node that no state has is E_NODE_NOT_FOUND.
func Having(ctx context.Context, c *pact.Context, id string) (*pact.Snapshot, error) {
	working := c.Working()
	_, err := working.Node(id)
	if fault.CodeOf(err) != fault.NodeNotFound {
		return working, err
	}
	line, err := c.Timeline(ctx, id)
	if err != nil {
		return nil, err
	}
	if line.Last == nil {
		return working, nil
	}
	return c.At(ctx, pact.Cycle(*line.Last))
}
