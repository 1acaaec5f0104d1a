package record

import "slices"

// rewritten finds the recording that a request continues although the agent changed earlier messages.
func (r *Recorder) rewritten(of []candidate, q *request) (choice, bool) {
	var best *candidate
	why, did := "", "rewrote"
	for i := range of {
		c := &of[i]
		if c.recording.beside != nil || !sameSystem(q.group.agent, c.system, q.system) {
			continue
		}
		sign := r.sign(c, q)
		if sign != "" && (best == nil || c.repeated > best.repeated || c.repeated == best.repeated && r.isLast(c.recording, q)) {
			best, why = c, sign
		}
	}
	if best == nil {
		return choice{}, false
	}
	last := r.recordings.last[q.group.id]
	q.compacted = why == windowSign || best.summary != nil || last != nil && last.beside == best.recording && why == quoteSign
	if q.compacted {
		did = "compacted"
	}
	return choice{recording: best.recording, why: "the agent " + did + " the conversation: " + why}, true
}

// isLast reports whether the last request of the group went to this recording, or asked outside its conversation.
func (r *Recorder) isLast(l *recording, q *request) bool {
	last := r.recordings.last[q.group.id]
	return last != nil && (last == l || last.beside == l)
}

// Codex says that it compacted a conversation. Other agents ask aside for a summary and go on with the answer in the
// place of what it sums up.
const windowSign, quoteSign = "its window was counted up (X-Codex-Window-Id)", "it quotes the last answer"

// sign names the evidence that a request rewrites a recording and does not begin
// another conversation, "" if there is none.
func (r *Recorder) sign(c *candidate, q *request) string {
	fresh := q.conversation[c.repeated:]
	switch last := r.recordings.last[q.group.id]; {
	case c.summary != nil && (quotes(fresh, c.summary.said) || c.repeatsAnswer(fresh)):
		return quoteSign
	case q.group.agent && c.group.window != "" && q.group.window != "" && q.group.window != c.group.window:
		return windowSign
	case r.isLast(c.recording, q) && (last != c.recording || c.manyTurns()) && quotes(fresh, last.said):
		return quoteSign
	case q.group.agent && last != nil && last.beside == c.recording && last.said != "":
		return "a request aside was answered before"
	}
	return c.signOf(q, c.repeated)
}

// signOf names the evidence, in the blocks of a request that shares so many with a recording, that it rewrites that and
// does not begin another conversation, "" if there is none.
func (l *recording) signOf(q *request, shared int) string {
	switch {
	case l.endGoesOn(q.keys, shared):
		return "what was sent last goes on behind what changed"
	case shared > 0 && shared < min(len(q.keys), len(l.keys)) && !l.atMessage(&q.conversation[shared], shared):
		return "what changed first is no message"
	}
	return ""
}

// endGoesOn reports whether the last block that was sent comes again after the
// change. If the change is at the very front, a block of the answer has to
// follow as well.
func (l *recording) endGoesOn(keys []shortHash, shared int) bool {
	if l.asking == 0 {
		return false
	}
	end, found := l.keys[l.asking-1], false
	for _, k := range keys[shared:] {
		if found && slices.Contains(l.keys[l.asking:], k) {
			return true
		}
		found = found || k == end
	}
	return found && shared > 0
}

// atMessage reports whether a request first differs from a recording in a message of the user or of the model.
func (l *recording) atMessage(now *block, at int) bool {
	return l.speakers[at] != nobody && l.speakers[at] == speakerOf(now)
}
