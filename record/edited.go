package record

import "strings"

// edited finds the recording that a request branches off from: both begin alike in more than so many blocks, and the
// request lacks the rest of the recording.
func edited(of []candidate, q *request, blocks int) (choice, bool) {
	var best *candidate
	for i := range of {
		c := &of[i]
		if c.recording.beside == nil && c.repeated > blocks && sameSystem(q.group.agent, c.system, q.system) &&
			(best == nil || c.repeated > best.repeated) {
			best = c
		}
	}
	if best == nil {
		return choice{}, false
	}
	cycle := min(best.recording.committed(), best.block(best.repeated).cycle)
	why := "it parts from " + best.name + " at a message that was edited"
	if best.repeated == len(q.conversation) {
		why = "it goes back in " + best.name
	}
	return choice{recording: best.recording, fork: true, cycle: cycle, why: why}, true
}

// leavesOut notes how much of the answer a request repeats behind what was sent: nothing, or only parts, as a program does
// that sends the words back without the reasoning.
func (q *request) leavesOut(c *candidate) {
	again, found := map[key]bool{}, 0
	for i := range q.conversation[c.repeated:] {
		again[q.conversation[c.repeated+i].key] = true
	}
	for i := range c.answer {
		if again[c.answer[i].key] {
			found++
		}
	}
	q.answerAbsent, q.answerInPart = found == 0, found > 0 && found < len(c.answer)
}

// otherAnswer finds what a request branches off from that repeats the thread of a recording and not its answer: a
// recording that it repeats further, such as one that has the answer, or, in a log, the recording itself where the model
// says something else, because a program that edits an answer has both.
func otherAnswer(of []candidate, c *candidate, q *request) (choice, bool) {
	if further, ok := edited(of, q, c.repeated); ok {
		return further, true
	}
	now := &q.conversation[c.repeated]
	text, ok := textOf(now)
	text, said := strings.TrimSpace(text), strings.TrimSpace(c.recording.said)
	if !q.past || !ok || now.role != "assistant" || said == "" || strings.Contains(text, said) || strings.Contains(said, text) {
		return choice{}, false
	}
	return choice{recording: c.recording, fork: true, cycle: c.recording.committed(),
		why: "it parts from " + c.name + " at the answer, which was edited"}, true
}
