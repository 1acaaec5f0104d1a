package engine

import (
	"bytes"
	"cmp"
	"context"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/names"
	"github.com/contexttree/pact/store"
)

// Create implements [Contexts].
func (e *Engine) Create(ctx context.Context, g Creation) (*State, error) {
	if err := names.Check(g.Name); err != nil {
		return nil, err
	}
	n, err := e.makeRecords(ctx, &g)
	if err != nil {
		return nil, err
	}
	l, s := n.branch, n.state
	err = e.write(ctx, func(b *store.Batch) error {
		key, err := e.newBranch(ctx, b)
		if err != nil {
			return err
		}
		if err := e.claimName(ctx, b, g.Name, key); err != nil {
			return err
		}
		l.key = key
		n.writes.appendTo(b, store.Space(key))
		at := *l
		at.last = n.first.ending()
		if err := e.checkpointFirst(b, &at, n.first); err != nil {
			return err
		}
		if g.Attempts != nil {
			for _, a := range g.Attempts() {
				if err := putAttempt(b, l, a); err != nil {
					return err
				}
			}
		}
		l.raw = l.encode()
		put(b, in(key, aboutKey), l.raw)
		return nil
	})
	if err != nil {
		return nil, err
	}
	e.noteBranch(l)
	e.extend(l, s.made)
	s.made = nil
	e.cacheState(l, s)
	e.settleSoon(l, publishedSnapshot{})
	return &State{Info: l.info(), Head: s.head, Working: s.working, Idle: s.idle, From: e}, nil
}

// unkeyedContext is a context that has no key yet, with what is to write of it. An import can be long, and which
// key is free says only the step that takes it.
type unkeyedContext struct {
	first  *record
	branch *branch
	state  *state
	writes writes
}

// writes is what a batch writes of one branch.
type writes store.Batch

// appendTo puts them into a batch, for a branch with a key.
func (w *writes) appendTo(b *store.Batch, space store.Space) {
	for i := range w.Expect {
		w.Expect[i].Key.Space = space
	}
	for i := range w.Append {
		w.Append[i].Space = space
	}
	for i := range w.Put {
		w.Put[i].Key.Space = space
	}
	b.Expect, b.Append, b.Put = append(b.Expect, w.Expect...), append(b.Append, w.Append...), append(b.Put, w.Put...)
}

// makeRecords makes the records of a context.
func (e *Engine) makeRecords(ctx context.Context, g *Creation) (*unkeyedContext, error) {
	shown := firstListed(g.Tree, g.Entry.TimeNS, g.Imported)
	first := &record{entry: logged(g.Entry, history.Create, g.Tree), stamps: g.Stamps, latest: g.Tree.Cycle(),
		bytes: shown.Bytes}
	first.entry.Revision = 1
	if err := first.begin(ctx, e, g.Tree); err != nil {
		return nil, err
	}
	n := &unkeyedContext{first: first, state: &state{revision: 1, published: 1, head: g.Tree,
		working: g.Tree.WithCycle(g.Stamps.Cycle), idle: first.entry.Idle, foreign: first.foreign, made: []*record{first}},
		branch: &branch{branchFacts: branchFacts{name: g.Name, edition: g.Edition, first: g.First(), attrs: shown.Attrs}, last: first.ending()}}
	e.append((*store.Batch)(&n.writes), n.branch, first)
	if g.Changes == nil {
		return n, nil
	}
	held, seen := first.memorySize(), make(map[string]bool)
	for c, err := range g.Changes {
		if err != nil {
			return nil, err
		}
		if err := e.change(ctx, (*store.Batch)(&n.writes), n.branch, n.state, &c, seen); err != nil {
			return nil, err
		}
		made := n.state.made
		if held += made[len(made)-1].memorySize(); held > tailSize { // a join would not find them
			n.state.made = made[len(made)-1:]
		}
	}
	if held > tailSize {
		n.state.made = nil
	}
	return n, nil
}

// newBranch takes the next key.
func (e *Engine) newBranch(ctx context.Context, b *store.Batch) (history.Key, error) {
	raw, err := e.store.Get(ctx, at(common, nextKey))
	if err != nil {
		return 0, err
	}
	key := int64(1)
	if raw != nil {
		if key, err = number(raw); err != nil {
			return 0, err
		}
	}
	if key < 1 || store.Space(key) > store.MaxSpace {
		return 0, damaged("the counter of keys is not as it was written")
	}
	requireValue(b, at(common, nextKey), raw)
	there, err := e.store.Get(ctx, at(common, branchPrefix+ordered(key)))
	if err != nil {
		return 0, err
	}
	if there != nil {
		again, err := e.store.Get(ctx, at(common, nextKey))
		if err == nil && !bytes.Equal(raw, again) {
			err = store.ErrRefused // another writer took the key between the two readings
		}
		return 0, cmp.Or(err, damaged("the counter of keys is lower than the key of a context"))
	}
	put(b, at(common, nextKey), []byte(ordered(key+1)))
	put(b, at(common, branchPrefix+ordered(key)), nil)
	return history.Key(key), nil
}
