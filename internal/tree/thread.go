package tree

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/contexttree/pact/internal/canon"
)

// RoleIn returns the role with which a region renders the block: the block's own or, if
// it has none, system in ^sys and user elsewhere (02 §12.4); in edition 1.0 before that a
// tag that names a role (1.0 07 §4.1). It is "" if the node's role is not text.
//
// Specification: 02 §12.4.
func (n *Node) RoleIn(region Class) string {
	if n.Bare && n.Role == "" {
		for _, tag := range n.Tags {
			if slices.Contains(roles, tag) {
				return tag
			}
		}
	}
	role, _ := n.renderedRole(region).Text()
	return role
}

// renderedRole is RoleIn in JSON, as the thread has it.
func (n *Node) renderedRole(region Class) canon.Value {
	if role := n.Header("role"); role != "" {
		return role
	}
	return defaultRole(region)
}

// defaultRole is the role of a block that has none, in JSON (02 §12.4).
func defaultRole(region Class) canon.Value {
	if region == Sys {
		return `"system"`
	}
	return `"user"`
}

// Thread returns the canonical thread (02 §12), as WriteThread writes it. It fails
// if a content cannot be read from the store.
func (t *Tree) Thread(ctx context.Context) ([]byte, error) {
	_, size := t.ThreadSize()
	buf := bytes.NewBuffer(make([]byte, 0, size))
	if err := t.WriteThread(ctx, buf); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// BlockAt returns the block of the thread with index n, counted from 0, and its region; nil
// if the thread has fewer blocks. Cost: O(depth · log n).
func (t *Tree) BlockAt(n int) (block *Node, region Class, err error) {
	for b, err := range t.Blocks(n) {
		if err != nil {
			return nil, 0, err
		}
		return b.node, b.Region, nil
	}
	return nil, 0, nil
}

// CommonBlocks returns how many blocks at the beginning of the threads of two trees render
// to the same bytes. It fails if a content must be read from a store and cannot be;
// contents with equal hashes are not read. Cost: one path where the trees share structure,
// plus the blocks that differ but render alike and the equal blocks that have moved, such
// as those of a sealed ^ah.
func CommonBlocks(ctx context.Context, older, newer *Tree) (n int, err error) {
	n, err = blocksInPlace(older, newer, func(x, y *Node) (bool, error) {
		if !x.Bare && x.Header("role") != y.Header("role") { // in one place the default role is the same too
			return false, nil
		}
		return sameRendering(ctx, x, Seq, y, Seq)
	})
	if err != nil {
		return 0, err
	}
	for ; ; n++ {
		x, xRegion, err := older.BlockAt(n)
		if err != nil {
			return 0, err
		}
		y, yRegion, err := newer.BlockAt(n)
		if err != nil {
			return 0, err
		}
		if x == nil || y == nil {
			return n, nil
		}
		if same, err := sameRendering(ctx, x, xRegion, y, yRegion); err != nil {
			return 0, err
		} else if !same {
			return n, nil
		}
	}
}

// SealedBlocks returns how many blocks at the beginning of ^seq have the same place and are the same version in two
// trees. Cost: that of one path.
func SealedBlocks(older, newer *Tree) (int, error) {
	return blocksOf(older.Region(Seq), newer.Region(Seq), newer.root.node.ID, otherVersion)
}

// SameBlocks is [SealedBlocks] for the threads, whose first blocks are those of ^sys.
func SameBlocks(older, newer *Tree) (int, error) { return blocksInPlace(older, newer, otherVersion) }

func otherVersion(*Node, *Node) (bool, error) { return false, nil }

// blocksInPlace returns how many blocks at the beginning of both threads have the same place in both trees and
// are the same version, or alike. Cost: that of one path, plus what differs in nodes that are not rendered.
func blocksInPlace(a, b *Tree, alike func(x, y *Node) (bool, error)) (int, error) {
	return blocksOf(a.root, b.root, "", alike)
}

func blocksOf(a, b *Entry, parent string, alike func(x, y *Node) (bool, error)) (int, error) {
	shared := sharedBlocks{alike: alike}
	m := merger{to: &shared}
	if err := m.entries(a, b, parent); err != nil && err != errDiffers {
		return 0, err
	}
	return shared.n, nil
}

// sharedBlocks counts for blocksInPlace.
type sharedBlocks struct {
	alike func(x, y *Node) (bool, error)
	n     int
}

// errDiffers ends the walk at the first block that differs.
var errDiffers = errors.New("the threads differ from here on")

func (c *sharedBlocks) same(s *Summary) { c.n += s.Blocks }

func (c *sharedBlocks) both(x, y *Entry, _ string) error {
	if x.class != Block && y.class != Block {
		return nil
	}
	if x.class != y.class {
		return errDiffers
	}
	if x.node.digest != y.node.digest {
		if same, err := c.alike(x.node, y.node); err != nil {
			return err
		} else if !same {
			return errDiffers
		}
	}
	c.n++
	return nil
}

func (c *sharedBlocks) onlyA(e *Entry, _ string) error {
	if e.sum.Blocks > 0 {
		return errDiffers
	}
	return nil
}

func (c *sharedBlocks) onlyB(e *Entry, parent string) error { return c.onlyA(e, parent) }

// sameRendering reports whether two versions of a block render to the same bytes.
// No content renders as the empty text does.
func sameRendering(ctx context.Context, a *Node, aRegion Class, b *Node, bRegion Class) (bool, error) {
	if a == b && aRegion == bRegion {
		return true, nil
	}
	if a.ID != b.ID || a.Bare != b.Bare || a.ThreadBytes(aRegion) != b.ThreadBytes(bRegion) {
		return false, nil
	}
	if !a.Bare && (a.Header("kind") != b.Header("kind") || a.renderedRole(aRegion) != b.renderedRole(bRegion)) {
		return false, nil
	}
	if a.HashOK && b.HashOK && a.Hash == b.Hash {
		return true, nil
	}
	x, err := a.renderedContent(ctx)
	if err != nil {
		return false, err
	}
	y, err := b.renderedContent(ctx)
	return x == y, err
}

const emptyText canon.Value = `""`

// renderedContent is the content as the thread has it, in JSON.
func (n *Node) renderedContent(ctx context.Context) (canon.Value, error) {
	v, err := n.Content.Value(ctx)
	if v == "" {
		v = emptyText
	}
	return v, err
}
