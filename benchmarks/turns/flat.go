package main

import (
	"github.com/contexttree/pact"
	"github.com/contexttree/pact/benchmarks/talk"
	"github.com/contexttree/pact/lifecycle"
)

// few is the number of turns with which the cost of a commit among more turns is
// compared.
const few = 1_000

// manner says how the turns of a row differ from plain ones.
type manner struct {
	edit func(turn int) func(*pact.Batch) error
	most bool // the context has as many turns as a limit allows
	fork bool // the turns are those of a fork that was just made
}

// sayAnd is say, and a block more that expires three cycles later.
func sayAnd(offset int64) func(turn int) func(*pact.Batch) error {
	return func(turn int) func(*pact.Batch) error {
		messages := talk.Say(turn)
		return func(b *pact.Batch) error {
			if err := messages(b); err != nil {
				return err
			}
			b.Add("^ah", pact.Spec{Role: "user", Kind: "note", Content: "due", Offset: offset, TTL: new(int64(3))})
			return b.Err()
		}
	}
}

// flat commits turns after n turns and, beside it, after a thousand. The figures of a
// row are those of the processors, and durable.
func flat(m manner) func(*bench, int) (ours, plain figure) {
	return func(b *bench, n int) (ours, plain figure) {
		small, err := newBench(b.ctx, few)
		must(err)
		defer small.close()
		both := inTurns(measured, b.committer(n, m), small.committer(few, m))
		b.cleanUp()
		small.cleanUp()
		return seconds(both[0].cpu), seconds(both[1].cpu)
	}
}

// committer returns what commits the next turn of a copy of the conversation. cleanUp
// closes it.
func (b *bench) committer(n int, m manner) func(i int) {
	s, c := b.context()
	b.cleanUp = func() { must(s.Close()) }
	if m.fork {
		var err error
		c, err = c.Fork(b.ctx, "latest", "fork", nil)
		must(err)
	}
	var limit *pact.Pruning
	if m.most {
		limit = &pact.Pruning{Policy: lifecycle.Policy{MaxTurns: n}}
	}
	commit := func(i int) {
		_, err := c.Commit(b.ctx, &pact.CommitOptions{Edit: m.edit(n + i), Pruning: limit})
		must(err)
	}
	const before = 8 // the first turns after opening look things up, and nothing expires yet
	for i := range before {
		commit(i)
	}
	return func(i int) { commit(before + i) }
}
