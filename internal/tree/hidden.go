package tree

import (
	"context"
	"sync/atomic"
)

// Hidden is a *[Tree] or a *[Node] in a value that other modules see. Package pact embeds one in its
// snapshots and one in its nodes.
type Hidden[T Tree | Node] struct {
	it   *T
	from Asker
}

// Asker asks whether what a tree was read from is still there: E_CONFLICT if an erasure or a deletion
// removed it. A Tree that was made in memory has none.
type Asker interface {
	Ask(ctx context.Context) error
}

// Hide returns it in a value that shows it to nobody but [Of] and [NodeOf]. from is nil for a tree that no
// store has.
func Hide[T Tree | Node](it *T, from Asker) Hidden[T] { return Hidden[T]{it, from} }

func (h Hidden[T]) hidden() *T   { return h.it }
func (h Hidden[T]) asker() Asker { return h.from }

// Of returns the tree that a snapshot hides from other modules. Of and [NodeOf] are no generic function,
// because the compiler would not see which method that calls, and each holder would go to the heap.
func Of(holder interface{ hidden() *Tree }) *Tree { return holder.hidden() }

// NodeOf returns the node that a node of package pact hides from other modules.
func NodeOf(holder interface{ hidden() *Node }) *Node { return holder.hidden() }

// AskerOf returns what a snapshot or a node of package pact asks, nil for nothing.
func AskerOf(holder interface{ asker() Asker }) Asker { return holder.asker() }

// Asking returns a context for one operation: its first content, wherever that is in memory, and its first
// rendered bytes ask from first, and fail if that fails.
func Asking(ctx context.Context, from Asker) context.Context {
	if from == nil {
		return ctx
	}
	return &asking{Context: ctx, from: from}
}

type asking struct {
	context.Context
	from  Asker
	asked atomic.Bool
}

type askingKey struct{}

// Value implements [context.Context].
func (a *asking) Value(key any) any {
	if key == (askingKey{}) {
		return a
	}
	return a.Context.Value(key)
}

// ask asks what the operation of a context has not asked yet.
func ask(ctx context.Context) error {
	a, _ := ctx.Value(askingKey{}).(*asking)
	if a == nil || a.asked.Load() {
		return nil
	}
	if err := ask(a.Context); err != nil {
		return err
	}
	if err := a.from.Ask(a.Context); err != nil {
		return err
	}
	a.asked.Store(true)
	return nil
}
