package calllog

import (
	"cmp"
	"slices"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// isCodex reports whether a value is a line of a rollout of Codex. The first one should be
// session_meta, but the lines may stand in another order.
func isCodex(line raw) bool {
	f := line.fields()
	switch f.text("type") {
	case "session_meta", "turn_context", "response_item", "token_usage_record", "event_msg", "compacted", "world_state":
		return f["payload"].kind() == canon.KindObject
	}
	return false
}

// codex rebuilds the requests of a rollout.
type codex struct {
	grown
	model    string
	opening  []canon.Any // the instructions, which Codex sends before the history
	said     []canon.Any // the items of an answer that goes on
	line     int         // where that answer begins
	before   int64       // when the item before that answer was written
	at       int64       // when the last item was written
	rewrites bool        // the history was replaced since the last call
	talk     bool        // the user or the model has spoken: no more instructions open the session
	events   bool        // there are events, which tell when an answer ends
	unasked  bool        // nothing was said between the last two answers: the last one may be a summary
	prior    int         // how many messages the answer before the last one ended
}

// readCodex reads a rollout of Codex, the log of a thread. The items of an answer
// end where the tokens of the call are noted. Lines of type event_msg repeat what
// other lines say, so only their tokens count.
func readCodex(list []entry, found *findings) []Session {
	c := codex{grown: grown{api: provider.Responses, list: "input"}, model: unknownModel}
	if inOrderOfTime(list) {
		found.add(0, "its lines were not in the order of their times, and were put into it")
	}
	for _, e := range list {
		f := e.fields()
		payload := f["payload"].fields()
		at := timeOf(f["timestamp"].value())
		switch f.text("type") {
		case "session_meta":
			c.instructions(payload)
		case "turn_context":
			c.model, c.unasked = cmp.Or(payload.text("model"), c.model), false
		case "response_item":
			c.unasked = false
			c.item(payload, f["payload"].value(), e.line, at)
		case "token_usage_record":
			c.end(payload.text("response_id"), payload["usage"].fields())
		case "event_msg":
			c.events = true
			switch payload.text("type") {
			case "token_count": // older rollouts have no other note of tokens
				c.end("", payload["info"].fields()["last_token_usage"].fields())
			case "task_complete", "turn_aborted":
				c.end("", nil)
				c.unasked = false
			}
		case "compacted":
			c.end("", nil)
			if payload["replacement_history"].kind() != canon.KindArray {
				found.add(e.line, "it does not say what a compaction left, so the history before it stays")
				continue
			}
			c.replace(payload, e.line, found)
		case "world_state":
		default:
			found.add(e.line, "it is a line of an unknown type, so it was left out")
		}
	}
	c.leave(found)
	if !c.talk {
		return nil
	}
	return []Session{c.session(c.model)}
}

// leave leaves out answers that the next lines may change: an answer that goes on, if events tell when
// answers end, and one that the next line may call a summary. They come with the next import.
func (c *codex) leave(found *findings) {
	if c.unasked {
		c.made.Calls, c.answered, c.messages = c.made.Calls[:len(c.made.Calls)-1], c.prior, c.messages[:c.prior]
	}
	switch {
	case !c.events:
		c.messages = append(c.messages, c.said...)
	case len(c.said) > 0 || c.unasked:
		found.add(c.line, "the answer that begins here may go on, so it was left out; it comes with the next import")
	}
}

// instructions puts the instructions of the session before the history, where
// Codex sends them. A resumed session may repeat the line.
func (c *codex) instructions(meta fields) {
	text := meta["base_instructions"].fields().text("text")
	if text == "" || len(c.messages) > 0 {
		return
	}
	c.opening = []canon.Any{canon.Fields("type", "message", "role", "developer",
		"content", canon.ArrayOf(canon.Fields("type", "input_text", "text", text)))}
	c.messages = slices.Clone(c.opening)
}

// item adds an item of the history.
func (c *codex) item(f fields, value canon.Any, line int, at int64) {
	value = sentItem(value)
	if role := f.text("role"); role != "developer" && role != "system" {
		c.talk = true
	}
	if output(f) {
		if len(c.said) == 0 {
			c.line, c.before = line, c.at
		}
		c.said = append(c.said, value)
	} else {
		c.end("", nil)
		c.messages = append(c.messages, value)
	}
	c.at = at
}

// sentItem returns an item without the notes that Codex keeps for itself.
func sentItem(item canon.Any) canon.Any {
	var members []canon.Member
	for _, m := range item.Members {
		if m.Name != "internal_chat_message_metadata_passthrough" {
			members = append(members, m)
		}
	}
	return canon.Object(members...)
}

// end ends the answer that goes on, if any does.
func (c *codex) end(id string, tokens fields) {
	if len(c.said) == 0 {
		return
	}
	c.unasked = len(c.made.Calls) > 0 && !c.rewrites && len(c.messages) == c.answered
	c.prior = c.answered
	a := provider.Answer{API: c.api, ID: id, Model: c.model, Content: canon.ArrayOf(c.said...),
		Usage: usage(tokens, "input_tokens", "output_tokens", "cached_input_tokens", "", "reasoning_output_tokens")}
	c.call(Call{ID: id, Line: c.line, Started: c.before, Ended: c.at, Rewrites: c.rewrites}, c.model, a.Body())
	c.answer(c.said...)
	c.said, c.rewrites = nil, false
}

// replace takes the history that a compaction left. The call that wrote the
// summary is left out: its request ends with a prompt that the rollout lacks.
func (c *codex) replace(f fields, line int, found *findings) {
	calls := c.made.Calls
	if id := f.text("compaction_response_id"); id != "" && len(calls) > 0 && calls[len(calls)-1].ID == id {
		c.made.Calls = calls[:len(calls)-1]
		found.add(line, "the rollout lacks the prompt of the call for a summary, so that call was left out")
	}
	c.messages, c.unasked, c.talk = slices.Clone(c.opening), false, true
	for _, e := range f["replacement_history"].elems() {
		c.messages = append(c.messages, sentItem(e.value()))
	}
	c.answered, c.rewrites = len(c.messages), true
}
