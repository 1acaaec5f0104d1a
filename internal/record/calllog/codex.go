package calllog

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/sums"
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
	conversationBuilder
	model    string
	opening  []text      // the instructions, which Codex sends before the history
	said     []canon.Any // the items of an answer that goes on
	line     int         // where that answer begins
	before   int64       // when the item before that answer was written
	at       int64       // when the last item was written
	rewrites bool        // the history was replaced since the last call
	talk     bool        // the user or the model has spoken: no more instructions open the session
	events   bool        // there are events, which tell when an answer ends
	unasked  bool        // nothing was said between the last two answers: the last one may be a summary
	prior    int         // how many messages the answer before the last one ended
	last     provider.Answer
	noted    int         // the line with the tokens of the last answer
	spent    canon.Value // what the thread had spent at the last note of tokens
	found    *findings
}

// readCodex reads a rollout of Codex, the log of a thread, whose lines are in order. The items of an answer
// end where the tokens of the call are noted. Lines of type event_msg repeat what
// other lines say, so only their tokens count.
func readCodex(list []record, found *findings) []Session {
	c := codex{conversationBuilder: conversationBuilder{api: provider.Responses, texts: found.texts}, model: unknownModel, found: found}
	copied, from := forkedAt(list)
	if copied < 0 {
		found.note(0, "it may begin with a copy of the thread "+strconv.Quote(from)+", whose calls would be counted there too")
	}
	for i, e := range list {
		if i > 0 && i == copied {
			c.forked(list[:i])
		}
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
			c.noted = e.line
			c.endAnswer(payload.text("response_id"), payload["usage"].fields())
		case "event_msg":
			c.events = true
			c.event(payload, e.line)
		case "compacted":
			c.endAnswer("", nil)
			c.replace(payload, e.line)
		case "world_state":
		default:
			found.add(e.line, "it is a line of an unknown type, so it was left out")
		}
	}
	if copied > 0 && copied == len(list) {
		c.forked(list)
	}
	c.leaveOutOpen(found)
	if !c.talk {
		return nil
	}
	return []Session{c.session(c.model)}
}

// event reads an event that says something that no other line does.
func (c *codex) event(payload fields, line int) {
	switch payload.text("type") {
	case "token_count": // older rollouts have no other note of tokens
		tokens, all := codexCounts(payload)
		spent := all.value().Value()
		if spent != "" && spent == c.spent && len(c.said) == 0 {
			return // it repeats the note before, with other limits
		}
		c.spent = spent
		if len(c.said) > 0 {
			c.noted = line
		}
		if len(c.said) > 0 {
			c.endAnswer("", tokens)
		} else if tokens != nil {
			c.counted(tokens)
		}
	case "task_complete", "turn_aborted":
		c.endAnswer("", nil)
		c.unasked = false
	case "thread_rolled_back":
		c.endAnswer("", nil)
		if n := payload.count("num_turns"); n != nil && *n > 0 {
			c.rollBack(*n, line)
		} else {
			c.found.add(line, "it does not say how many turns it takes back, so none was")
		}
	}
}

// counted gives tokens to the last answer if it has none: what a tool answered may stand before their note.
func (c *codex) counted(tokens fields) {
	if n := len(c.made.Calls); n > 0 && c.last.Usage == (provider.Usage{}) {
		c.last.Usage = codexUsage(tokens)
		c.made.Calls[n-1].answered = c.texts.put(c.last.Body().Value())
	}
}

// rollBack takes the last turns out of the history: each begins with what the user said. The next request is a
// branch: what was taken stays in the calls before.
func (c *codex) rollBack(turns int64, line int) {
	at := len(c.messages)
	for ; turns > 0 && at > len(c.opening); turns-- {
		for at--; at > len(c.opening) && !beginsTurn(c.texts.value(c.messages[at])); at-- {
		}
	}
	if turns > 0 {
		c.found.note(line, "it takes back more turns than there are")
	}
	if at < len(c.messages) && c.answered < len(c.messages) {
		c.found.add(line, "it takes back what the model had not answered, so no request has it")
	}
	c.messages, c.unasked = c.messages[:at:at], false
	c.answered, c.prior = at, min(c.prior, at)
}

// beginsTurn reports whether an item is what a user or another agent said, and not what Codex tells the model about
// the place where it works.
func beginsTurn(item canon.Any) bool {
	kind, _ := item.Get("type")
	role, _ := item.Get("role")
	if kind.Text == "agent_message" {
		return true
	}
	content, _ := item.Get("content")
	for _, part := range content.Elems {
		text, _ := part.Get("text")
		for _, begins := range []string{"<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>",
			"<user_shell_command>", "<subagent_notification>", "<skill>"} {
			if strings.HasPrefix(strings.TrimSpace(text.Text), begins) {
				return false
			}
		}
	}
	return role.Text == "user"
}

