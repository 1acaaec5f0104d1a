package transcript

import (
	"cmp"
	"context"
	"math"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// ImportOptions says how to make the context of a conversation. A nil
// *ImportOptions is the zero ImportOptions.
type ImportOptions struct {
	// CreateOptions are the options of the context. Without a clock, Import
	// uses one that counts nanoseconds from 0, so the same conversation always
	// gives the same bytes; the returned context continues that clock. Attrs
	// replace the fields of the conversation.
	pact.CreateOptions
	// Policy prunes at every call, so that the snapshots hold what the model
	// would have seen. Unless the policy says otherwise, calls without results
	// and results without calls stay. A result whose call was pruned before it
	// came is left out.
	Policy lifecycle.Policy
	// Pruned, if not nil, is called after every call with the working state before the messages
	// of that call were added, and the report of the commit. An error ends the import.
	Pruned func(before *pact.Snapshot, report *lifecycle.Report) error
	// Progress, if not nil, is called after every call of the conversation with
	// the number done and the total.
	Progress func(done, total int)
}

// Import makes a context of a conversation. Its snapshots hold the messages that each model call was sent, oldest
// first; the working state is the end of the conversation. The whole import is one durable step of the store. A
// conversation without a model call has no snapshot; Import then takes two steps, one to create the context and
// one to fill it.
//
// A call may rewrite earlier messages instead of only adding to those of the previous call. Import updates changed
// system messages at the beginning in place, in ^sys. Of the other messages, it removes those from the first
// change on, and adds the ones still sent to the new turn. It prunes whole turns; but if the change lies outside
// the core of its turn, that turn keeps the messages before the change. Messages that only the end of the
// conversation drops stay outside the cores, where they can be removed without a commit.
//
// E_CONFLICT if the name is taken, and the errors of a commit with the policy.
//
// Specification: 07 §4, 07 §4.1.
func Import(ctx context.Context, s *pact.DB, name string, c *Conversation, o *ImportOptions) (_ *pact.Context,
	err error) {
	if o == nil {
		o = &ImportOptions{}
	}
	release, err := budget.Reserve(ctx, c.Memory())
	if err != nil {
		return nil, err
	}
	defer release()
	made, policy := o.CreateOptions, o.Policy
	if made.Clock == nil {
		made.Clock = counter()
	}
	made.Edition = cmp.Or(made.Edition, s.Edition)
	if made.Attrs == nil {
		made.Attrs = c.attrs()
	}
	calls, final := c.lists()
	b := &builder{provenance: c.Shape(), policy: policy, loose: droppedFrom(calls, final), calls: callIndex{},
		pruned: o.Pruned}
	if len(calls) == 0 {
		made, err := pact.Create(ctx, s, name, &made)
		if err != nil {
			return nil, err
		}
		if err := b.finish(ctx, made, final); err != nil {
			return nil, err
		}
		return made, nil
	}
	memory := pact.NewDB(store.NewMemory())
	defer memory.Close() // it loses nothing that counts
	draft, err := pact.Create(ctx, memory, name, &made)
	if err != nil {
		return nil, err
	}
	for i, list := range calls {
		if err := ctx.Err(); err != nil {
			return nil, fault.Wrap(fault.Store, err, "the import was interrupted", "import it again")
		}
		if err := b.commit(ctx, draft, list); err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(i+1, len(calls))
		}
	}
	if err := b.finish(ctx, draft, final); err != nil {
		return nil, err
	}
	return draft.Copy(ctx, s, name)
}

// counter returns a clock that reads 0, 1, 2 …
func counter() func() int64 {
	next := int64(-1)
	return func() int64 {
		next++
		return next
	}
}

// droppedFrom returns the position in the body from which the end of the
// conversation drops the messages that the last call was sent.
func droppedFrom(calls [][]*message, final []*message) int {
	if len(calls) == 0 {
		return math.MaxInt
	}
	_, sent := split(calls[len(calls)-1])
	_, final = split(final)
	if n := common(sent, final); n < len(sent) {
		return n
	}
	return math.MaxInt
}

// split divides a list into the leading system messages, for ^sys, and the
// body.
func split(list []*message) (header, body []*message) {
	for i, m := range list {
		if m.role != "system" {
			return list[:i], list[i:]
		}
	}
	return list, nil
}

// common counts the messages that two lists share at their beginning.
func common(a, b []*message) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
