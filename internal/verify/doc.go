// Package verify checks that a store still holds what was written: for every context the rows,
// the log, each version of a node and the shape of each tree, and for each snapshot the digests
// that its commit recorded and the bytes that were sent (03 §5, 06 §5). It takes a store and
// what the store knows about a context, only reads, and answers with package inspect.
package verify
