package pact

import (
	"context"

	"github.com/contexttree/pact/tree"
)

// How much a context that commits adds to what is in memory before it lets go of the
// turns that nobody asks for: so many turns, or so many bytes of rendered blocks and
// enough turns that the store has a directory that leads to most of them. Reading the
// context again costs a few milliseconds, which so many commits share.
const (
	settleTurns = 2048
	settleBytes = 16 << 20
	settleAfter = 256
)

// recentTurns is how many of the newest turns say whether somebody renders or measures
// the thread.
const recentTurns = 64

// settling is how much was committed since a context was read from its store. It
// belongs to the writer.
type settling struct {
	turns, due int64
	bytes      int64
}

// settle notes a commit and, where enough has come together, reads the context again.
// So turns that are in a store which loads them on demand are in memory no longer, but
// for what snapshots hold that somebody keeps. Where threads are rendered or measured
// again and again, all stays: what was rendered would have to be rendered anew. A state
// that cannot be read, or that another writer made, changes nothing.
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
	if now.KeepsAnswers(recentTurns) {
		return
	}
	state := c.state.Load()
	loaded, err := c.store.Load(ctx, state.Key)
	if err != nil || loaded.Revision != state.Revision || loaded.Erasures != state.Erasures {
		return
	}
	if !loaded.Head.OnDemand() {
		s.due = 2 * due // this store keeps all in memory, or has no directory: the next try costs as much
		return
	}
	next := *state
	next.State, next.past = *loaded, nil
	c.state.CompareAndSwap(state, &next) // where it fails, a reader has loaded it again after an erasure
}
