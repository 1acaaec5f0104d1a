package tree

// Hidden is a *[Tree] or a *[Node] in a value that other modules see. Package pact embeds one in its
// snapshots and one in its nodes.
type Hidden[T Tree | Node] struct{ it *T }

// Hide returns it in a value that shows it to nobody but [Of].
func Hide[T Tree | Node](it *T) Hidden[T] { return Hidden[T]{it} }

func (h Hidden[T]) hidden() *T { return h.it }

// Of returns what a snapshot or a node hides from other modules.
func Of[T Tree | Node](holder interface{ hidden() *T }) *T { return holder.hidden() }
