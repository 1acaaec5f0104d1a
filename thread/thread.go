// Package thread renders a tree to what a model is sent: the canonical thread
// of chapter 02 §12, byte for byte the same for the same snapshot, and a report
// of how much of it two snapshots share.
package thread

import (
	"bytes"
	"context"
	"io"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/tree"
)

// Write writes the canonical thread: a compact JSON array with an object for
// each block, regions and turns in render order (02 §12). It changes nothing
// (02 §8.3). Sealed turns keep their bytes, so a second rendering costs about
// what copying the thread does.
func Write(ctx context.Context, w io.Writer, t *tree.Tree) error { return t.WriteThread(ctx, w) }

// Bytes returns the canonical thread. Its size is known beforehand.
func Bytes(ctx context.Context, t *tree.Tree) ([]byte, error) {
	_, size := t.ThreadSize()
	buf := bytes.NewBuffer(make([]byte, 0, size))
	if err := t.WriteThread(ctx, buf); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// Prefix is what the threads of two snapshots have in common at their
// beginning. Providers cache by prefix, byte for byte.
type Prefix struct {
	Blocks int        // whole blocks that are the same
	Bytes  int64      // their size, with commas and the opening bracket
	Old    *tree.Node // the first block that differs, as the older thread has it, nil where that one ends
	New    *tree.Node // and as the newer one has it
}

// Complete reports whether the whole older thread is the prefix.
func (p Prefix) Complete() bool { return p.Old == nil }

// Common returns the prefix that the thread of an older tree shares with that
// of a newer one. Cost: that of one path where the trees share structure, plus
// the blocks that differ and render alike, and those that are equal though they
// moved, as those of a sealed ^ah do.
func Common(ctx context.Context, older, newer *tree.Tree) (Prefix, error) {
	var failed error
	n := tree.CommonBlocks(older, newer, func(x, y *tree.Node) bool {
		alike := x.Header("role") == y.Header("role") && failed == nil // in one place the default is the same too
		if alike {
			alike, failed = sameRendering(ctx, x, tree.Seq, y, tree.Seq)
		}
		return alike && failed == nil
	})
	if failed != nil {
		return Prefix{}, failed
	}
	for {
		old, oldRegion := blockAt(older, n)
		now, nowRegion := blockAt(newer, n)
		p := Prefix{Old: old, New: now}
		if old == nil || now == nil {
			return finish(p, newer, n), nil
		}
		same, err := sameRendering(ctx, old, oldRegion, now, nowRegion)
		if err != nil {
			return Prefix{}, err
		}
		if !same {
			return finish(p, newer, n), nil
		}
		n++
	}
}

func finish(p Prefix, newer *tree.Tree, n int) Prefix {
	p.Blocks, p.Bytes = newer.ThreadPrefix(n)
	return p
}

func blockAt(t *tree.Tree, n int) (node *tree.Node, region tree.Class) {
	t.BlocksFrom(n, func(e *tree.Entry, r tree.Class) bool {
		node, region = e.Node(), r
		return false
	})
	return node, region
}

// Role is the role that a block is rendered with: its own or, where it has
// none, system in ^sys and user elsewhere (02 §12.4).
func Role(n *tree.Node, region tree.Class) canon.Value {
	if role := n.Header("role"); role != "" {
		return role
	}
	if region == tree.Sys {
		return `"system"`
	}
	return `"user"`
}

// sameRendering reports whether two versions of a block give the same bytes. No
// content is rendered as the empty text is.
func sameRendering(ctx context.Context, a *tree.Node, ra tree.Class, b *tree.Node, rb tree.Class) (bool, error) {
	if a == b && ra == rb {
		return true, nil
	}
	if a.ID != b.ID || Role(a, ra) != Role(b, rb) || a.Header("kind") != b.Header("kind") || renderedSize(a) != renderedSize(b) {
		return false, nil
	}
	if a.HashOK && b.HashOK && a.Hash == b.Hash {
		return true, nil
	}
	x, err := rendered(ctx, a)
	if err != nil {
		return false, err
	}
	y, err := rendered(ctx, b)
	return x == y, err
}

const empty = canon.Value(`""`)

func renderedSize(n *tree.Node) int {
	if n.Content.Size() == 0 {
		return len(empty)
	}
	return n.Content.Size()
}

func rendered(ctx context.Context, n *tree.Node) (canon.Value, error) {
	v, err := n.Content.Value(ctx)
	if v == "" {
		v = empty
	}
	return v, err
}
