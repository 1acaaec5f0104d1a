package pact

import (
	"context"

	"github.com/contexttree/pact/internal/tree"
)

// A context lets go of the turns that no call asks for when its commits have added so much
// to memory: this many turns, or this many bytes of rendered blocks and enough turns that
// the store has a checkpoint that leads to most of them. Reading the context again costs a
// few milliseconds, which all these commits share.
const (
	settleTurns = 1536
	settleBytes = 16 << 20
	settleAfter = 256
)

// recentTurns is how many of the newest turns show whether the program renders or measures
// the thread.
const recentTurns = 64

// settle notes a commit and, once enough commits have come together, reads the context
// again. Then turns that the store loads on demand leave memory, except in snapshots that
// the program holds. If it renders or measures threads again and again, everything
// stays, because it would have to be rendered anew. If the state cannot be read, or
// another writer made it, nothing changes.
func (c *Context) settle(ctx context.Context, before, now *tree.Tree) {
	s := &c.settling
	s.turns++
	s.bytes += now.Root().Summary().Bytes - before.Root().Summary().Bytes
	s.due = max(s.due, settleTurns)
	if s.turns < s.due && (s.bytes < settleBytes || s.turns < settleAfter*(s.due/settleTurns)) {
		return
	}
	due := s.due
	*s = settling{due: due}
	if now.CachesRecent(recentTurns) {
		return
	}
	state := c.state.Load()
	loaded, err := c.store.Load(ctx, state.Key)
	if err != nil || loaded.Revision != state.Revision || loaded.Erasures != state.Erasures {
		return
	}
	if !loaded.Head.OnDemand() {
		s.due = 2 * due // this store keeps all in memory, or has no checkpoint: the next try costs as much
		return
	}
	next := *state
	next.State, next.past = *loaded, nil
	c.state.CompareAndSwap(state, &next) // if it fails, a reader has loaded the state after an erasure
}
