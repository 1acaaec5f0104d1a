package record

import (
	"context"
	"maps"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
)

// withBlock adds the block of a call to the description of the call that began a conversation, if the store has
// the block. Cost: reading the history of that context up to the call.
func withBlock(ctx context.Context, s *pact.DB, begun map[string]any) (map[string]any, error) {
	from, _ := begun["context"].(string)
	call, _ := begun["call"].(string)
	if from == "" || call == "" || begun["block"] != nil {
		return begun, nil
	}
	c, err := pact.Open(ctx, s, from, nil)
	if fault.CodeOf(err) == fault.ContextNotFound {
		return begun, nil
	}
	if err != nil {
		return nil, err
	}
	block, err := blockOfCall(ctx, c, call)
	if err != nil || block == "" {
		return begun, err
	}
	begun = maps.Clone(begun)
	begun["block"] = block
	return begun, nil
}

// blockOfCall returns the block that recorded a call of a tool, "" for none. A compaction may
// have removed the block since.
func blockOfCall(ctx context.Context, c *pact.Context, call string) (_ string, err error) {
	is := func(n *tree.Node) bool {
		id, _ := n.Header(attrCall).Text()
		return n.Kind == "call" && id == call
	}
	in := func(t *tree.Tree) (string, error) {
		for e, err := range t.All() {
			if err != nil {
				return "", err
			}
			if is(e.Node()) {
				return e.Node().ID, nil
			}
		}
		return "", nil
	}
	first, last := c.Info().First, c.Info().Cycle
	if id, err := in(tree.Of(c.Working())); id != "" || err != nil || last < first {
		return id, err
	}
	var before *pact.Snapshot
	for s, err := range c.History(ctx, pact.Cycle(first), pact.Cycle(last)) {
		if err != nil {
			return "", err
		}
		if before == nil {
			if id, err := in(tree.Of(s)); id != "" || err != nil {
				return id, err
			}
			before = s
			continue
		}
		d, err := pact.Diff(ctx, before, s, nil)
		if err != nil {
			return "", err
		}
		for _, id := range d.Added {
			node, err := tree.Of(s).Node(id)
			if err != nil {
				return "", err
			}
			if is(node) {
				return id, nil
			}
		}
		before = s
	}
	return "", nil
}
