package calllog

import (
	"cmp"
	"strconv"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// isOpencode reports whether `opencode export` wrote a value: a session
// and its messages, each with its parts.
func isOpencode(first raw) bool {
	f := first.fields()
	if f["info"].fields().text("id") == "" || f["messages"].kind() != canon.KindArray {
		return false
	}
	for _, e := range f["messages"].elems() {
		m := e.fields()
		return m["info"].fields().text("sessionID") != "" && m["parts"].kind() == canon.KindArray
	}
	return false
}

// opencode rebuilds the requests of a session.
type opencode struct {
	conversationBuilder
	model    string // of a message that names none
	found    *findings
	before   int64 // when the message before was written
	rewrites bool  // a compaction replaced the conversation since the last call
}

// readOpencode reads an exported session. Each message of the assistant is a
// call; the results of its tools stand in its own parts.
func readOpencode(list []record, found *findings) (made []Session) {
	for _, e := range list {
		made = append(made, openSession(e.fields(), found)...)
	}
	return made
}

func openSession(f fields, found *findings) []Session {
	messages := f["messages"].elems()
	o := opencode{conversationBuilder: conversationBuilder{api: provider.Chat, texts: found.texts}, found: found}
	o.model = cmp.Or(f["info"].fields()["model"].fields().text("id"), unknownModel)
	for _, e := range messages {
		if e.fields()["info"].fields().text("providerID") == "anthropic" {
			o.conversationBuilder.api = provider.Messages
		}
	}
	for i, e := range messages {
		o.message(e.fields(), i+1)
	}
	if f["info"].fields()["revert"] != nil {
		o.found.add(0, "the session was set back to an earlier message; what was said after it is read all the same")
	}
	made := o.sessions(o.model)
	for i := range made {
		made[i].Name = f["info"].fields().text("id")
	}
	return made
}

// message adds a message; number counts them.
func (o *opencode) message(f fields, number int) {
	info := f["info"].fields()
	t := turn{role: info.text("role"), id: info.text("id")}
	results := turn{role: "user"}
	for _, e := range f["parts"].elems() {
		o.part(e.fields(), &t, &results, number)
	}
	w := writer{o.conversationBuilder.api}
	times := info["time"].fields()
	if t.role != "assistant" {
		o.addMessages(w.messages(&t)...)
		o.before = timeOf(times["created"].value())
		return
	}
	t.answer.Model = cmp.Or(info.text("modelID"), o.model)
	t.answer.Finish = info.text("finish")
	t.answer.Usage = opencodeUsage(info["tokens"].fields())
	c := Call{ID: t.id, Started: timeOf(times["created"].value()), Ended: timeOf(times["completed"].value()),
		Rewrites: o.rewrites}
	if cost := info["cost"].value(); cost.Text != "0" {
		c.price(cost)
	}
	if failed := info["error"].fields(); failed != nil {
		t.answer.Failure = cmp.Or(failed["data"].fields().text("message"), cmp.Or(failed.text("name"), "it failed"))
	}
	if len(t.parts) == 0 && t.answer.Failure == "" {
		o.found.add(0, "an answer with nothing in it was left out: message "+strconv.Itoa(number))
		return
	}
	o.call(c, t.answer.Model, w.answer(&t))
	o.rewrites = false
	if len(t.parts) == 0 {
		o.answered = len(o.messages)
		return // it failed, and later requests do not have it
	}
	if info["summary"].isTrue() { // the conversation goes on with the summary alone
		o.messages = o.messages[len(o.messages)-1 : len(o.messages) : len(o.messages)]
		o.rewrites = true
	}
	o.answer(w.messages(&t)...)
	if len(results.parts) > 0 {
		o.addMessages(w.messages(&results)...)
	}
}

// part adds a part of a message to what was said, and to the results of tools.
func (o *opencode) part(f fields, t, results *turn, number int) {
	switch kind := f.text("type"); kind {
	case "text":
		if text := f.text("text"); text != "" && !f["ignored"].isTrue() {
			t.parts = append(t.parts, textPart(text))
		}
	case "reasoning":
		if text := f.text("text"); text != "" {
			t.parts = append(t.parts, thoughtPart(canon.Text(text)))
		}
	case "file":
		t.parts = append(t.parts, imagePart(f.text("url")))
	case "compaction":
		t.parts = append(t.parts, otherPart(canon.Fields("type", kind))) // the export lacks the words of the request
	case "tool":
		state := f["state"].fields()
		id, name := f.text("callID"), f.text("tool")
		t.parts = append(t.parts, callPart(id, name, state["input"].value()))
		switch state.text("status") {
		case "completed":
			results.parts = append(results.parts, resultPart(id, name, state["output"].value(), false))
		case "error":
			results.parts = append(results.parts, resultPart(id, name, state["error"].value(), true))
		}
	case "step-start", "step-finish", "snapshot", "patch":
	default:
		o.found.add(0, "a part of the type "+strconv.Quote(kind)+" was left out: message "+strconv.Itoa(number))
	}
}

// opencodeUsage reads tokens. Those that came from the cache or went to it are
// not among the input.
func opencodeUsage(f fields) provider.Usage {
	u := usage(f, "input", "output", "cache.read", "cache.write", "reasoning")
	u.Reasoning, u.Written = nonZero(u.Reasoning), nonZero(u.Written)
	if all := f.count("total"); u.Out != nil && u.Reasoning != nil && all != nil && *all == *sum(u.In, u.Out, u.Reasoning, u.Cached, u.Written) {
		u.Out = sum(u.Out, u.Reasoning) // newer versions count it beside the output
	}
	return withCached(u)
}
