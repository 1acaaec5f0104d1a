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
// After an erasure in its context, by any handle or process, a Snapshot that the program holds, and its nodes, give
// out no content and no thread any more: a method that would read one returns E_CONFLICT, also if the bytes are in
// memory. So does one after the context was deleted, and E_STORE after its store was closed. To know, each of these
// methods asks the store, unless that was asked less than 20 milliseconds ago. [Context.At] returns the snapshot as
// it is after the erasure (docs/erasure.md).
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

// open returns the working state as its edition shows it.
func (s *state) open() *tree.Tree { return s.Working.Open() }

// show returns a tree of a context as a snapshot.
func (s *state) show(t *tree.Tree) *Snapshot {
	return &Snapshot{hiddenTree: tree.Hide(t, tree.Asker(s)), edition: s.Edition}
}

// Ask implements [tree.Asker].
func (s *state) Ask(ctx context.Context) error { return s.From.Present(ctx, s.Key, s.Erasures) }

// asking returns a context for one operation on the snapshot.
func (s *Snapshot) asking(ctx context.Context) context.Context {
	return tree.Asking(ctx, tree.AskerOf(s))
}

// Cycle returns the cycle of the snapshot; for the working state that of the next commit.
func (s *Snapshot) Cycle() int64 { return tree.Of(s).Cycle() }

// Edition returns the edition of the selector language that the context or the document has.
func (s *Snapshot) Edition() selector.Edition { return s.edition }

// Len returns the number of nodes. Cost: O(1).
func (s *Snapshot) Len() int { return tree.Of(s).Len() }

// Digest returns a SHA-256 in hexadecimal of all headers and contents: snapshots with equal
// contents have equal digests.
func (s *Snapshot) Digest() string { return tree.Of(s).Digest().String() }

// Node returns the node with an id. It returns E_NODE_NOT_FOUND if there is none. Cost: O(depth · log n).
func (s *Snapshot) Node(id string) (_ Node, err error) {
	e, err := tree.Of(s).Entry(id)
	if err != nil {
		return Node{}, err
	}
	if e == nil {
		return Node{}, tree.NoNode(id, "in this snapshot")
	}
	return nodeOf(e, tree.Of(s), tree.AskerOf(s)), nil
}

// Place is where a node stands (1.0 05 §2.5). The root has no parent, no siblings and index 0.
type Place struct {
	Up    string   // the id of the parent
	Frame []string // the ids of its children in canonical order, the node among them
	Index int      // of the node in Frame, from 0
}

// Place returns where the node with an id stands. It returns E_NODE_NOT_FOUND if there is none. Cost: O(depth · log n)
// and the siblings.
func (s *Snapshot) Place(id string) (p Place, err error) {
	path, err := tree.Of(s).Path(id)
	switch {
	case err != nil:
		return Place{}, err
	case len(path) == 0:
		return Place{}, tree.NoNode(id, "in this snapshot")
	case len(path) == 1:
		return Place{}, nil
	}
	parent := path[len(path)-2]
	p.Up = parent.Node().ID
	for e, err := range parent.Children().All() {
		if err != nil {
			return Place{}, err
		}
		if e.Node().ID == id {
			p.Index = len(p.Frame)
		}
		p.Frame = append(p.Frame, e.Node().ID)
	}
	return p, nil
}

// Nodes yields all nodes in document order, one at a time. If a part of the snapshot
// cannot be read from the store, it yields that error and ends.
func (s *Snapshot) Nodes() iter.Seq2[Node, error] {
	return func(yield func(Node, error) bool) {
		for at, err := range tree.Of(s).All() {
			var n Node
			if err == nil {
				n = nodeOf(at.Entry, tree.Of(s), tree.AskerOf(s))
			}
			if !yield(n, err) {
				return
			}
		}
	}
}

// ThreadSize returns the number of blocks and of bytes of the canonical thread. Cost: O(1).
func (s *Snapshot) ThreadSize() (blocks int, bytes int64) { return tree.Of(s).ThreadSize() }

// Tokens returns the number of tokens of the contents in the thread: for a text its tokens, for any other content
// those of its canonical JSON. It does not include what a provider adds for each message. Cost: the contents that
// were not counted before, in this snapshot or in one that shares their nodes.
func (s *Snapshot) Tokens(ctx context.Context, counter Counter) (int64, error) {
	return tree.Tokens(counter).Sum(s.asking(ctx), tree.Of(s).Root())
}

// WriteThread writes the canonical thread (02 §12), the bytes to send to a model. The same
// snapshot always gives the same bytes.
func (s *Snapshot) WriteThread(ctx context.Context, w io.Writer) error {
	return tree.Of(s).WriteThread(s.asking(ctx), w)
}

// Thread returns the canonical thread (02 §12), which [Snapshot.WriteThread] writes.
func (s *Snapshot) Thread(ctx context.Context) ([]byte, error) {
	return tree.Of(s).Thread(s.asking(ctx))
}

// Export writes the canonical document of the snapshot (05 §3.1).
func (s *Snapshot) Export(ctx context.Context, w io.Writer) (err error) {
	return document.Write(s.asking(ctx), w, tree.Of(s), s.edition)
}
