package calllog

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// placeBeside places a line of the model below a message that has an answer already. A line that repeats that answer,
// or calls more tools before any of them has answered, is part of it. One that comes behind the results of its tools
// follows them: some programs hang all answers to a question below the question. It reports false for another answer
// to the same question.
func (t *claudeTree) placeBeside(l *claudeLine, a *claudeAnswer, message fields) bool {
	if a.failed || a.made {
		return false
	}
	if r := a.results; r != nil && r.order < l.order {
		t.found.note(l.line, "it stands beside an answer whose tools have answered; it was read behind their results")
		l.parent, l.above, l.spoke = r, a, false
		return false // a new answer, in its place
	}
	said, now := a.content(), partsOfMessage(message["content"].value())
	switch id := message.text("id"); {
	case repeatsAll(now, said):
		for _, earlier := range a.lines {
			earlier.whole = true
		}
	case repeatsAll(said, now):
		l.whole = true
	case id != "" && id == a.id:
		t.noteGrowth(a, l)
	case callsTools(said) && callsTools(now):
	default:
		return false
	}
	l.answer = a
	a.lines = append(a.lines, l)
	return true
}

// part identifies a part of an answer by the ids of the answer and of its request, and by what it says.
type part [sha256.Size / 2]byte

// repeated returns the line of an earlier answer that a line of the model is a copy of, nil for any other: a session that
// is resumed under another id may begin with copies, which have the ids of the provider. It notes the line.
func (t *claudeTree) repeated(l *claudeLine, message fields) *claudeLine {
	id, request := message.text("id"), l.member("requestId").text()
	if id == "" || request == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(id + "\x00" + request + "\x00" + string(message["content"])))
	key := part(sum[:])
	same := t.parts[key]
	if same == nil {
		if t.parts == nil {
			t.parts = map[part]*claudeLine{}
		}
		t.parts[key] = l
	} else if same.answer == l.above && !l.spoke {
		return nil // the answer goes on
	}
	return same
}

// noteGrowth looks at the last line of an answer if the next one has its text from the beginning, and more: some programs write
// an answer again whenever it has grown. Such a line stands in the place of the one before, with its id or below the same
// line, and takes it out. One that stands below it is another block, as Claude Code chains them, so both stay, and a
// finding says so. A text without a letter or a sign is no such line: citations part a text.
func (t *claudeTree) noteGrowth(a *claudeAnswer, next *claudeLine) {
	last := a.lines[len(a.lines)-1]
	now, before := next.contentParts(), last.contentParts()
	if a.id == "" || len(now) != 1 || len(before) != 1 {
		return
	}
	above := next.member("parentUuid").text()
	for _, name := range []string{"text", "thinking"} {
		more, _ := now[0].Get(name)
		less, _ := before[0].Get(name)
		if strings.TrimSpace(less.Text) == "" || len(more.Text) <= len(less.Text) || !strings.HasPrefix(more.Text, less.Text) {
			continue
		}
		if last.whole = next.id == last.id || above != "" && above == last.member("parentUuid").text(); last.whole {
			t.found.add(last.line, "the next line of the answer has its text and more, in its place; it was read once")
		} else {
			t.found.note(last.line, "the next line of the answer begins with its text; whether it is that text, grown, the log does not say, so both were read")
		}
	}
}

// repeatsAll reports whether a content begins with all blocks of another one.
func repeatsAll(content, of []canon.Any) bool {
	return len(of) > 0 && len(of) <= len(content) && slices.EqualFunc(content[:len(of)], of, func(a, b canon.Any) bool {
		return a.Value() == b.Value()
	})
}

// callsTools reports whether an answer calls a tool.
func callsTools(content []canon.Any) bool {
	return slices.ContainsFunc(content, func(block canon.Any) bool {
		kind, _ := block.Get("type")
		return kind.Text == "tool_use"
	})
}

// preservedLine is a message that a compaction kept.
type preservedLine struct {
	boundary *claudeLine
	anchor   string // the id of the line behind which it stands now
	before   string // the id of the message kept before it, "" for the first
}

// preserveAfter notes the messages that a compaction kept: they are part of the conversation behind it, and stay where they
// were said.
func (t *claudeTree) preserveAfter(boundary *claudeLine) {
	anchor, list := t.preservedBy(boundary)
	before := ""
	for _, id := range list {
		if t.preserved == nil {
			t.preserved = map[string]*preservedLine{}
		}
		t.preserved[id] = &preservedLine{boundary, anchor, before}
		before = id
	}
}

// preservedBy returns the ids of the messages that a compaction kept, and of the line behind which it puts them. Some
// versions name only the first and the last.
func (t *claudeTree) preservedBy(boundary *claudeLine) (anchor string, list []string) {
	about := boundary.member("compactMetadata").fields()
	preserved := about["preservedMessages"].fields()
	for _, id := range preserved["uuids"].elems() {
		list = append(list, id.text())
	}
	if list != nil {
		return preserved.text("anchorUuid"), list
	}
	segment := about["preservedSegment"].fields()
	head, tail := segment.text("headUuid"), segment.text("tailUuid")
	if head == "" || tail == "" {
		return "", nil
	}
	at := t.byID[tail]
	if at == nil && boundary.order > 0 { // it is written behind the compaction
		list, at = []string{tail}, t.lines[min(boundary.order, len(t.lines))-1]
	}
	for ; at != nil; at = at.parent {
		if list = append(list, at.id); at.id == head {
			break
		}
	}
	slices.Reverse(list)
	return segment.text("anchorUuid"), list
}

// moved returns the line above a line around a compaction that kept messages, nil for any other line. above is the id
// that it names. A kept message that is written behind the compaction was said before it; what follows a kept
// message behind the compaction follows the summary with all that was kept.
func (t *claudeTree) moved(l *claudeLine, above string) *claudeLine {
	if k := t.preserved[l.id]; k != nil {
		if before := t.byID[k.before]; before != nil {
			return before
		}
		if n := k.boundary.order; n > 0 && n <= len(t.lines) {
			return t.lines[n-1]
		}
		return nil
	}
	if k := t.preserved[above]; k != nil {
		return t.byID[k.anchor]
	}
	return nil
}
