package pact

import (
	"context"
	"io"
	"iter"

	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
)

// Snapshot is one state of a context: a published snapshot, a prepared candidate, or the
// working state at one moment. It is immutable and safe for concurrent use.
//
// An erasure does not change a Snapshot that the program holds: it still has what is in its
// memory, namely headers, contents that this process wrote or that were drafts, and rendered
// bytes. A content that it reads from the store after the erasure is "[erased]".
// [Context.At] returns the snapshot as it is after the erasure (docs/erasure.md).
type Snapshot struct {
	hiddenTree
	edition selector.Edition
	alone   bool // ReadSnapshot made it, and an address can name nothing else
}

// The packages of this module get the tree of a snapshot and the node of a [Node] with tree.Of. The
// embedded fields have names that are not exported.
type (
	hiddenTree = tree.Hidden[tree.Tree]
	hiddenNode = tree.Hidden[tree.Node]
)

// Sealed is a snapshot that a call committed, or prepared for the next commit.
type Sealed struct {
	*Snapshot
	Report   *lifecycle.Report // what the commit removed and held back, and why; the log keeps it
	Repeated bool              // an earlier call with the same request token made this commit
}

// show returns a tree of a context as a snapshot.
func (s *state) show(t *tree.Tree) *Snapshot {
	return &Snapshot{hiddenTree: tree.Hide(t), edition: selector.Edition(s.Edition)}
}

// Cycle returns the cycle of the snapshot; for the working state that of the next commit.
func (s *Snapshot) Cycle() int64 { return tree.Of(s).Cycle() }

// Edition returns the edition of the selector language that the context or the document
// has.
func (s *Snapshot) Edition() selector.Edition { return s.edition }

// Len returns the number of nodes. Cost: O(1).
func (s *Snapshot) Len() int { return tree.Of(s).Len() }

// Digest returns a SHA-256 in hexadecimal of all headers and contents: snapshots with equal
// contents have equal digests.
func (s *Snapshot) Digest() string { return tree.Of(s).Digest().String() }

// Node returns the node with an id. It returns E_NODE_NOT_FOUND if there is none.
// Cost: O(depth · log n).
func (s *Snapshot) Node(id string) (_ Node, err error) {
	e, err := tree.Of(s).Entry(id)
	if err != nil {
		return Node{}, err
	}
	if e == nil {
		return Node{}, tree.NoNode(id, "in this snapshot")
	}
	return nodeOf(e, tree.Of(s)), nil
}

// Nodes yields all nodes in document order, one at a time. If a part of the snapshot
// cannot be read from the store, it yields that error and ends.
func (s *Snapshot) Nodes() iter.Seq2[Node, error] {
	return func(yield func(Node, error) bool) {
		for at, err := range tree.Of(s).All() {
			var n Node
			if err == nil {
				n = nodeOf(at.Entry, tree.Of(s))
			}
			if !yield(n, err) {
				return
			}
		}
	}
}

// ThreadSize returns the number of blocks and of bytes of the canonical thread. Cost: O(1).
func (s *Snapshot) ThreadSize() (blocks int, bytes int64) { return tree.Of(s).ThreadSize() }

// Tokens returns the number of tokens of the contents in the thread: for a text its
// tokens, for any other content those of its canonical JSON. It does not include what a
// provider adds for each message. Cost: the contents that were not counted before, in
// this snapshot or in one that shares their nodes.
func (s *Snapshot) Tokens(ctx context.Context, counter Counter) (int64, error) {
	return tree.Tokens(counter).Sum(ctx, tree.Of(s).Root())
}

// WriteThread writes the canonical thread (02 §12), the bytes to send to a model. The same
// snapshot always gives the same bytes.
func (s *Snapshot) WriteThread(ctx context.Context, w io.Writer) error {
	return tree.Of(s).WriteThread(ctx, w)
}

// Thread returns the canonical thread (02 §12), which [Snapshot.WriteThread] writes.
func (s *Snapshot) Thread(ctx context.Context) ([]byte, error) { return tree.Of(s).Thread(ctx) }

// Export writes the canonical document of the snapshot (05 §3.1).
func (s *Snapshot) Export(ctx context.Context, w io.Writer) (err error) {
	return document.Write(ctx, w, tree.Of(s), string(s.edition))
}
