// Package lifecycle commits a cycle: it makes the next snapshot of a working state and a
// policy by expiring, pruning and sealing nodes (03 §7). [Commit] is a pure function. It
// reads no clock of its own, and does no I/O except reading the contents whose tokens a
// policy limits.
package lifecycle
