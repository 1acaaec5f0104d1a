package record

import (
	"context"
	"fmt"
)

// request is a request as blocks, ready to be compared with the lines.
type request struct {
	group                group
	previous             string // id of the answer that it names as previous_response_id
	compaction           bool   // the agent says that it asks for the summary of a conversation
	rewrites             bool   // a log says that it replaces the conversation before it
	system, conversation []block
}

// choice says which line a request goes to, and why.
type choice struct {
	line  *line // the line that the request continues or, with fork, branches off from; nil for a new line
	fork  bool
	cycle int64 // the cycle whose snapshot the fork begins with
	aside bool  // the request asks something outside the conversation
	begun map[string]any
	why   string
}

// candidate is a line that a request may belong to.
type candidate struct {
	*line
	*view
	repeated int // how many leading blocks the request shares with the line
}

// choose finds the line of a request (docs/wire.md, "Whose call is it?"). Cost:
// linear in the lines of the group plus, for each line that begins like the
// request, the blocks of the request.
func (r *Recorder) choose(ctx context.Context, q *request) (choice, error) {
	if c, ok, err := r.named(ctx, q); ok || err != nil {
		return c, err
	}
	if last := r.latestLine(); q.rewrites && last != nil { // whatever its group: the system prompt may be another
		return choice{line: last, why: "the log says that the agent rewrote the conversation"}, nil
	}
	var of, others []candidate // lines of the group, and lines with other system prompts
	for _, l := range r.lines {
		same := l.group.id == q.group.id
		if !same && (l.group.by != bySystem || q.group.by != bySystem) {
			continue
		}
		v, err := l.view(ctx)
		if err != nil {
			return choice{}, err
		}
		c := candidate{l, v, v.repeated(q.conversation)}
		if same {
			of = append(of, c)
		} else {
			others = append(others, c)
		}
	}
	if c, ok := goesOn(of, others, q); ok {
		return c, nil
	}
	if c, ok := aside(of, q); ok {
		return c, nil
	}
	if begun, why := r.begunBy(q); begun != nil {
		return choice{begun: begun, why: why}, nil
	}
	if c, ok := r.rewritten(of, q); ok {
		return c, nil
	}
	if c, ok := edited(of, q); ok {
		return c, nil
	}
	return choice{why: "no conversation of this group begins alike"}, nil
}

// latestLine returns the line of the last request, nil without any. After an earlier
// recorder it is the youngest line.
func (r *Recorder) latestLine() *line {
	if r.latest == nil && len(r.lines) > 0 {
		return r.lines[len(r.lines)-1]
	}
	return r.latest
}

// named finds the line whose answer a request names. If another request has
// already continued that answer, this one branches off.
func (r *Recorder) named(ctx context.Context, q *request) (choice, bool, error) {
	for _, l := range r.lines {
		cycle, ok := l.answers[q.previous]
		if q.previous == "" || !ok {
			continue
		}
		v, err := l.view(ctx)
		switch {
		case err != nil:
			return choice{}, false, err
		case q.previous == l.lastAnswer:
			return choice{line: l, why: "it names the last answer (previous_response_id)"}, true, nil
		case q.previous == l.previous && v.wasSent(q.system, q.conversation):
			return choice{line: l, why: "it is the request before, again"}, true, nil
		}
		return choice{line: l, fork: true, cycle: cycle, why: "it names an earlier answer of " + l.name}, true, nil
	}
	return choice{}, false, nil
}

