// Package pact is a context tree for language models: what a model is sent is
// a tree with regions, places and lifetimes instead of a list of messages, and
// every model call leaves an immutable snapshot that can be asked, compared and
// rendered to the same bytes again.
//
// A Context is one conversation in a store. Edit changes its working state,
// Prepare gives the thread to send, Commit seals the cycle into a snapshot.
// Select asks working state and snapshots, Diff compares them.
//
//	c, err := pact.Create(ctx, store.NewMemory(), "chat")
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

import (
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// Spec describes a node to be added (02 §3).
type Spec = tree.Spec

// TTL returns a pointer to a number of cycles, for Spec.TTL (03 §3.1).
func TTL(cycles int64) *int64 { return tree.TTL(cycles) }

// Node is a node of a snapshot. It must not be changed.
type Node = tree.Node

// ErasedName is the custom attribute of a node that was erased: its mark.
const ErasedName = tree.ErasedName

// Policy says what pruning may do at a commit (02 §7).
type Policy = lifecycle.Policy

// ParsePolicy reads a policy that is written as a JSON object.
func ParsePolicy(data []byte) (Policy, error) { return lifecycle.ParsePolicy(data) }

// Part is a limit of a policy for a part of the context.
type Part = lifecycle.Part

// Orphans says what a commit does with a call that has no result, or the
// reverse.
type Orphans = lifecycle.Orphans

// What it does.
const (
	RefuseOrphans = lifecycle.Refuse
	DropOrphans   = lifecycle.Drop
	KeepOrphans   = lifecycle.Keep
)

// StandsFor returns the ids of what a stub stands for, in document order. Nil for
// any other node.
func StandsFor(n *Node) []string { return lifecycle.StandsFor(n) }

// Counter counts the tokens of a text as some tokenizer does.
type Counter = tree.Counter

// Report says what a commit removed, held back, and why.
type Report = lifecycle.Report

// Freed is how much less there is after pruning than before.
type Freed = lifecycle.Freed

// Edition names one of the three versions of the selector language.
type Edition = selector.Edition

// The editions.
const (
	V01       = selector.V01
	Depth     = selector.Depth
	Canonical = selector.Canonical
)
