package recall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
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
		if _, gone := view.Having(ctx, c, in.ID); gone == nil {
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

type noting struct {
	Text    string `json:"text"`
	Key     string `json:"key,omitempty" jsonschema:"its name among notes"`
	TTL     *int64 `json:"ttl,omitempty" jsonschema:"for how many calls it stays; without it for good"`
	Context string `json:"context,omitempty"`
}

// addNote adds a text to the context.
func (t *tools) addNote(ctx context.Context, in noting) (string, error) {
	c, err := t.open(ctx, in.Context)
	if err != nil {
		return "", err
	}
	if in.Text == "" {
		return "", invalid("a note needs a text", "give one")
	}
	if record.Recorded(c.Working()) {
		return noteItself(ctx, c, &in)
	}
	var id string
	err = edit(ctx, c, func(b *pact.Batch) error {
		id = b.Add(pact.RegionHead, pact.Spec{Role: pact.RoleUser, Kind: "note", Key: in.Key, TTL: pact.TTL(in.TTL), Content: in.Text})
		return nil
	}, t.note("note"))
	if err != nil {
		return "", err
	}
	stays := "for good"
	if in.TTL != nil {
		stays = "for " + view.Plural(int(*in.TTL), "call")
	}
	return commit.Recalled + fmt.Sprintf("%s is in the context from the next call on, %s.", id, stays), nil
}

// An answer is recorded while the agent already calls the tools that it names.
const (
	mostLooks   = 10
	betweenLook = 100 * time.Millisecond
)

// noteItself answers for a context whose program says itself what is sent. The call of note with its text is a part of the
// conversation, which the program sends again with each request, and no policy takes calls: it is the note.
func noteItself(ctx context.Context, c *pact.Context, in *noting) (string, error) {
	if in.TTL != nil {
		return "", invalid("the program of the agent says itself how long it sends what, so a ttl would change nothing", "leave it out")
	}
	for look := 0; ; look++ {
		id, err := callOfNote(ctx, c.Working(), in.Text)
		if err != nil {
			return "", err
		}
		if id != "" {
			return commit.Recalled + view.Visible(id) + ", this call with its text, is the note: the program sends it again with each request, " +
				"and no policy takes it. Once the conversation is compacted, recall finds it by a text.", nil
		}
		if look == mostLooks {
			return "", invalid("the program of the agent says itself what is sent of "+view.Visible(c.Name())+
				", and its last answer there does not call note with this text, so this would change nothing",
				"say it in your answer; recall has what was left out")
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(betweenLook):
		}
		if err := c.Refresh(ctx); err != nil {
			return "", err
		}
	}
}

// callOfNote returns the id of a call of note with a text in the answer that was not sent back yet, "" for none.
func callOfNote(ctx context.Context, s *pact.Snapshot, text string) (string, error) {
	for e, err := range tree.Of(s).Region(tree.Head).Children().All() {
		if err != nil {
			return "", err
		}
		n := e.Node()
		if called, _ := n.Header("wire:name").Text(); n.Kind != toolcall.Call || !names(called, "note") {
			continue
		}
		content, err := n.Content.Value(ctx)
		if err != nil {
			return "", err
		}
		var said noting
		if json.Unmarshal([]byte(toolcall.Arguments(canon.Value(content))), &said) == nil && said.Text == text {
			return n.ID, nil
		}
	}
	return "", nil
}
