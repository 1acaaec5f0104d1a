package record

import (
	"context"
	"fmt"
	"slices"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// request is a request as blocks, ready to be compared with the recordings.
type request struct {
	of                         *provider.Request
	group                      group
	previous                   string // id of the answer that it names as previous_response_id
	compaction                 bool   // the agent says that it asks for the summary of a conversation
	compacts                   bool   // it asks the provider to compact a conversation
	oneToken                   bool   // it wants one token at most
	rewrites, branches         bool   // a log says that it replaces the conversation before it, or that it never does
	answerAbsent, answerInPart bool   // choose found that nothing of the answer is in it, or only parts of it
	past                       bool   // it is of a log: a program that asks the same twice kept both answers
	compacted                  bool   // choose found that the conversation before it was compacted
	system, conversation       []block
	whole                      canon.Any   // the body, if it was read whole
	keys                       []shortHash // of the conversation, for choose

	// Of a request that continues another, whose messages and blocks it repeats; else nothing.
	earlierIn            *recording    // that has the request before
	messages, framesFrom int           // how many it begins with, and of how many of these no later record has the frames
	framesBefore         []canon.Value // the frames of the others, as canonical JSON; those behind are in the request itself
	blocks               int           // how many blocks of the conversation
	earlierChain         shortHash     // of them
	added                []block       // those behind
	reread               func() error  // reads all of it again, of which the conversation has only a part; nil if that has all
	continues            *choice       // how it goes on with the recording of the request before, nil if that is not sure
}

// choice says which recording a request goes to, and why.
type choice struct {
	recording *recording // the recording that the request continues or, with fork, branches off from; nil for a new recording
	fork      bool
	cycle     int64  // the cycle whose snapshot the fork begins with
	aside     string // the kind of question outside the conversation, one of asideKinds; "" for none
	begun     map[string]any
	why       string
}

// candidate is a recording that a request may belong to.
type candidate struct {
	*recording
	*conversationState
	repeated int // how many leading blocks the request shares with the recording
}

// choose finds the recording of a request (docs/wire.md, "Whose call is it?"). Cost: look-ups, and the blocks of few.
func (r *Recorder) choose(ctx context.Context, q *request) (choice, error) {
	if q.continues != nil {
		return *q.continues, nil
	}
	q.blocks = 0
	if q.compacts {
		return r.compactionOf(ctx, q)
	}
	if c, ok := r.afterCompaction(q); ok {
		return c, nil
	}
	if c, ok, err := r.namedAnswer(ctx, q); ok || err != nil {
		return c, err
	}
	if last := r.latestRecording(); q.rewrites && last != nil { // of any group: the system prompt may be another
		q.compacted = true
		return choice{recording: last, why: "the log says that the agent compacted the conversation"}, nil
	}
	of, others, err := r.candidatesOf(ctx, q) // recordings of the group, and recordings with other system prompts
	if err != nil {
		return choice{}, err
	}
	if c, ok, err := r.summaryOf(ctx, slices.Concat(of, others), q); ok || err != nil {
		return c, err
	}
	c, ok := continuedRecording(of, others, q)
	for !ok {
		opened, err := r.findOlder(ctx, q)
		if err != nil {
			return choice{}, err
		}
		if !opened {
			break
		}
		if of, others, err = r.candidatesOf(ctx, q); err != nil {
			return choice{}, err
		}
		c, ok = continuedRecording(of, others, q)
	}
	if ok {
		return c, nil
	}
	if c, ok := askedBeside(of, q); ok {
		return c, nil
	}
	begun, begunWhy := r.callThatBegan(q)
	if begun != nil && (len(r.recordings.groups[q.group.id]) == 0 || !q.group.sub) {
		return choice{begun: begun, why: begunWhy}, nil
	}
	if c, ok := r.rewritten(of, q); ok && !q.branches {
		return c, nil
	}
	if c, ok := edited(of, q, 0); ok {
		return c, nil
	}
	if begun != nil { // a sub-agent that has a recording asks something else
		return choice{begun: begun, why: begunWhy}, nil
	}
	c = choice{why: "no conversation of this group begins alike"}
	if asksOnItsOwn(q) {
		c.aside = kindOfAside(q, false)
	}
	return c, nil
}

// latestRecording returns the recording of the last request, nil without any. After an earlier
// recorder it is the youngest recording.
func (r *Recorder) latestRecording() *recording {
	if k := &r.recordings; k.latest == nil && len(k.list) > 0 {
		return k.list[len(k.list)-1]
	}
	return r.recordings.latest
}

// namedAnswer finds the recording whose answer a request names. If another request has
// already continued that answer, this one branches off.
func (r *Recorder) namedAnswer(ctx context.Context, q *request) (choice, bool, error) {
	l := r.recordings.answers[q.previous]
	if l == nil || q.previous == "" {
		return choice{}, false, nil
	}
	if err := r.reopen(ctx, l); err != nil {
		return choice{}, false, err
	}
	v, err := l.state(ctx)
	switch {
	case err != nil:
		return choice{}, false, err
	case q.previous == l.lastAnswer:
		return choice{recording: l, why: "it names the last answer (previous_response_id)"}, true, nil
	case q.previous == l.previous && v.wasSent(q.system, q.conversation):
		return choice{recording: l, why: "it is the request before, again"}, true, nil
	}
	return choice{recording: l, fork: true, cycle: l.answers[q.previous], why: "it names an earlier answer of " + l.name}, true, nil
}

// continuedRecording finds the recording whose last thread the request repeats completely; of
// several, the one with the longest thread. A recording with another system prompt
// qualifies only if the request repeats its answer too, as does a recording whose last request
// had no message.
func continuedRecording(of, others []candidate, q *request) (choice, bool) {
	var best *candidate
	take := func(c *candidate) {
		if c.repeated > 0 && (best == nil || c.repeated > best.repeated ||
			c.repeated == best.repeated && c.beside != best.recording) { // not what the provider was to compact
			best = c
		}
	}
	for i := range of {
		c := &of[i]
		answered := c.repeated > len(c.sent)
		if c.repeated >= len(c.sent) && c.whyNotContinued(q) == "" && (answered || sameSystem(q.group.agent, c.system, q.system)) {
			take(c)
		}
	}
	if best == nil {
		for i := range others {
			if c := &others[i]; c.repeated > len(c.sent) {
				take(c)
			}
		}
	}
	if best == nil {
		return choice{}, false
	}
	if len(best.answer) > 0 && best.repeated == len(best.sent) && len(q.conversation) > best.repeated {
		if c, ok := otherAnswer(of, best, q); ok {
			return c, true
		}
		q.leavesOut(best)
	}
	why := repeatsAll(len(best.sent))
	if best.wasSent(q.system, q.conversation) {
		why = "it is the request before, again"
		if q.past && len(best.answer) > 0 { // the answer before would make room for another
			return choice{recording: best.recording, fork: true, cycle: best.recording.committed(),
				why: why + ", and both have an answer"}, true
		}
	}
	return choice{recording: best.recording, why: why}, true
}

func repeatsAll(blocks int) string {
	return fmt.Sprintf("it repeats all of the request before; blocks: %d", blocks)
}

// whyNotContinued says why a request that repeats a whole recording does not continue it, ""
// if it does. An agent that continues sends the answer back; a question outside
// the conversation, such as one for a summary, has no tools, leaves the answer out
// or says so.
func (c *candidate) whyNotContinued(q *request) string {
	switch {
	case !q.group.agent || len(c.sent) == 0:
	case q.compaction && c.repeated > 0 && c.repeated >= len(c.sent)-1: // Claude Code adds a line break to the last block
		return "it asks for a summary"
	case c.repeated < len(c.sent):
	case len(toolNames(c.system)) > 0 && len(toolNames(q.system)) == 0:
		return "it has no tools"
	case c.used && len(c.answer) > 0 && c.repeated == len(c.sent) && len(q.conversation) > len(c.sent) &&
		q.conversation[c.repeated].role != "assistant": // of an earlier recorder: a kill may have taken the answer from the agent
		return "it leaves the answer out"
	}
	return ""
}

func askedBeside(of []candidate, q *request) (choice, bool) {
	var best *candidate
	for i := range of {
		if c := &of[i]; c.whyNotContinued(q) != "" && (best == nil || c.repeated > best.repeated) {
			best = c
		}
	}
	if best == nil {
		return choice{}, false
	}
	return choice{recording: best.recording, fork: true, cycle: best.recording.committed(), aside: kindOfAside(q, true),
		why: fmt.Sprintf("it repeats all of %s, but %s: it asks something aside", best.name, best.whyNotContinued(q))}, true
}

// callThatBegan finds the tool call that started the conversation of a request: a call without a
// result, or any if the headers say that a sub-agent sent the request, one of whose arguments
// the user says in the request. If no call of a sub-agent's session fits, begunBy names the agent
// that began it, or else one of the session.
func (r *Recorder) callThatBegan(q *request) (begun map[string]any, why string) {
	longest := 0
	var agent *recording
	for _, l := range r.recordings.beginners(q) {
		isParent := q.group.parent != "" && l.group.id == q.group.parent
		if q.group.session != "" && l.group.session != q.group.session && !isParent {
			continue
		}
		if q.group.sub && l.group.id != q.group.id && (agent == nil || isParent && len(l.open)+len(l.had) > 0) {
			agent = l
		}
		calls := l.open
		if q.group.sub {
			calls = slices.Concat(l.had, l.open)
		}
		for i := range calls {
			if n := calls[i].repeatedArgument(q.conversation); n > longest {
				longest = n
				begun = map[string]any{"context": l.name, "call": calls[i].call, "block": calls[i].block}
				why = "the call " + calls[i].block + " of " + l.name + " began it"
			}
		}
	}
	if begun == nil && agent != nil {
		begun, why = map[string]any{"context": agent.name}, "a sub-agent of the session of "+agent.name+" sent it"
	}
	return begun, why
}
