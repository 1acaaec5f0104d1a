package recall

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
)

type pinning struct {
	ID      string `json:"id" jsonschema:"of the block"`
	Off     bool   `json:"off,omitempty" jsonschema:"let policies take it again"`
	Context string `json:"context,omitempty"`
}

// pin has policies leave a block alone.
func (t *tools) pin(ctx context.Context, in pinning) (string, error) {
	c, err := t.open(ctx, in.Context)
	if err != nil {
		return "", err
	}
	if _, err := c.Working().Node(in.ID); err != nil {
		if _, _, gone := view.Find(ctx, t.db, c, t.mayAccess, in.ID); gone == nil {
			return "", fault.OnNode(fault.NodeNotFound, in.ID, "the block is no longer in the context", "recall has its text")
		}
		return "", err
	}
	if record.Recorded(c.Working()) {
		what, says := record.Pin, " stays in what is sent from the next call on, whole, whatever a policy says."
		if in.Off {
			what, says = record.Undo, " is no longer pinned or left out by hand; from the next call on policies may take it again."
		}
		if _, err := record.DecideByHand(ctx, t.db, c, what, []string{in.ID}, false); err != nil {
			return "", err
		}
		return commit.Recalled + view.Visible(in.ID) + says, nil
	}
	err = edit(ctx, c, func(b *pact.Batch) error {
		b.Update(in.ID, func(s *pact.Spec) { s.Pinned = !in.Off })
		return nil
	}, t.note("pin"))
	if fault.CodeOf(err) == fault.Sealed {
		err = t.pinSealed(ctx, c, &in)
	}
	if err != nil {
		return "", err
	}
	if in.Off {
		return commit.Recalled + "policies may take " + view.Visible(in.ID) + " again.", nil
	}
	return commit.Recalled + view.Visible(in.ID) + " stays.", nil
}

// pinSealed pins a block whose headers no edit changes any more: the policy that the context keeps gets a rule
// for it, before all others.
func (t *tools) pinSealed(ctx context.Context, c *pact.Context, in *pinning) error {
	policy, err := c.Working().Policy()
	if err != nil {
		return err
	}
	n, err := c.Working().Node(in.ID)
	if err != nil {
		return err
	}
	if n.TTL != nil && !in.Off { // a ttl ends whatever a policy says (03 §3.1)
		return fault.OnNode(fault.Sealed, in.ID, "the block goes after "+view.Plural(int(*n.TTL), "more call")+", which nothing changes any more",
			"recall has its text then too")
	}
	if policy == nil {
		return fault.OnNode(fault.Sealed, in.ID, "the block is sealed, and the context keeps no policy that could take it",
			"recall has its text, whatever happens to it")
	}
	rule := lifecycle.Rule{Select: "[id=" + strconv.Quote(in.ID) + "]", Keep: true}
	same := func(r lifecycle.Rule) bool { return r.Keep && r.Select == rule.Select }
	return edit(ctx, c, func(b *pact.Batch) error {
		policy, err := c.Working().Policy() // another agent may have changed it
		if err != nil || policy == nil {
			return err
		}
		policy.Rules = slices.DeleteFunc(slices.Clone(policy.Rules), same)
		if !in.Off {
			policy.Rules = slices.Insert(policy.Rules, 0, rule)
		}
		b.KeepPolicy(policy)
		return nil
	}, t.note("pin"))
}

// mostTries is how often a change is tried while other agents change the context.
const mostTries = 500

// edit changes the working state, and does it again on what others left who were faster: a change of these tools
// fits any state. One of all who try succeeds each time.
func edit(ctx context.Context, c *pact.Context, f func(*pact.Batch) error, n *pact.Note) error {
	err := c.Edit(ctx, f, n)
	for range mostTries {
		var lost *pact.Conflict
		if !errors.As(err, &lost) || ctx.Err() != nil {
			break
		}
		_, err = lost.Rebase(ctx)
	}
	return err
}

// note says in the log who changed a context.
func (t *tools) note(tool string) *pact.Note {
	return &pact.Note{Actor: t.options.Actor, Message: tool + " over MCP"}
}
