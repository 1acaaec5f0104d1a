package transcript

import (
	"context"
	"math"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// ImportOptions says how the context of a conversation is made. A nil
// *ImportOptions is the zero ImportOptions.
type ImportOptions struct {
	// CreateOptions are those of the context. Without a clock there is one that
	// counts nanoseconds from 0, so that the same conversation gives the same bytes;
	// the context that is returned goes on with it. Attrs take the place of the
	// fields of the conversation.
	pact.CreateOptions
	// Policy prunes at every call, so that the snapshots are what the model would
	// have seen. Calls without results and results without calls that the
	// conversation has are kept, unless the policy says otherwise. A result that
	// comes when its call was pruned is left out with it.
	Policy lifecycle.Policy
	// Progress, if not nil, is called after every call of the conversation with the
	// number done and their total.
	Progress func(done, total int)
}

// Import makes a context of a conversation. Its snapshots are what the model
// calls were sent, oldest first; the working state is the end of the
// conversation. The whole import is one durable step of the store. A
// conversation without a model call has no snapshot, and its context is made in
// two steps: created, and filled.
//
// Where a call was not sent what the one before it was sent and more, because
// earlier messages were rewritten, changed system messages at the beginning are
// updated in ^sys. Of the others, those from the first change on go and come
// again in the new turn as far as they are still sent: turns are pruned as a
// whole, but the turn with the change keeps what stands before it where the
// change is outside its core. What only the end of the conversation drops is
// kept outside the cores, where it can be removed without a commit.
//
// E_CONFLICT if the name is taken, and the errors of a commit with the policy.
//
// Specification: 07 §4, 07 §4.1.
func Import(ctx context.Context, s store.Store, name string, c *Conversation, o *ImportOptions) (_ *pact.Context,
	err error) {
	defer tree.Recover(&err)
	if o == nil {
		o = &ImportOptions{}
	}
	made, policy := o.CreateOptions, o.Policy
	if policy.Orphans == "" {
		policy.Orphans = lifecycle.Keep
	}
	if made.Clock == nil {
		made.Clock = counter()
	}
	if made.Attrs == nil {
		made.Attrs = c.attrs()
	}
	b := &builder{provenance: c.Shape, policy: policy, loose: c.droppedFrom(), calls: callIndex{}}
	if len(c.calls) == 0 {
		made, err := pact.Create(ctx, s, name, &made)
		if err != nil {
			return nil, err
		}
		if err := b.finish(ctx, made, c.final); err != nil {
			return nil, err
		}
		return made, nil
	}
	draft, err := pact.Create(ctx, store.NewMemory(), name, &made)
	if err != nil {
		return nil, err
	}
	for i, list := range c.calls {
		if err := ctx.Err(); err != nil {
			return nil, fault.Wrap(fault.Store, err, "the import was interrupted", "")
		}
		if err := b.commit(ctx, draft, list); err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(i+1, len(c.calls))
		}
	}
	if err := b.finish(ctx, draft, c.final); err != nil {
		return nil, err
	}
	return draft.Copy(ctx, s, name)
}

// counter is a clock that reads 0, 1, 2 …
func counter() func() int64 {
	next := int64(-1)
	return func() int64 {
		next++
		return next
	}
}

// droppedFrom returns the position in the body from which on the end of the
// conversation drops what the last call was sent.
func (c *Conversation) droppedFrom() int {
	if len(c.calls) == 0 {
		return math.MaxInt
	}
	_, sent := split(c.calls[len(c.calls)-1])
	_, final := split(c.final)
	if n := common(sent, final); n < len(sent) {
		return n
	}
	return math.MaxInt
}

// split divides a list into the system messages that lead it, for ^sys, and
// its body.
func split(list []*message) (header, body []*message) {
	for i, m := range list {
		if m.role != "system" {
			return list[:i], list[i:]
		}
	}
	return list, nil
}

// common returns how many messages two lists share at their beginning.
func common(a, b []*message) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
