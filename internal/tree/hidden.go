package tree

// Hidden is a *[Tree] or a *[Node] in a value that other modules see. Package pact embeds one in its
// snapshots and one in its nodes.
type Hidden[T Tree | Node] struct{ it *T }

// Hide returns it in a value that shows it to nobody but [Of] and [NodeOf].
func Hide[T Tree | Node](it *T) Hidden[T] { return Hidden[T]{it} }

func (h Hidden[T]) hidden() *T { return h.it }

// Of returns the tree that a snapshot hides from other modules. Of and [NodeOf] are no generic function,
// because the compiler would not see which method that calls, and each holder would go to the heap.
func Of(holder interface{ hidden() *Tree }) *Tree { return holder.hidden() }

// NodeOf returns the node that a node of package pact hides from other modules.
func NodeOf(holder interface{ hidden() *Node }) *Node { return holder.hidden() }
