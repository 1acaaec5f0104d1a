package main

import (
	"fmt"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/lifecycle"
)

// forks makes a fork of a fork, n times, each with a turn of its own, and
// returns the last.
func (b *bench) forks(s *pact.DB, n int) *pact.Context {
	c := b.create(s)
	b.commit(c, pact.CommitOptions{Edit: func(x *pact.Batch) error {
		x.Add("^ah", pact.Spec{ID: "told", Role: "user", Content: "My number is 4711."})
		return nil
	}})
	for i := range n {
		var err error
		c, err = c.Fork(b.ctx, pact.Latest(), fmt.Sprint("fork", i), nil)
		must(err)
		b.turns(c, 1, nil)
	}
	return c
}

func forking(b *bench, n int) func() {
	s := b.open(b.file())
	return func() { b.forks(s, n) }
}

// lastFork opens the last of n forks in a file and does something with it.
func lastFork(do func(*bench, *pact.Context)) func(*bench, int) func() {
	return func(b *bench, n int) func() {
		path := b.fill(func(s *pact.DB) { b.forks(s, n) })
		s := b.open(path)
		return func() {
			c, err := pact.Open(b.ctx, s, fmt.Sprint("fork", n-1), nil)
			must(err)
			do(b, c)
		}
	}
}

// undoing takes back n commits, one after the other or each as soon as it is
// made.
func undoing(atOnce bool) func(*bench, int) func() {
	return func(b *bench, n int) func() {
		c := b.create(b.open(b.file()))
		b.turns(c, 2, nil)
		if !atOnce {
			b.turns(c, n, nil)
		}
		return func() {
			for range n {
				if atOnce {
					b.turns(c, 1, nil)
				}
				_, err := c.Undo(b.ctx, nil)
				must(err)
			}
		}
	}
}

// window has the newest 60 turns of n, and asks what the model saw 30 calls ago.
func window(b *bench, n int) func() {
	path := b.fill(func(s *pact.DB) { b.turns(b.create(s), n, &pact.Pruning{Policy: lifecycle.Policy{MaxTurns: 60}}) })
	return func() {
		c, err := pact.Open(b.ctx, b.open(path), "chat", nil)
		must(err)
		_, err = c.At(b.ctx, pact.Cycle(int64(n-30)))
		must(err)
	}
}
