package view

import (
	"cmp"
	"context"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/record"
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

// Find finds the block that an id names without an address, and the context that has it. It asks the conversation first,
// its working state and then, of a block that is gone, the last snapshot that had it; then the contexts with originals, for
// the whole text that a note of managing names: their other blocks may have the ids of those of a conversation. c is nil
// for no conversation; within says which contexts with originals may be asked, nil for all. E_NODE_NOT_FOUND, of the
// conversation if there is one, if none has it. Cost: what happened to the block, or a look-up in each of these contexts.
func Find(ctx context.Context, db *pact.DB, c *pact.Context, within func(name string) bool, id string) (*pact.Context, pact.Hit,
	error) {
	near, missing := "", error(nil)
	if c != nil {
		var hit pact.Hit
		if hit, missing = inConversation(ctx, c, id); fault.CodeOf(missing) != fault.NodeNotFound {
			return c, hit, missing
		}
		near = c.Info().Name
	}
	kept, of, err := record.FindWhole(ctx, db, near, within, id)
	if err != nil {
		if c != nil && fault.CodeOf(err) == fault.NodeNotFound {
			err = missing
		}
		return nil, pact.Hit{}, err
	}
	hit, err := hitIn(kept.Working(), of)
	return kept, hit, err
}

// inConversation is Find in a conversation alone.
func inConversation(ctx context.Context, c *pact.Context, id string) (pact.Hit, error) {
	hit, err := hitIn(c.Working(), id)
	if fault.CodeOf(err) != fault.NodeNotFound {
		return hit, err
	}
	life, gone := c.Timeline(ctx, id)
	if gone != nil || life.Last == nil {
		return hit, cmp.Or(gone, err)
	}
	last, err := c.At(ctx, pact.Cycle(*life.Last))
	if err != nil {
		return hit, err
	}
	return hitIn(last, id)
}

func hitIn(s *pact.Snapshot, id string) (pact.Hit, error) {
	n, err := s.Node(id)
	return pact.Hit{Snapshot: s, Node: n}, err
}
