// Package tree holds one state of a context: nodes, regions and classes, the canonical
// order, the immutable tree that snapshots share, and the rules by which an edit may
// change it (chapters 01 and 02).
//
// A [Tree] is a value: every change makes a new tree that shares what it did not touch,
// so that readers need no lock and a commit costs what it changed.
package tree
