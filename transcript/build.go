package transcript

import (
	"context"
	"math"
	"slices"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// builder makes the context of a conversation, one list of messages after
// another. It tracks which blocks of the working state hold which message.
type builder struct {
	provenance string
	policy     lifecycle.Policy
	pruned     func(*pact.Snapshot, *lifecycle.Report) error // nil if the caller did not ask
	loose      int                                           // from this position of the body on, blocks stay outside cores
	cycle      int                                           // cycle of the current edit
	header     []placed
	body       []*message
	nodes      [][]string // ids of the blocks of each message in the body
	turns      []string   // for sealed messages, the id of the turn
	calls      callIndex
}

// commit publishes a snapshot whose thread is the list.
func (b *builder) commit(ctx context.Context, c *pact.Context, list []*message) error {
	header, body := split(list)
	keep := common(b.body, body)
	var gone, turns []string
	if keep < len(b.body) {
		var err error
		if gone, turns, keep, err = b.undo(tree.Of(c.Working()), keep); err != nil {
			return err
		}
		b.cut(keep)
	}
	before := c.Working()
	snapshot, err := c.Commit(ctx, &pact.CommitOptions{Edit: func(e *pact.Batch) error {
		b.change(e, gone, header, body[keep:])
		return nil
	}, Pruning: &pact.Pruning{Policy: b.policy, WithoutKept: true, Rewrite: turns}})
	if err == nil && b.pruned != nil {
		err = b.pruned(before, snapshot.Report)
	}
	if err != nil {
		return err
	}
	for _, id := range turns {
		has, err := tree.Of(snapshot).Has(id)
		if err != nil {
			return err
		}
		if has {
			return fault.OnNode(fault.Conflict, id, "a rewritten turn could not be pruned", "unpin it, and the nodes in it")
		}
	}
	all := tree.Of(snapshot).Region(tree.Seq).Children()
	for len(b.turns) < len(b.body) {
		item, err := all.At(all.Len() - 1)
		if err != nil {
			return err
		}
		b.turns = append(b.turns, item.Node().ID)
	}
	return nil
}

// finish makes the working state hold the list, without a commit. Every message
// that the list no longer has must stand outside the cores.
func (b *builder) finish(ctx context.Context, c *pact.Context, list []*message) error {
	header, body := split(list)
	keep := common(b.body, body)
	stubs, err := b.stubs(tree.Of(c.Working()), keep)
	if err != nil {
		return err
	}
	gone := append(slices.Concat(b.nodes[keep:]...), stubs...)
	b.cut(keep)
	b.loose = math.MaxInt
	return c.Edit(ctx, func(e *pact.Batch) error {
		b.change(e, gone, header, body[keep:])
		return nil
	}, nil)
}

// change removes blocks, updates ^sys and adds messages to the body.
func (b *builder) change(e *pact.Batch, gone []string, header, body []*message) {
	remove(e, gone)
	b.setHeader(e, header)
	b.add(e, body)
}

func (b *builder) cut(at int) {
	b.body, b.nodes, b.turns = b.body[:at], b.nodes[:at], b.turns[:min(at, len(b.turns))]
	b.calls.cut(at)
}

// remove removes those of the nodes that no pruning has removed.
func remove(e *pact.Batch, ids []string) {
	for _, id := range ids {
		if e.Has(id) {
			e.Remove(id)
		}
	}
}

// add adds messages to ^ah: to the core up to the first call or result, and at
// offset 1 from there on.
func (b *builder) add(e *pact.Batch, list []*message) {
	b.cycle++
	apart := false
	for _, m := range list {
		at := len(b.body)
		var nodes []string
		for i, c := 0, m.cut(); i < len(c.list); i++ {
			block := c.list[i]
			if b.isLateResult(e, block) { // a result, which is the one block of its message
				continue
			}
			block.Spec = c.spec(i, nodes, b.provenance)
			if apart = apart || block.apart || at >= b.loose; apart {
				block.Offset = 1
			}
			nodes = append(nodes, b.addBlock(e, block, at))
		}
		b.body, b.nodes = append(b.body, m), append(b.nodes, nodes)
	}
}

// isLateResult reports whether a block is a result whose calls were all pruned before
// it came. Such a result is left out like its calls.
func (b *builder) isLateResult(e *pact.Batch, block block) bool {
	found := false
	for _, key := range block.answers {
		c := b.calls.answered(key)
		if c != nil && e.Has(c.node) {
			return false
		}
		found = found || c != nil
	}
	return found
}

// addBlock adds a block and returns its id. A result refers to its calls, and
// its unsealed calls refer to it.
func (b *builder) addBlock(e *pact.Batch, block block, at int) string {
	var calls []*calledID
	for _, key := range block.answers {
		if c := b.calls.answered(key); c != nil && e.Has(c.node) && !slices.Contains(calls, c) {
			calls = append(calls, c)
			block.Refs = append(block.Refs, c.node)
		}
	}
	id := e.Add("^ah", block.Spec)
	if block.call != (callKey{}) {
		b.calls[block.call] = append(b.calls[block.call], &calledID{node: id, at: at, cycle: b.cycle})
	}
	for _, c := range calls {
		c.results = append(c.results, answer{id, at})
		if c.cycle != b.cycle {
			continue
		}
		e.Update(c.node, func(s *pact.Spec) {
			s.Refs = nil
			for _, r := range c.results {
				s.Refs = append(s.Refs, r.node)
			}
		})
	}
	return id
}
