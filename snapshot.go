package pact

import (
	"bytes"
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
	tree    *tree.Tree
	edition selector.Edition
	alone   bool // ReadSnapshot made it, and an address can name nothing else
}

// Sealed is a snapshot that a call committed, or prepared for the next commit.
type Sealed struct {
	*Snapshot
	Report   *lifecycle.Report // what the commit removed and held back, and why; the log keeps it
	Repeated bool              // an earlier call with the same request token made this commit
}

// Cycle returns the cycle of the snapshot; for the working state that of the next commit.
func (s *Snapshot) Cycle() int64 { return s.tree.Cycle() }

// Edition returns the edition of the selector language that the context or the document
// has.
func (s *Snapshot) Edition() selector.Edition { return s.edition }

// Tree returns the tree of the snapshot, for packages that work on trees.
func (s *Snapshot) Tree() *tree.Tree { return s.tree }

// Digest returns a SHA-256 in hexadecimal of all headers and contents: snapshots with equal
// contents have equal digests.
func (s *Snapshot) Digest() string { return s.tree.Digest().String() }

// Node returns the node with an id. It returns E_NODE_NOT_FOUND if there is none.
// Cost: O(depth · log n).
func (s *Snapshot) Node(id string) (_ Node, err error) {
	e, err := s.tree.Entry(id)
	if err != nil {
		return Node{}, err
	}
	if e == nil {
		return Node{}, tree.NoNode(id, "in this snapshot")
	}
	return nodeOf(e, s.tree), nil
}

// Nodes yields all nodes in document order, one at a time. If a part of the snapshot
// cannot be read from the store, it yields that error and ends.
func (s *Snapshot) Nodes() iter.Seq2[Node, error] {
	return func(yield func(Node, error) bool) {
		for at, err := range s.tree.All() {
			var n Node
			if err == nil {
				n = nodeOf(at.Entry, s.tree)
			}
			if !yield(n, err) {
				return
			}
		}
	}
}

// ThreadSize returns the number of blocks and of bytes of the canonical thread. Cost: O(1).
func (s *Snapshot) ThreadSize() (blocks int, bytes int64) { return s.tree.ThreadSize() }

// Tokens returns the number of tokens of the contents in the thread: for a text its
// tokens, for any other content those of its canonical JSON. It does not include what a
// provider adds for each message. Cost: the contents that were not counted before, in
// this snapshot or in one that shares their nodes.
func (s *Snapshot) Tokens(ctx context.Context, counter tree.Counter) (int64, error) {
	return tree.Tokens(counter).Sum(ctx, s.tree.Root())
}

// WriteThread writes the canonical thread (02 §12), the bytes to send to a model. The same
// snapshot always gives the same bytes.
func (s *Snapshot) WriteThread(ctx context.Context, w io.Writer) error {
	return s.tree.WriteThread(ctx, w)
}

// Thread returns the canonical thread (02 §12), which [Snapshot.WriteThread] writes.
func (s *Snapshot) Thread(ctx context.Context) ([]byte, error) { return s.tree.Thread(ctx) }

// Export writes the canonical document of the snapshot (05 §3.1).
func (s *Snapshot) Export(ctx context.Context, w io.Writer) (err error) {
	return document.Write(ctx, w, s.tree, string(s.edition))
}

// Bytes returns the canonical document of the snapshot (05 §3.1).
func (s *Snapshot) Bytes(ctx context.Context) ([]byte, error) {
	var b bytes.Buffer
	err := s.Export(ctx, &b)
	return b.Bytes(), err
}
