package transcript

import (
	"context"
	"math"
	"slices"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/fault"
	"github.com/contexttree/pact/tree"
)

// builder makes the context of a conversation list by list. It knows what the
// working state holds, message by message.
type builder struct {
	provenance string
	policy     pact.Policy
	loose      int   // position in the body from which on blocks stay outside cores
	messages   int64 // numbers given to messages
	cycle      int   // of the edit under way
	header     []placed
	body       []*message
	nodes      [][]string // ids of the blocks of each message of the body
	calls      callIndex
}

// commit publishes a snapshot whose thread is the list.
func (b *builder) commit(ctx context.Context, c *pact.Context, list []*message) error {
	header, body := split(list)
	keep := common(b.body, body)
	var gone, turns []string
	if keep < len(b.body) {
		gone, turns, keep = b.undo(c.Working().Tree(), keep)
		b.cut(keep)
	}
	snapshot, err := c.Commit(ctx, pact.WithPolicy(b.policy), pact.WithPrune(turns...), pact.WithEdit(func(e *pact.Batch) error {
		return b.change(e, gone, header, body[keep:])
	}))
	if err != nil {
		return err
	}
	for _, id := range turns {
		if snapshot.Tree().Has(id) {
			return fault.OnNode(fault.Conflict, id, "a rewritten turn could not be pruned", "")
		}
	}
	return nil
}

// finish brings the working state to the list without a commit. What the list
// no longer has must be outside cores.
func (b *builder) finish(ctx context.Context, c *pact.Context, list []*message) error {
	header, body := split(list)
	keep := common(b.body, body)
	gone := slices.Concat(b.nodes[keep:]...)
	b.cut(keep)
	b.loose = math.MaxInt
	return c.Edit(ctx, func(e *pact.Batch) error {
		return b.change(e, gone, header, body[keep:])
	})
}

// change removes blocks, brings ^sys up to date and adds to the body.
func (b *builder) change(e *pact.Batch, gone []string, header, body []*message) error {
	if err := remove(e, gone); err != nil {
		return err
	}
	if err := b.setHeader(e, header); err != nil {
		return err
	}
	return b.add(e, body)
}

// undo says what has to go for the body to end at a position, or earlier:
// blocks of the turn that holds the message there, where it stands outside the
// core, and the turns after it; else that turn too. It returns the position at
// which the body ends then. Messages that were pruned are in no turn.
func (b *builder) undo(t *tree.Tree, at int) (blocks, turns []string, end int) {
	next := at
	for next < len(b.body) && b.left(t, next) == nil {
		next++
	}
	if next == len(b.body) {
		return nil, nil, at
	}
	first, keep := b.left(t, next).turn, b.left(t, next).outside
	for i := next; keep && i < len(b.body); i++ {
		if l := b.left(t, i); l != nil && l.turn != first {
			break
		}
		blocks = append(blocks, b.nodes[i]...)
	}
	for i := at - 1; !keep && i >= 0; i-- {
		if l := b.left(t, i); l != nil && l.turn == first {
			at = i
		} else if l != nil {
			break
		}
	}
	from := false
	for turn := range t.Region(tree.Seq).Children().All() {
		id := turn.Node().ID
		if from || id == first && !keep {
			turns = append(turns, id)
		}
		from = from || id == first
	}
	return blocks, turns, at
}

// left says where a message stands, nil where all of it was pruned.
func (b *builder) left(t *tree.Tree, message int) *standing {
	for _, id := range b.nodes[message] {
		if path := t.Path(id); path != nil {
			return &standing{path[2].Node().ID, t.Node(id).Offset != 0}
		}
	}
	return nil
}

// standing is the turn of a message, and whether it stands outside the core.
type standing struct {
	turn    string
	outside bool
}

func (b *builder) cut(at int) {
	b.body, b.nodes = b.body[:at], b.nodes[:at]
	b.calls.cut(at)
}

// remove removes what was not pruned.
func remove(e *pact.Batch, ids []string) error {
	for _, id := range ids {
		if !e.Has(id) {
			continue
		}
		if err := e.Remove(id); err != nil {
			return err
		}
	}
	return nil
}

// number counts messages: blocks of one number are one message.
func (b *builder) number() int64 {
	b.messages++
	return b.messages - 1
}

// add adds messages to ^ah: to the core what comes before the first call or
// result, at offset 1 everything from there on.
func (b *builder) add(e *pact.Batch, list []*message) error {
	b.cycle++
	apart := false
	for _, m := range list {
		at := len(b.body)
		var nodes []string
		for _, block := range m.blocks(b.number(), b.provenance) {
			if apart = apart || block.apart || at >= b.loose; apart {
				block.Offset = 1
			}
			id, err := b.addBlock(e, block, at)
			if err != nil {
				return err
			}
			nodes = append(nodes, id)
		}
		b.body, b.nodes = append(b.body, m), append(b.nodes, nodes)
	}
	return nil
}

// addBlock adds a block. A result refers to its calls, and calls that are not
// sealed yet refer to it.
func (b *builder) addBlock(e *pact.Batch, block block, at int) (string, error) {
	var calls []*called
	for _, key := range block.answers {
		if c := b.calls.answered(key); c != nil && !slices.Contains(calls, c) {
			calls = append(calls, c)
			block.Refs = append(block.Refs, c.node)
		}
	}
	id, err := e.Add("^ah", block.Spec)
	if err != nil {
		return "", err
	}
	if block.call != (callKey{}) {
		b.calls[block.call] = append(b.calls[block.call], &called{node: id, at: at, cycle: b.cycle})
	}
	for _, c := range calls {
		c.results = append(c.results, answer{id, at})
		if c.cycle != b.cycle {
			continue
		}
		var refs []string
		for _, r := range c.results {
			refs = append(refs, r.node)
		}
		if err := e.Update(c.node, map[string]any{"refs": refs}); err != nil {
			return "", err
		}
	}
	return id, nil
}
