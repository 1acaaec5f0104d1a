package pact

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// Batch is a set of edits that become visible and durable in one step. Call its methods
// only inside the function that received it.
//
// The first error sticks: all later calls do nothing and return "", and [Context.Edit] or
// [Context.Commit] returns that error even if the function returned nil. So a function that
// only edits needs no checks. [Batch.Err] returns the error so far.
type Batch struct {
	ctx     context.Context // of the call that the batch belongs to
	editor  *tree.Editor
	edition selector.Edition
	err     error // the first one
}

// Edition returns the edition of the context, in which the batch reads texts.
func (b *Batch) Edition() selector.Edition { return b.edition }

// Err returns the first error of the batch, nil if there is none.
func (b *Batch) Err() error { return b.err }

// Add adds a new node and returns its id. position is the parent, an id or the name of a region (^sys, ^ah), or a place such
// as (d0, cont[offset=0], end), among siblings (001, 003 §3.9). node is a [Spec], or a text that describes one in the
// edition of the context (001 §6):
//
//	b.Add("^ah", pact.Spec{Role: "user", Content: "Hello"})
//	b.Add("(d0, cont[offset=0], )", "block:text {key='hero', ttl=5, content='Hello'} +featured")
//
// In editions with a kind facet block:text is a block of kind text; in v0.1 it is a node of the type block:text.
// Attributes are the headers of a node by name; tag and ref stand for tags and refs with one value; pinned and removable
// need no value.
//
// Under a parent, the offset and the stamps of the node determine its place among its siblings (02 §4.3). Errors:
// E_NODE_NOT_FOUND if there is no such parent, E_PLACEMENT_INVALID if the node may not stand there, E_NODE_DUPLICATE
// if the history has the id already, E_DOCUMENT_INVALID for an invalid header or content or a node that is neither,
// E_SELECTOR_INVALID for a text that is not a position or describes no node. Cost: O(depth · log n), and what the
// selectors of a position visit.
func (b *Batch) Add(position string, node any) (id string) {
	return b.node(func() (string, error) {
		var spec Spec
		var err error
		switch node := node.(type) {
		case Spec:
			spec = node
		case string:
			var read tree.Spec
			read, err = query.ParseSpec(node, b.edition)
			spec = Spec(read)
		default:
			err = fault.New(fault.DocumentInvalid, fmt.Sprintf("a %T describes no node", node),
				"give a pact.Spec, or a text such as block:text {content='Hello'}")
		}
		if err != nil {
			return "", err
		}
		named, err := b.isParent(position)
		if err != nil {
			return "", err
		}
		if named {
			return b.editor.Add(position, tree.Spec(spec))
		}
		gap, err := b.gap(position)
		if gap == nil {
			return "", err
		}
		return b.editor.AddAt(*gap, tree.Spec(spec))
	})
}

// AddResult adds the result of a call to the active head and returns its id. The call and the result refer to each
// other, so that they expire and are pruned together; a call of an earlier cycle is sealed, so only the result refers
// to it. If the spec leaves them out, the role is tool, the kind is result, and the offset is that of the call or of
// the group around it, so that the result comes after the call, in the core if the call is in the core. Errors:
// E_NODE_NOT_FOUND if there is no such node, E_PLACEMENT_INVALID if it is not a call.
func (b *Batch) AddResult(call string, s Spec) (id string) {
	return b.node(func() (string, error) {
		call, err := b.named(call)
		if err != nil {
			return "", err
		}
		return b.editor.AddResult(call, tree.Spec(s))
	})
}

// AddEvery adds a new member of the family of spec.Key to the active head if one is due: if the family has no living
// member, or its newest member is at least every cycles old. It returns the id of the newest member and whether it
// was added now. Older members stay in their turns; a turn never has two.
//
// Errors: E_DOCUMENT_INVALID if every is less than 1, if the spec has no key, or if its ttl is less than every,
// because the member would expire before the next one is due. Cost: the turns since the newest member, and O(log n);
// once for each batch also a look at the nodes in ^ah, in ^sys and in turns with many nodes.
func (b *Batch) AddEvery(every int64, s Spec) (id string, added bool) {
	id = b.node(func() (newest string, err error) {
		newest, added, err = b.editor.AddEvery(every, tree.Spec(s))
		return newest, err
	})
	return id, added
}

// Remove removes a node with everything below it from the working state. In edition 1.0 what it takes out of
// a sealed turn, or a sealed turn, leaves a block of the type redaction in its place. Errors:
// E_NODE_NOT_FOUND if there is no such node, E_SEALED if only pruning may remove it, and for such a block.
func (b *Batch) Remove(id string) {
	b.change(func() error {
		id, err := b.named(id)
		if err != nil {
			return err
		}
		return b.editor.Remove(id)
	})
}

