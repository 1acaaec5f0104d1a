package main

import (
	"fmt"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// atLimit commits where the context is at its limit, so that every commit takes
// out what it brings.
func atLimit(policy func(n int) lifecycle.Policy) func(*bench, int) func() {
	return func(b *bench, n int) func() {
		c, limit := b.create(pact.NewDB(store.NewMemory())), &pact.Pruning{Policy: policy(n)}
		b.turns(c, n, nil)
		b.turns(c, 5, limit)
		return func() { b.turns(c, 20, limit) }
	}
}

// manyParts prunes blocks of 64 tags, in turns of eight, to half of each tag.
func manyParts(b *bench, n int) func() {
	c := b.create(pact.NewDB(store.NewMemory()))
	policy := lifecycle.Policy{}
	for tag := range 64 {
		policy.Parts = append(policy.Parts, lifecycle.Part{Tag: fmt.Sprint("t", tag), MaxNodes: max(1, n/128)})
	}
	for at := 0; at < n; at += 8 {
		b.commit(c, pact.CommitOptions{Edit: func(x *pact.Batch) error {
			for i := at; i < at+8; i++ {
				x.Add("^ah", pact.Spec{Content: "a note", Offset: 1, Tags: []string{fmt.Sprint("t", i%64)}})
			}
			return nil
		}})
	}
	return func() { b.commit(c, pact.CommitOptions{Pruning: &pact.Pruning{Policy: policy}}) }
}

// components asks for one component a key, which is due in every second cycle.
func components(b *bench, n int) func() {
	c := b.create(pact.NewDB(store.NewMemory()))
	return func() {
		for range 3 {
			b.commit(c, pact.CommitOptions{Edit: func(x *pact.Batch) error {
				for key := range n {
					x.AddEvery(2, pact.Spec{Key: fmt.Sprint("k", key), Content: "a table"})
				}
				return nil
			}})
		}
	}
}

// results has a call and its results in one turn, more turns after it, and a
// limit that the call keeps from being met.
func results(b *bench, n int) func() {
	c := b.create(pact.NewDB(store.NewMemory()))
	b.commit(c, pact.CommitOptions{Edit: func(x *pact.Batch) error {
		var ids []string
		for i := range n {
			ids = append(ids, fmt.Sprint("result", i))
		}
		x.Add("^ah", pact.Spec{ID: "call", Kind: "call", Offset: 1, Content: "many", Refs: ids})
		for _, id := range ids {
			x.Add("^ah", pact.Spec{ID: id, Kind: "result", Offset: 1, Content: "one", Refs: []string{"call"}})
		}
		return nil
	}})
	b.turns(c, 20, nil)
	return func() { b.turns(c, 1, &pact.Pruning{Policy: lifecycle.Policy{MaxNodes: 30, ProtectTurns: 2}}) }
}

// chain has blocks of which each refers to the one before it and the one after
// it. The last is pinned, so that none may go.
func chain(b *bench, n int) func() {
	c := b.create(pact.NewDB(store.NewMemory()))
	b.commit(c, pact.CommitOptions{Edit: func(x *pact.Batch) error {
		id := func(i int) string { return fmt.Sprint("link", i) }
		for i := range n {
			s := pact.Spec{ID: id(i), Content: "a link", Offset: 1, Pinned: i == n-1}
			if i > 0 {
				s.Refs = append(s.Refs, id(i-1))
			}
			if i < n-1 {
				s.Refs = append(s.Refs, id(i+1))
			}
			x.Add("^ah", s)
		}
		return nil
	}})
	b.turns(c, 20, nil)
	return func() { b.turns(c, 1, &pact.Pruning{Policy: lifecycle.Policy{MaxNodes: 30, ProtectTurns: 2}}) }
}