// leaveOutOpen leaves out answers that the next lines may change: an answer that goes on, if events tell when
// answers end, and one that the next line may call a summary. They come with the next import.
func (c *codex) leaveOutOpen(found *findings) {
	if c.unasked {
		c.made.Calls, c.answered, c.messages = c.made.Calls[:len(c.made.Calls)-1], c.prior, c.messages[:c.prior]
	}
	switch {
	case !c.events:
		c.addMessages(c.said...)
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
	c.addMessages(canon.Fields("type", "message", "role", "developer",
		"content", canon.ArrayOf(canon.Fields("type", "input_text", "text", text))))
	c.opening = slices.Clone(c.messages)
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
		c.endAnswer("", nil)
		c.addMessages(value)
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

// endAnswer ends the answer that goes on, if any does.
func (c *codex) endAnswer(id string, tokens fields) {
	if len(c.said) == 0 {
		return
	}
	c.unasked = len(c.made.Calls) > 0 && !c.rewrites && len(c.messages) == c.answered
	c.prior = c.answered
	a := provider.Answer{API: c.api, ID: id, Model: c.model, Content: canon.ArrayOf(c.said...),
		Usage: codexUsage(tokens)}
	c.last = a
	c.call(Call{ID: id, Line: c.line, Started: c.before, Ended: c.at, Rewrites: c.rewrites}, c.model, a.Body())
	c.answer(c.said...)
	c.said, c.rewrites = nil, false
}

// codexCounts returns what a note of tokens counts for the last answer, and for the thread until then. The oldest has the
// first alone.
func codexCounts(note fields) (last fields, all raw) {
	if note["info"] == nil {
		return note, nil
	}
	info := note["info"].fields()
	return info["last_token_usage"].fields(), info["total_token_usage"]
}

func codexUsage(tokens fields) provider.Usage {
	return usage(tokens, "input_tokens", "output_tokens", "cached_input_tokens", "", "reasoning_output_tokens")
}

// replace takes the history that a compaction left. The call that wrote the
// summary is left out: its request ends with a prompt that the rollout lacks. A rollout without that history has the
// summary: Codex puts it behind what the user said.
func (c *codex) replace(f fields, line int) {
	calls := c.made.Calls
	if id := f.text("compaction_response_id"); id != "" && len(calls) > 0 && calls[len(calls)-1].ID == id {
		c.made.Calls = calls[:len(calls)-1]
		c.found.note(line, "the rollout lacks the prompt of the call for a summary, so that call was left out")
		c.found.leaveOut(c.noted)
	}
	history := f["replacement_history"].elems()
	summary := f.text("message")
	if history == nil && summary == "" {
		c.found.add(line, "it does not say what a compaction left, so the history before it stays")
		return
	}
	before := c.messages[len(c.opening):]
	c.messages, c.unasked, c.talk = slices.Clone(c.opening), false, true
	for _, e := range history {
		c.addMessages(sentItem(e.value()))
	}
	if history == nil {
		c.found.note(line, "the rollout lacks what a compaction left; it was rebuilt of what the user said and the summary")
		for _, m := range before {
			if role := roleOf(c.texts.value(m)); role == "user" || role == "developer" {
				c.messages = longer(c.messages, m)
			}
		}
		c.addMessages(canon.Fields("type", "message", "role", "user",
			"content", canon.ArrayOf(canon.Fields("type", "input_text", "text", summary))))
	}
	c.answered, c.rewrites = len(c.messages), true
}

// countCodex counts a line of a rollout.
func countCodex(e record, b *sums.Book) {
	f := e.fields()
	payload := f["payload"].fields()
	switch kind := f.text("type"); {
	case kind == "response_item":
		b.Said = output(payload)
		b.Message(f["payload"].value(), "internal_chat_message_metadata_passthrough")
	case kind == "compacted":
		b.Note(kind)
		b.Said = false
		if history := payload["replacement_history"].elems(); history != nil {
			for _, item := range history {
				b.Message(item.value(), "internal_chat_message_metadata_passthrough")
			}
		} else if text := payload.text("message"); text != "" {
			b.Message(canon.Text(text))
		}
	case kind == "token_usage_record":
		id := payload.text("response_id")
		if all := codexUsage(payload["thread_token_usage"].fields()); all.In != nil && all.Out != nil {
			id = codexNote(b, all) // which the token_count behind it repeats
		}
		b.Tokens(id, codexUsage(payload["usage"].fields()))
	case payload.text("type") == "token_count":
		tokens, thread := codexCounts(payload)
		last := codexUsage(tokens)
		switch all := codexUsage(thread.fields()); {
		case all.In != nil && all.Out != nil:
			b.Running(sums.Total{In: all.In, Out: all.Out, Cached: all.Cached}, last.In)
			b.TokensOnce(codexNote(b, all), last)
		case last.In != nil:
			b.Tokens("", last)
		default:
			b.Note(kind)
		}
		b.Said = false
	case slices.Contains([]string{"task_complete", "turn_aborted", "thread_rolled_back"}, payload.text("type")):
		b.Said = false
		fallthrough
	default:
		b.Note(strings.Trim(kind+" "+payload.text("type"), " "))
	}
}

// codexNote identifies a note of tokens that may come again: by what the thread had spent, and by the answers until then,
// as the counter may begin anew.
func codexNote(b *sums.Book, all provider.Usage) string {
	if b.Said {
		b.Turn++
	}
	b.Said = false
	return fmt.Sprint(b.Turn, *all.In, *all.Out)
}
