// Package transfer copies contexts from one store to another: snapshots, drafts, logs with
// digests, times and request tokens, attempts, and forks with what they share. It moves
// revisions through [engine.Contexts] and makes no tree, so that it works with any two stores,
// however they pack. An export that is imported would not do: a history has no edits between two commits, no request
// tokens, forks or erasures, and the digests of its log are computed anew, also those that an erasure took away.
//
// A copy is hidden until it is complete and verified. An interrupted copy continues behind the
// last snapshot that it copied.
package transfer
