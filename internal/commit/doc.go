// Package commit makes the next snapshot of a working state and a policy: rules decide, nodes expire, limits
// prune, and the rest is sealed (03 §7). [Run] is a pure function. It reads no clock of its own, and its only
// I/O is to read contents whose tokens a policy limits.
package commit
