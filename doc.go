// Package pact is a context tree for language models: what a model is sent is
// a tree with regions, places and lifetimes instead of a list of messages, and
// every model call leaves an immutable snapshot that can be asked, compared and
// rendered to the same bytes again.
//
// A Context is one conversation in a store. Edit changes its working state,
// Prepare gives the thread to send, Commit seals the cycle into a snapshot.
// Select asks working state and snapshots, Diff compares them.
//
//	c, err := pact.Create(ctx, store.NewMemory(), "chat", nil)
//	err = c.Edit(ctx, func(b *pact.Batch) error {
//		b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: "Hello"})
//		return nil
//	}, nil)
//	snapshot, err := c.Commit(ctx, nil)
//	err = snapshot.WriteThread(ctx, os.Stdout)
//
// Chapters and sections in comments are those of the PACT specification;
// docs/decisions says how it is read where it contradicts itself.
package pact
