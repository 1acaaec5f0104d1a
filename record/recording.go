package record

import (
	"container/list"
	"context"
	"fmt"
	"slices"
	"strings"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
)

// recording is the context that records one conversation, one cycle for each call.
type recording struct {
	c         *pact.Context // nil while it is idle
	name      string
	key       history.Key       // 0 for a recording that this recorder made
	listed    listing           // the blocks of the working state when it was last looked at
	last      *attempt          // the attempt that sent the working state; nil after the commit
	frames    frames            // of the request that was committed last, empty if that is not known
	abandoned []history.Attempt // those that an earlier recorder left under way
	tried     [2]int64          // the cycle and the number of the last attempt that is known

	group    group      // group of the last request
	previous string     // id of the answer that the last request named
	used     bool       // a request went to this recording
	asked    int64      // when an earlier recorder began its last call, in nanoseconds; 0 without one
	beside   *recording // the recording outside whose conversation this one asks something, nil for none
	summary  *recording // the last one that asked for a summary of this one since its last request, nil for none

	number   int           // its place among those that are known
	joined   bool          // known by its group
	noted    bool          // known by first
	first    shortHash     // of the first block of the thread
	keys     []shortHash   // of the blocks of the thread
	chains   []shortHash   // of all blocks up to each of them
	speakers []speaker     // of the blocks
	prompt   shortHash     // of the blocks of the system prompt
	asking   int           // how many of them the last request sent; the others are its answer
	chain    shortHash     // of all of them
	thread   int64         // bytes of the canonical thread
	underWay int           // attempts whose end is not recorded
	element  *list.Element // of the list of those whose context is open
	size     int64         // that it counts for there

	answers    map[string]int64 // the cycle of each answer that a request can name, by the provider's id of the answer
	lastAnswer string           // id of the last of these
	said       string           // texts of the last answer
	open       []openCall       // tool calls of the last answer
	had        []openCall       // some of those of the answers before it, the last ones
}

func recordingOf(c *pact.Context, name string) *recording {
	return &recording{c: c, name: name, answers: map[string]int64{}}
}

// answeredAs notes the id of the answer to the last call.
func (l *recording) answeredAs(about canon.Any) {
	if id, _ := about.Get("id"); id.Text != "" {
		l.lastAnswer = strings.Clone(id.Text) // of the whole answer, which it would hold in memory
		l.answers[l.lastAnswer] = l.committed()
	}
}

// newRecording creates a context; E_CONFLICT if another recorder took the name
// first.
func newRecording(ctx context.Context, s *pact.DB, name string, o pact.OpenOptions, attrs map[string]any) (*recording, error) {
	c, err := pact.Create(ctx, s, name, &pact.CreateOptions{OpenOptions: o, Attrs: attrs})
	if err != nil {
		return nil, err
	}
	return recordingOf(c, name), nil
}

// attrsOf returns the attributes of a new recording. begun describes the call that
// began the conversation.
func attrsOf(g group, begun map[string]any) map[string]any {
	attrs := map[string]any{attrContext: 1}
	if g.by != bySystem {
		attrs[attrGroup] = g.attr()
	}
	if begun != nil {
		attrs[attrBegun] = begun
	}
	return attrs
}

// forked creates a context that begins with a snapshot of this recording.
func (l *recording) forked(ctx context.Context, name string, cycle int64, why string) (*recording, error) {
	c, err := l.c.Fork(ctx, pact.Cycle(cycle), name, &pact.Note{Message: why})
	if err != nil {
		return nil, err
	}
	fork := recordingOf(c, name)
	fork.listed = l.listed.again()
	fork.keys, fork.chains, fork.speakers = slices.Clone(l.keys), slices.Clone(l.chains), slices.Clone(l.speakers)
	return fork, nil
}

// committed returns the cycle of the last finished call.
func (l *recording) committed() int64 {
	last := l.c.Info().Cycle
	return last
}

// bring returns the edit, and its note, that makes the working state the blocks of a request;
// nil if it has them. If the last attempt sent other blocks, bring commits them first, so the
// history keeps what that attempt sent.
func (l *recording) bring(ctx context.Context, q *request) (func(*pact.Batch) error, string, error) {
	v, err := l.state(ctx)
	if err != nil {
		return nil, "", err
	}
	if equalBlocks(v.system, q.system) && len(v.conversation) == len(q.conversation) && equalBlocks(v.conversation[q.blocks:], q.conversation[q.blocks:]) {
		return nil, "", nil
	}
	if l.last != nil {
		if err := l.commit(ctx, pact.CommitOptions{}); err != nil {
			return nil, "", err
		}
		if v, err = l.state(ctx); err != nil {
			return nil, "", err
		}
	}
	if !l.listed.suffices(q) {
		if err := l.listed.whole(); err != nil {
			return nil, "", err
		}
	}
	inSystem, inConversation := changeOf(q.of.API, v.system, q.system, 0), changeOf(q.of.API, v.conversation, q.conversation, q.blocks)
	return func(e *pact.Batch) error {
		inSystem.system(e)
		inConversation.conversation(e)
		return nil
	}, noteOf(&inSystem, &inConversation), nil
}

// noteOf writes the note of an edit: a request was sent, with the changes that the agent made since the last one.
func noteOf(changes ...*change) string {
	gone, changed := 0, 0
	for _, c := range changes {
		g, n := c.count()
		gone, changed = gone+g, changed+n
	}
	note := "a request was sent"
	if gone > 0 {
		note += fmt.Sprintf("; the agent left out %d of the blocks before", gone)
	}
	if changed > 0 {
		note += fmt.Sprintf("; it changed %d of them", changed)
	}
	return note
}

func equalBlocks(old, now []block) bool {
	if len(old) != len(now) {
		return false
	}
	for i := range old {
		if old[i].key != now[i].key {
			return false
		}
	}
	return true
}

// whole leaves a snapshot as it was sent, without the policy that the context keeps.
var whole = &pact.Pruning{WithoutKept: true}

// commit ends the cycle of the last attempt; more says what becomes durable in the same step.
func (l *recording) commit(ctx context.Context, more pact.CommitOptions) error {
	more.Pruning = whole
	if l.last != nil {
		more.Message = l.last.why
	}
	_, err := l.c.Commit(ctx, &more)
	if err == nil && l.last != nil {
		l.last, l.frames = nil, l.last.frames
	}
	return err
}
