package calllog

import (
	"bytes"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/api"
	"github.com/contexttree/pact/internal/canon"
)

const formatOpencode = "opencode export"

// isOpencode reports whether a value is what `opencode export` writes: a session
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
	grown
	model    string // of a message that names none
	found    findings
	before   int64 // when the message before was written
	rewrites bool  // a compaction replaced the conversation since the last call
}

// readOpencode reads an exported session. Each message of the assistant is a
// call; the results of its tools stand in its own parts.
func readOpencode(data []byte) (*Log, error) {
	if _, err := canon.Parse(data); err != nil {
		return nil, inLine(err, data, 0, 0)
	}
	f := raw(bytes.TrimSpace(data)).fields()
	messages := f["messages"].elems()
	o := opencode{grown: grown{api: api.Chat, list: "messages"}}
	o.model = orElse(f["info"].fields()["model"].fields().text("id"), unknownModel)
	for _, e := range messages {
		if e.fields()["info"].fields().text("providerID") == "anthropic" {
			o.grown.api = api.Messages
		}
	}
	for i, e := range messages {
		o.message(e.fields(), i+1)
	}
	if f["info"].fields()["revert"] != nil {
		o.found.add(0, "the session was set back to an earlier message; what was said after it is read all the same")
	}
	if len(o.messages) == 0 {
		return nil, fault.New(fault.DocumentInvalid, "it holds no message", "")
	}
	return &Log{Format: formatOpencode, Findings: o.found.list(),
		Sessions: []Session{o.grown.session(o.model, "the system prompt", "tool definitions", "parameters")}}, nil
}

// message adds a message; number counts them.
func (o *opencode) message(f fields, number int) {
	info := f["info"].fields()
	t := turn{role: info.text("role"), id: info.text("id")}
	results := turn{role: "user"}
	for _, e := range f["parts"].elems() {
		o.part(e.fields(), &t, &results, number)
	}
	w := writer{o.grown.api}
	times := info["time"].fields()
	if t.role != "assistant" {
		o.messages = append(o.messages, w.messages(&t)...)
		o.before = timeOf(times["created"].value())
		return
	}
	t.model = orElse(info.text("modelID"), o.model)
	t.finish = info.text("finish")
	t.usage = opencodeUsage(info["tokens"].fields())
	c := Call{ID: t.id, Started: timeOf(times["created"].value()), Ended: timeOf(times["completed"].value()),
		Rewrites: o.rewrites}
	if failed := info["error"].fields(); failed != nil {
		t.failure = orElse(failed["data"].fields().text("message"), orElse(failed.text("name"), "it failed"))
	}
	if len(t.parts) == 0 && t.failure == "" {
		o.found.add(0, "an answer with nothing in it was left out: message "+strconv.Itoa(number))
		return
	}
	o.call(c, t.model, w.answer(&t))
	o.rewrites = false
	if len(t.parts) == 0 {
		o.answered = len(o.messages)
		return // it failed, and later requests do not have it
	}
	if isTrue(info["summary"]) { // the conversation goes on with the summary alone
		o.messages = o.messages[len(o.messages)-1 : len(o.messages) : len(o.messages)]
		o.rewrites = true
	}
	o.answer(w.messages(&t)...)
	if len(results.parts) > 0 {
		o.messages = append(o.messages, w.messages(&results)...)
	}
}

// part adds a part of a message to what was said, and to the results of tools.
func (o *opencode) part(f fields, t, results *turn, number int) {
	switch kind := f.text("type"); kind {
	case "text":
		if text := f.text("text"); text != "" && !isTrue(f["ignored"]) {
			t.parts = append(t.parts, piece{text: text})
		}
	case "reasoning":
		if text := f.text("text"); text != "" {
			t.parts = append(t.parts, piece{kind: isThought, text: text})
		}
	case "file":
		t.parts = append(t.parts, piece{kind: isImage, text: f.text("url")})
	case "compaction":
		t.parts = append(t.parts, piece{kind: isOther, value: obj("type", kind)}) // the export lacks the words of the request
	case "tool":
		state := f["state"].fields()
		id, name := f.text("callID"), f.text("tool")
		t.parts = append(t.parts, piece{kind: isCall, id: id, name: name, value: state["input"].value()})
		switch state.text("status") {
		case "completed":
			results.parts = append(results.parts, piece{kind: isResult, id: id, name: name, value: state["output"].value()})
		case "error":
			results.parts = append(results.parts, piece{kind: isResult, id: id, name: name, value: state["error"].value(),
				failed: true})
		}
	case "step-start", "step-finish", "snapshot", "patch":
	default:
		o.found.add(0, "a part of the type "+strconv.Quote(kind)+" was left out: message "+strconv.Itoa(number))
	}
}

// opencodeUsage reads tokens. Those that came from the cache or went to it are
// not among the input.
func opencodeUsage(f fields) usage {
	cache := f["cache"].fields()
	u := usage{in: count(f, "input"), out: count(f, "output"), reasoning: positive(f, "reasoning"),
		cached: count(cache, "read"), written: positive(cache, "write")}
	if u.in != nil {
		in := *u.in
		for _, n := range []*int64{u.cached, u.written} {
			if n != nil {
				in += *n
			}
		}
		u.in = &in
	}
	return u
}