// goesOn finds the line whose last thread the request repeats completely; of
// several, the one with the longest thread. A line with another system prompt
// qualifies only if the request repeats its answer too, as does a line whose last request
// had no message.
func goesOn(of, others []candidate, q *request) (choice, bool) {
	var best *candidate
	take := func(c *candidate) {
		if c.repeated > 0 && (best == nil || c.repeated >= best.repeated) {
			best = c
		}
	}
	for i := range of {
		c := &of[i]
		answered := c.repeated > len(c.sent)
		if c.repeated >= len(c.sent) && c.aside(q) == "" && (answered || alike(q.group.agent, c.system, q.system)) {
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
	why := fmt.Sprintf("it repeats all of the request before; blocks: %d", len(best.sent))
	if best.wasSent(q.system, q.conversation) {
		why = "it is the request before, again"
	}
	return choice{line: best.line, why: why}, true
}

// aside says why a request that repeats a whole line does not continue it, ""
// if it does. An agent that continues sends the answer back; a question outside
// the conversation, such as one for a summary, has no tools, leaves the answer out
// or says so.
func (c *candidate) aside(q *request) string {
	switch {
	case !q.group.agent || c.repeated < len(c.sent) || len(c.sent) == 0:
	case len(toolNames(c.system)) > 0 && len(toolNames(q.system)) == 0:
		return "it has no tools"
	case len(c.answer) > 0 && c.repeated == len(c.sent) && len(q.conversation) > len(c.sent) &&
		q.conversation[c.repeated].Role != "assistant":
		return "it leaves the answer out"
	case q.compaction:
		return "it asks for a summary (request_kind)"
	}
	return ""
}

func aside(of []candidate, q *request) (choice, bool) {
	var best *candidate
	for i := range of {
		if c := &of[i]; c.aside(q) != "" && (best == nil || c.repeated > best.repeated) {
			best = c
		}
	}
	if best == nil {
		return choice{}, false
	}
	return choice{line: best.line, fork: true, cycle: best.line.committed(), aside: true,
		why: fmt.Sprintf("it repeats all of %s, but %s: it asks something aside", best.name, best.aside(q))}, true
}

// begunBy finds the tool call that started the conversation of a request: a
// call without a result, one of whose arguments the user says in the request.
// If no call fits but the headers say that a sub-agent sent the request,
// begunBy names the agent of the session.
func (r *Recorder) begunBy(q *request) (begun map[string]any, why string) {
	longest := 0
	for _, l := range r.lines {
		if q.group.session != "" && l.group.session != q.group.session {
			continue
		}
		if q.group.sub && begun == nil && l.group.id != q.group.id {
			begun, why = map[string]any{"context": l.name}, "a sub-agent of the session of "+l.name+" sent it"
		}
		for i := range l.open {
			if n := l.open[i].begins(q.conversation); n > longest {
				longest = n
				begun = map[string]any{"context": l.name, "call": l.open[i].call, "block": l.open[i].block}
				why = "the call " + l.open[i].block + " of " + l.name + " began it"
			}
		}
	}
	return begun, why
}

// rewritten finds the line that a request continues although the agent changed
// what it had sent before.
func (r *Recorder) rewritten(of []candidate, q *request) (choice, bool) {
	var best *candidate
	why := ""
	for i := range of {
		c := &of[i]
		if c.line.beside != nil || !alike(q.group.agent, c.system, q.system) {
			continue
		}
		sign := r.sign(c, q)
		if sign != "" && (best == nil || c.repeated > best.repeated || c.repeated == best.repeated && r.isLast(c.line, q)) {
			best, why = c, sign
		}
	}
	if best == nil {
		return choice{}, false
	}
	return choice{line: best.line, why: "the agent rewrote the conversation: " + why}, true
}

// isLast reports whether the group's last request went to this line, or asked
// something outside its conversation.
func (r *Recorder) isLast(l *line, q *request) bool {
	last := r.last[q.group.id]
	return last != nil && (last == l || last.beside == l)
}

// sign names the evidence that a request rewrites a line and does not begin
// another conversation, "" if there is none.
func (r *Recorder) sign(c *candidate, q *request) string {
	fresh := q.conversation[c.repeated:]
	switch last := r.last[q.group.id]; {
	case q.group.agent && c.group.window != "" && q.group.window != "" && q.group.window != c.group.window:
		return "its window was counted up (X-Codex-Window-Id)"
	case r.isLast(c.line, q) && (last != c.line || c.manyTurns()) && quotes(fresh, last.said):
		return "it quotes the last answer"
	case q.group.agent && last != nil && last.beside == c.line && last.said != "":
		return "a request aside was answered before"
	case c.endGoesOn(q.conversation):
		return "what was sent last goes on behind what changed"
	case c.repeated > 0 && len(fresh) > 0 && !c.atMessage(&fresh[0]):
		return "what changed first is no message"
	}
	return ""
}

// endGoesOn reports whether the last block that was sent comes again after the
// change. If the change is at the very front, a block of the answer has to
// follow as well.
func (c *candidate) endGoesOn(conversation []block) bool {
	if len(c.sent) == 0 {
		return false
	}
	end := c.sent[len(c.sent)-1].key
	answered := map[key]bool{}
	for i := range c.answer {
		answered[c.answer[i].key] = true
	}
	found := false
	for i := c.repeated; i < len(conversation); i++ {
		if found && answered[conversation[i].key] {
			return true
		}
		found = found || conversation[i].key == end
	}
	return found && c.repeated > 0
}

// atMessage reports whether the request first differs from the line in what the
// user or the model said.
func (c *candidate) atMessage(now *block) bool {
	old := c.block(c.repeated)
	return old.Role == now.Role && (old.Role == "user" || old.Role == "assistant") &&
		old.Kind != "thinking" && now.Kind != "thinking"
}

// edited finds the line that a request branches off from: both begin alike, and
// the request no longer has what the line says after that.
func edited(of []candidate, q *request) (choice, bool) {
	var best *candidate
	for i := range of {
		c := &of[i]
		if c.line.beside == nil && c.repeated > 0 && alike(q.group.agent, c.system, q.system) &&
			(best == nil || c.repeated > best.repeated) {
			best = c
		}
	}
	if best == nil {
		return choice{}, false
	}
	cycle := min(best.line.committed(), best.block(best.repeated).cycle)
	why := "it parts from " + best.name + " at a message that was edited"
	if best.repeated == len(q.conversation) {
		why = "it goes back in " + best.name
	}
	return choice{line: best.line, fork: true, cycle: cycle, why: why}, true
}