// Move moves a node to a position, as [Batch.Add] reads it, and returns its id; offset is its offset under a parent, and
// not read for a position that is none. A node of an earlier cycle gets a new id, because its move is a removal and a
// new node (02 §2.3); in edition 1.0 it keeps its id inside its region (1.0 02 §4.5.1). Errors: those of [Batch.Add]
// and [Batch.Remove].
func (b *Batch) Move(id, position string, offset int64) (newID string) {
	return b.node(func() (string, error) {
		id, err := b.named(id)
		if err != nil {
			return "", err
		}
		named, err := b.isParent(position)
		if err != nil {
			return "", err
		}
		if named {
			return b.editor.Move(id, position, offset)
		}
		gap, err := b.gap(position)
		if gap == nil {
			return id, err
		}
		return b.editor.MoveAt(id, *gap)
	})
}

// Reorder puts nodes of this cycle that are siblings at one offset into the given order, by
// giving them new stamps. Errors: E_NODE_NOT_FOUND if one of them is missing, E_SEALED if
// one is of an earlier cycle, E_PLACEMENT_INVALID if they are not siblings at one offset.
func (b *Batch) Reorder(ids ...string) { b.change(func() error { return b.editor.Reorder(ids...) }) }

// Has reports whether the working state, as edited so far, has the node. If the store
// cannot tell, Has returns false and the batch fails.
func (b *Batch) Has(id string) bool {
	has, err := b.editor.Has(id)
	if b.err == nil {
		b.err = err
	}
	return has
}

// isParent reports whether a position is a parent, an id or the name of a region. An id can begin as other positions do.
func (b *Batch) isParent(position string) (bool, error) {
	if !strings.HasPrefix(strings.TrimLeft(position, " "), "(") && !b.addressed(position) {
		return true, nil
	}
	return b.editor.Has(position)
}

// addressed reports whether a text is a place behind an address, as edition 1.0 writes it: @t0 (d2, end)?.
func (b *Batch) addressed(position string) bool {
	position = strings.TrimSuffix(strings.TrimSpace(position), "?")
	return b.edition.Traits().T0Working && strings.HasPrefix(position, "@") && strings.HasSuffix(position, ")")
}

// node makes an edit that returns an id, unless an earlier one failed.
func (b *Batch) node(edit func() (string, error)) (id string) {
	b.change(func() (err error) {
		id, err = edit()
		return err
	})
	if b.err != nil {
		return ""
	}
	return id
}

// change makes an edit, unless an earlier one failed.
func (b *Batch) change(edit func() error) {
	if b.err == nil {
		b.err = edit()
	}
}

// edited lets f edit a working state of the context, and returns its error, else the first error of the batch.
func (c *Context) edited(ctx context.Context, s *state, working, head *tree.Tree, stamps tree.Stamps,
	f func(*Batch) error) (*tree.Editor, error) {
	env := c.env(ctx, s)
	env.Families = &c.families
	b := Batch{ctx: ctx, editor: tree.Edit(ctx, working, head, stamps, env), edition: s.Edition}
	if err := f(&b); err != nil {
		return nil, err
	}
	return b.editor, b.err
}

// gap finds the place that an insertion position names; nil, without an error, for a place (…)? that is
// not there (1.0 04 §3.6).
func (b *Batch) gap(position string) (*tree.Gap, error) {
	p, err := selector.ParsePosition(position, b.edition)
	if err != nil {
		return nil, err
	}
	gap, err := query.Gap(b.ctx, b.editor.Tree(), p, b.edition)
	if p.Maybe && errors.Is(err, fault.NodeNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &gap, nil
}

// Edit changes the working state: it makes all edits of f, or none if f returns an error or a call of the batch
// fails. The edits are stored, so that other processes see them. A prepared candidate is discarded. If another
// process was faster, the error is E_CONFLICT with a [Conflict]. Cost: the size of the change.
func (c *Context) Edit(ctx context.Context, f func(*Batch) error, n *Note) (err error) {
	c.write.Lock()
	defer c.write.Unlock()
	s := c.state.Load()
	request := optionsOf(n).Request
	if done, err := c.seen(ctx, s, request); err != nil {
		return err
	} else if done != nil && done.Kind != history.Edit {
		return fault.New(fault.Conflict, "the request token "+strconv.Quote(request)+" belongs to a commit",
			"give every call a token of its own")
	} else if done != nil {
		return nil
	}
	x, err := c.edited(ctx, s, s.Working, s.Head, s.Stamps, f)
	if err != nil {
		return err
	}
	after := x.Tree()
	if after.Digest() == s.Working.Digest() && request == "" {
		return nil
	}
	change := engine.Change{Before: s.Working, After: after, Stamps: x.Stamps, Entry: c.entry(n, x.Stamps)}
	next, err := c.apply(ctx, s, change)
	if err != nil {
		return c.lost(ctx, s, err, func(ctx context.Context) (*Sealed, error) { return nil, c.Edit(ctx, f, n) })
	}
	c.state.Store(next)
	return nil
}
