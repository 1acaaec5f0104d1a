// Package transfer copies contexts from one store to another: snapshots, drafts, logs with
// digests, times and request tokens, attempts, and forks with what they share. It reads and
// writes through [engine.Contexts] alone, so that it works with any two stores.
//
// A copy is hidden until it is complete and verified. An interrupted copy continues where it
// stopped.
package transfer
