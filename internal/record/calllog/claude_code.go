package calllog

import (
	"cmp"
	"strconv"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// ClaudeCode is the format of a transcript of Claude Code. Those of its sub-agents
// are files of their own.
const ClaudeCode = "Claude Code transcript"

// claudeNotes are the types of lines with the display and the settings of Claude Code. No request has them.
var claudeNotes = map[string]bool{"summary": true, "queue-operation": true, "last-prompt": true, "mode": true,
	"permission-mode": true, "file-history-snapshot": true, "custom-title": true, "ai-title": true, "agent-name": true,
	"tag": true, "pr-link": true, "progress": true, "system": true}

// isClaudeCode reports whether a value is a line of a transcript of Claude Code.
func isClaudeCode(first raw) bool {
	f := first.pick("type", "sessionId", "uuid", "parentUuid")
	kind := f[0].text()
	if kind == "" || f[1].text() == "" {
		return false
	}
	return claudeNotes[kind] || f[2].text() != "" && f[3] != nil
}

// readClaudeCode reads a transcript of Claude Code: a tree of lines, of which
// each names the line above it. The conversation that a request had is the path
// above its answer.
func readClaudeCode(list []record, found *findings) []Session {
	t := claudeTree{found: found, texts: found.texts, byID: map[string]*claudeLine{}, requests: map[string]canon.Any{}}
	lines := inTreeOrder(list, found)
	for i := range lines {
		t.add(&lines[i])
	}
	if t.parts = nil; !t.compacted {
		t.byID = nil
	}
	if len(t.lines) == 0 {
		return nil
	}
	return []Session{t.session()}
}

// claudeTree is a transcript.
type claudeTree struct {
	lines     []*claudeLine          // in the order in which they were written
	byID      map[string]*claudeLine // while lines are added, and afterwards if some were compacted away
	compacted bool
	answers   []*claudeAnswer
	preserved map[string]*preservedLine // what compactions kept, by id
	parts     map[part]*claudeLine      // lines of answers
	found     *findings
	walked    int

	texts    *texts               // has the messages and the answers
	requests map[string]canon.Any // without their messages, by model
}

// claudeLine is a line that has a place in the tree.
type claudeLine struct {
	*record
	id     string
	order  int // among the lines that have a place
	parent *claudeLine
	at     int64
	answer *claudeAnswer // that the line is part of, nil for none
	above  *claudeAnswer // the nearest answer on the path above that later requests repeat
	below  []*claudeLine // results of tools that follow a part of an answer
	under  *claudeAnswer // the last answer right below a message of the user

	speaks speaker // whose words it has
	result bool    // it has the result of a tool
	first  bool    // it names no line above
	spoke  bool    // a message of the user stands between above and here, other than results of tools
	begins bool    // what stands above was compacted away
	clears bool    // results above were cleared
	whole  bool    // a later line of the answer repeats all of it
	taken  bool    // a call continues the compacted conversation already
}

// claudeAnswer is one answer of the model: one line for each block.
type claudeAnswer struct {
	id       string
	lines    []*claudeLine
	begins   *claudeLine // where the compacted conversation begins of which this is the first answer
	messages []text      // those of the path to here, this one included
	results  *claudeLine // the last result of its tools, until an answer follows
	call     int         // the number of its call; if it is none, of the call that it is behind, -1 for none
	failed   bool        // the API refused the request; no later request has this message
	made     bool        // the program wrote the message itself
	clears   bool        // results of tools were cleared before it
	extended bool        // another answer's messages stand behind them in the same memory
}

// add reads a line and finds its place.
func (t *claudeTree) add(e *record) {
	f := e.fields()
	kind, id := f.text("type"), f.text("uuid")
	if id == "" {
		if !claudeNotes[kind] {
			t.found.add(e.line, "a line of the type "+strconv.Quote(kind)+" was left out")
		}
		return
	}
	message := f["message"].fields()
	l := &claudeLine{record: e, id: id, order: len(t.lines),
		first: f["parentUuid"].empty(), at: timeOf(f["timestamp"].value())}
	if kind == "user" || kind == "assistant" {
		l.speaks, l.result = inMessage, holdsResult(message["content"])
	}
	other := t.byID[id]
	for same := other; same != nil && same.id == id; same = same.parent {
		if same.sameMessage(l) {
			t.found.add(e.line, "it stands in the file twice and was read once")
			return
		}
	}
	l.begins = f.text("subtype") == "compact_boundary" || f["isCompactSummary"].isTrue() && l.first
	if l.begins {
		t.compacted = true
		t.preserveAfter(l)
	}
	if t.findParent(l, kind, f.text("parentUuid")); other != nil && !l.begins {
		t.found.note(e.line, "it has the id of another line and says something else; it was put behind that line")
		l.parent = other
	}
	if p := l.parent; p != nil {
		l.above, l.spoke = p.above, p.spoke
		if p.answer != nil && !p.answer.failed {
			l.above, l.spoke = p.answer, false
		}
	}
	switch kind {
	case "user":
		t.userLine(l, message["content"])
	case "assistant":
		if same := t.repeated(l, message); same != nil {
			t.found.add(e.line, "it repeats a part of an answer above, as a copy of a session does, and was read once")
			t.byID[id] = same
			return
		}
		above := l.parent
		if above == nil || above.under == nil || !t.placeBeside(l, above.under, message) {
			t.answerLine(l, message)
		}
		if above != l.parent {
			above.under = l.answer // the next one comes behind its results
		}
		if p := l.parent; p != nil && p.answer == nil {
			p.under = l.answer
		}
	case "attachment":
		t.attachment(l, f["attachment"].fields())
	default:
		if !claudeNotes[kind] {
			t.found.add(e.line, "a line of the type "+strconv.Quote(kind)+" was left out")
		}
		if l.clears = f.text("subtype") == "microcompact_boundary"; l.clears {
			t.found.note(e.line, "the agent cleared results of tools; requests behind it have them here as they were")
		}
	}
	t.byID[id] = l
	t.lines = append(t.lines, l)
}

// sameMessage reports whether a line says what another one says.
func (l *claudeLine) sameMessage(other *claudeLine) bool {
	for _, name := range []string{"type", "message", "attachment"} {
		if l.member(name).value().Value() != other.member(name).value().Value() {
			return false
		}
	}
	return true
}

// findParent finds the line above. Only a message of the user begins a conversation:
// another line that names no line above, or one that the file lacks, belongs
// behind the line before it.
func (t *claudeTree) findParent(l *claudeLine, kind, id string) {
	if l.begins || len(t.lines) == 0 {
		return
	}
	l.parent = t.byID[id]
	if moved := t.moved(l, id); moved != nil {
		l.parent = moved
		return
	}
	before := t.lines[len(t.lines)-1]
	switch {
	case l.parent != nil:
	case id != "":
		t.found.note(l.line, "the line above it is missing; it was put behind the line before")
		l.parent = before
	case kind != "user" || l.result || t.unlinked():
		t.found.note(l.line, "it does not name the line above it; it was put behind the line before")
		l.parent = before
	}
}

// unlinked reports whether the answers of the transcript name no line above:
// then no line does.
func (t *claudeTree) unlinked() bool {
	return len(t.answers) > 0 && t.answers[0].lines[0].first
}

// userLine notes a message of the user. Results of tools stand behind the block of
// the answer that they belong to.
func (t *claudeTree) userLine(l *claudeLine, content raw) {
	if !l.result {
		l.spoke = l.spoke || content.kind() == canon.KindString || len(content.elems()) > 0
		return
	}
	if p := l.parent; p != nil && p.answer != nil {
		p.below = append(p.below, l)
	}
	if l.above != nil {
		l.above.results = l
	}
}

// attachment reads a message that the user sent while the model was at work. The transcript does not say how
// the program words its other attachments.
func (t *claudeTree) attachment(l *claudeLine, f fields) {
	if f.text("type") == "queued_command" {
		l.speaks, l.spoke = inQueue, true
		return
	}
	t.found.add(l.line, "an attachment was left out: the transcript does not say how it was sent")
}

// answerLine adds a line to the answer that it is part of, or begins one.
func (t *claudeTree) answerLine(l *claudeLine, message fields) {
	id := message.text("id")
	if a := l.above; a != nil && a.id == id && !l.spoke &&
		(id != "" || a.lines[0].member("requestId").text() == l.member("requestId").text()) {
		t.noteGrowth(a, l)
		l.answer = a
		a.lines = append(a.lines, l)
		return
	}
	if l.above != nil {
		l.above.results = nil
	}
	a := &claudeAnswer{id: id, lines: []*claudeLine{l}, failed: l.member("isApiErrorMessage").isTrue(),
		made: message.text("model") == "<synthetic>"}
	l.answer = a
	t.answers = append(t.answers, a)
}

// holdsResult reports whether the content of a message has the result of a tool.
func holdsResult(content raw) bool {
	for _, p := range content.elems() {
		if p.member("type").text() == "tool_result" {
			return true
		}
	}
	return false
}

// partsOfMessage returns the content of a message as a list.
func partsOfMessage(content canon.Any) []canon.Any {
	if content.Kind == canon.KindString {
		return []canon.Any{canon.Fields("type", "text", "text", content)}
	}
	return content.Elems
}

// speaker says where a line has the words of the user or the model.
type speaker byte

const (
	inMessage speaker = iota + 1
	inQueue
)

// contentParts returns the content of a message of the user or the model as a list, nil of another line.
func (l *claudeLine) contentParts() []canon.Any {
	switch l.speaks {
	case inMessage:
		return partsOfMessage(l.member("message").member("content").value())
	case inQueue:
		return partsOfMessage(l.member("attachment").member("prompt").value())
	}
	return nil
}

// request makes a request, which gets its messages from elsewhere.
func (t *claudeTree) request(model string) canon.Any {
	if _, made := t.requests[model]; !made {
		t.requests[model] = canon.Fields("model", model)
	}
	return t.requests[model]
}

func (t *claudeTree) session() (made Session) {
	made = Session{Exact: Rebuilt, API: provider.Messages, Calls: make([]Call, 0, len(t.answers))}
	last := t.lines[len(t.lines)-1]
	if !t.compacted {
		t.lines = nil
	}
	model := unknownModel
	var above []int // of each call the one that it goes on from, -1 for none
	defer func() { made.Calls = branchByBranch(made.Calls, above) }()
	for i, a := range t.answers {
		before, ok := t.before(a.lines[0], a)
		if !ok {
			t.found.add(a.lines[0].line, "its branches repeat more messages than are read; the rest was left out")
			break
		}
		if i == len(t.answers)-1 && last.answer == a && a.unfinished() {
			t.found.add(last.line, "the answer is not complete yet; it was left out, and comes with the lines after it")
			made.unsent = &Call{API: made.API, Request: t.request(model), sent: before, of: t.texts}
			return made
		}
		if !a.made {
			model = cmp.Or(a.lines[0].member("message").member("model").text(), model)
		}
		content := a.content()
		if a.call = -1; a.lines[0].above != nil {
			a.call = a.lines[0].above.call
		}
		if !a.made || a.failed {
			above, a.call = append(above, a.call), len(made.Calls)
			made.Calls = append(made.Calls, t.call(a, model, before, content))
		}
		if !a.failed {
			a.messages = longer(before, t.message("assistant", content))
		}
		if !a.failed && !t.compacted { // no later path goes through it: what is above leaves memory
			a.lines[0].parent, a.lines[0].above, t.answers[i] = nil, nil, nil
		}
	}
	if last.answer == nil || last.answer.made || len(made.Calls) == 0 {
		if before, ok := t.before(last, nil); ok && len(before) > 0 {
			made.unsent = &Call{API: made.API, Request: t.request(model), sent: before, of: t.texts}
		}
	}
	return made
}
