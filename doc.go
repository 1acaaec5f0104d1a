// Package pact keeps what a language model is sent as a context tree: a tree with regions,
// places and lifetimes instead of a list of messages. Every model call leaves an immutable
// snapshot, which can be queried, compared, and rendered to the same bytes again.
//
// A [Context] is one conversation, kept in a [DB]. Its life is a sequence of cycles, one for each model call:
//
//   - [Context.Edit] changes the working state, the state that the next call is made of.
//   - [Context.Prepare] returns the thread, the bytes to send to the model.
//   - [Context.Commit] ends the cycle: it drops what expired, prunes, and seals the rest into
//     the next snapshot.
//
// [Context.Select] finds nodes in the working state and in snapshots, [Context.Diff] compares two of them. An
// [Address] names a snapshot: @t0 is the latest, @t-1 the one before, @c12 that of cycle 12.
//
//	db := pact.NewDB(store.NewMemory())
//	c, err := pact.Create(ctx, db, "chat", nil)
//	err = c.Edit(ctx, func(b *pact.Batch) error {
//		b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: "Hello"})
//		return nil
//	}, nil)
//	snapshot, err := c.Commit(ctx, nil)
//	err = snapshot.WriteThread(ctx, os.Stdout)
//
// The root of a tree has three regions. ^sys, the system header, holds instructions. ^seq holds the sealed turns, one
// for each cycle. ^ah, the active head, holds what the current cycle adds; a commit seals it into a turn. Below them
// a node is a block, which has content, or a container of nodes. The container at offset 0 of a turn or of ^ah is its
// core, what was said in that cycle; every other container is a group. Nodes with a negative offset stand before the
// core, those with a positive one after it (02 §4.1). The thread is what the blocks render to, in document order: the
// bytes that the model is sent.
//
// Every error is a [github.com/contexttree/pact/fault.Error] with a code such as E_NODE_NOT_FOUND; docs/errors.md
// lists the codes. A sequence that fails yields its error and ends. Options can be nil, which is their zero value. A
// function that is told of progress can be nil too, and gets the number of snapshots that are done and that there are.
// Chapters and sections in comments, such as 02 §4.3, are those of the PACT specification;
// docs/decisions.md says how this project reads it where it contradicts itself.
package pact
