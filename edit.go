package pact

import (
	"context"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/query"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// Batch is a set of edits that become visible, and durable, as one step. Its
// methods may be called only inside the function that received it. A parent is
// an id or the name of a region: ^sys, ^ah.
type Batch struct {
	ctx     context.Context // of the call that the batch belongs to
	editor  *tree.Editor
	edition Edition
}

// Add puts a new node under a parent and returns its id. Its place among its
// siblings follows from its offset and its stamps (02 §4.3).
func (b *Batch) Add(parent string, s Spec) (id string, err error) { return b.editor.Add(parent, s) }

// Insert puts a new node where a position such as (d0, cont[offset=0], end)
// says and returns its id (001, 003 §3.9).
func (b *Batch) Insert(position string, s Spec) (id string, err error) {
	gap, err := b.gap(position)
	if err != nil {
		return "", err
	}
	return b.editor.AddAt(gap, s)
}

// ParseSpec is [ParseSpec] in the edition of the context. An empty text is a
// block with nothing in it.
func (b *Batch) ParseSpec(text string) (Spec, error) {
	if text == "" {
		return Spec{}, nil
	}
	return ParseSpec(text, b.edition)
}

// Update sets headers of a node: content, priority, tags, custom attributes
// and, for a node of this cycle, also ttl, offset, role, kind, key, refs,
// pinned, provenance, mime and encoding. nil removes an optional one.
func (b *Batch) Update(id string, set map[string]any) error { return b.editor.Update(id, set) }

// Remove takes a node out of the working state with everything below it.
func (b *Batch) Remove(id string) error { return b.editor.Remove(id) }

// Move hangs a node under another parent or at another offset and returns its
// id: a new one where the node is of an earlier cycle, because its move is a
// removal and a new node (02 §2.3).
func (b *Batch) Move(id, parent string, offset int64) (newID string, err error) {
	return b.editor.Move(id, parent, offset)
}

// MoveTo is Move to a position.
func (b *Batch) MoveTo(id, position string) (newID string, err error) {
	gap, err := b.gap(position)
	if err != nil {
		return "", err
	}
	return b.editor.MoveAt(id, gap)
}

// Reorder puts siblings of this cycle, at one offset, in the given order.
func (b *Batch) Reorder(ids ...string) error { return b.editor.Reorder(ids...) }

// Has reports whether the node is in the working state as edited so far.
func (b *Batch) Has(id string) bool { return b.editor.Has(id) }

// gap finds the place that an insertion position names.
func (b *Batch) gap(position string) (tree.Gap, error) {
	p, err := selector.ParsePosition(position, b.edition)
	if err != nil {
		return tree.Gap{}, err
	}
	return query.Gap(b.ctx, b.editor.Tree(), p, b.edition)
}

// CallOption says something about one edit or commit.
type CallOption func(*call)

type call struct {
	actor, message, request string
	edit                    func(*Batch) error
	policy                  Policy
	prune, rewrite          []string
	choose                  []*selector.Selector
}

// By names who does it, for the log, instead of the context's actor.
func By(actor string) CallOption { return func(c *call) { c.actor = actor } }

// WithMessage says why, for the log.
func WithMessage(m string) CallOption { return func(c *call) { c.message = m } }

// WithRequest gives the call a token. A call with a token that the log holds
// already does nothing, so that it can be repeated after a lost answer.
func WithRequest(token string) CallOption { return func(c *call) { c.request = token } }

func (c *Context) call(opts []CallOption) call {
	k := call{actor: c.actor}
	for _, opt := range opts {
		opt(&k)
	}
	return k
}

func (k *call) entry(s tree.Stamps) store.Entry {
	return store.Entry{Cycle: s.Cycle, TimeNS: s.LastNS, Actor: k.actor, Message: k.message, Request: k.request}
}

// Edit changes the working state: all of what f does, or nothing when it
// returns an error. The edits are kept across processes. A prepared candidate
// is discarded. E_CONFLICT where another process was faster: Refresh, and
// decide again. Cost: that of the change.
func (c *Context) Edit(ctx context.Context, f func(*Batch) error, opts ...CallOption) error {
	k := c.call(opts)
	c.write.Lock()
	defer c.write.Unlock()
	s := c.state.Load()
	if done, err := c.seen(ctx, s, k.request); err != nil {
		return err
	} else if done != nil && done.Kind != store.Edit {
		return fault.New(fault.Conflict, "the request "+k.request+" was a commit", "give every call a token of its own")
	} else if done != nil {
		return nil
	}
	x := tree.Edit(ctx, s.Working, s.Head, s.Stamps, c.env(ctx, s))
	if err := f(&Batch{ctx, x, Edition(s.Edition)}); err != nil {
		return err
	}
	after := x.Tree()
	if after.Digest() == s.Working.Digest() && k.request == "" {
		return nil
	}
	change := store.Change{Before: s.Working, After: after, Stamps: x.Stamps, Entry: k.entry(x.Stamps)}
	if err := c.store.Apply(ctx, s.Key, guard(s), change); err != nil {
		return err
	}
	next := state{State: s.State, idle: s.idle}
	next.Revision++
	next.Working, next.Stamps = after, x.Stamps
	c.state.Store(&next)
	return nil
}

func guard(s *state) store.Guard { return store.Guard{Cycle: s.State.Cycle, Revision: s.Revision} }

// seen returns the log entry of a request that was carried out before. Where
// another process did so, its work is taken up.
func (c *Context) seen(ctx context.Context, s *state, token string) (*store.Entry, error) {
	if token == "" {
		return nil, nil
	}
	e, err := c.store.Request(ctx, s.Key, token)
	if e == nil || err != nil || e.Revision <= s.Revision {
		return e, err
	}
	loaded, err := c.store.Load(ctx, s.Key)
	if err != nil {
		return nil, err
	}
	c.state.Store(&state{State: *loaded})
	return e, nil
}

func noNode(id string) error {
	return fault.OnNode(fault.NodeNotFound, id, "there is no such node in the working state", "pact show draws what is there")
}
