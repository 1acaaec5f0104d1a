package calllog

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// before returns the messages that the path above a line has; of the last
// line, to which no answer follows, those down to itself. It is false if the
// paths together are too long.
func (t *claudeTree) before(l *claudeLine, a *claudeAnswer) ([]text, bool) {
	above := l.above
	at := l.parent
	if a == nil {
		at = l
		if l.answer != nil && !l.answer.failed {
			above, at = l.answer, nil
		}
	}
	var path []*claudeLine
	var root *claudeLine
	for ; at != nil && (above == nil || at.answer != above); at = at.parent {
		if t.walked++; t.walked > mostShared {
			return nil, false
		}
		path = append(path, at)
		root = at
		if a != nil && at.clears {
			a.clears = true
		}
	}
	slices.Reverse(path)
	if above == nil {
		m := messageList{tree: t}
		for _, p := range path {
			m.user(p)
			t.preserve(&m, p)
		}
		if a != nil && root != nil && root.begins {
			a.begins = root
		}
		return m.all(), true
	}
	if a != nil && above.made {
		a.begins = above.begins
	}
	m := messageList{tree: t, list: above.messages}
	if above.extended {
		m.list = slices.Clip(m.list)
	}
	above.extended = true
	for _, p := range resultsBeside(above, path, l) {
		m.user(p)
	}
	for _, p := range path {
		m.user(p)
	}
	return m.all(), true
}

// resultsBeside returns the results of an answer's tools that are not on the
// path: each result stands behind its own block of the answer, so that a path
// has one of several.
func resultsBeside(a *claudeAnswer, path []*claudeLine, until *claudeLine) (beside []*claudeLine) {
	for _, l := range a.lines {
		for _, r := range l.below {
			if r.order < until.order && !slices.Contains(path, r) {
				beside = append(beside, r)
			}
		}
	}
	slices.SortStableFunc(beside, func(x, y *claudeLine) int { return x.order - y.order })
	return beside
}

// preserve adds the messages that a compaction kept, if it puts them behind this line.
func (t *claudeTree) preserve(m *messageList, l *claudeLine) {
	if l.parent == nil || !l.parent.begins {
		return
	}
	anchor, preserved := t.preservedBy(l.parent)
	if anchor != l.id {
		return
	}
	for _, id := range preserved {
		switch k := t.byID[id]; {
		case k == nil:
			t.found.add(l.line, "a message that the compaction kept is missing")
		case k.answer != nil:
			m.assistant(k)
		default:
			m.user(k)
		}
	}
}

// messageList joins lines to messages: successive lines of one side are one message.
type messageList struct {
	tree *claudeTree
	list []text
	open []canon.Any   // the content of the last message, which is not in the list yet
	role string        // of that
	of   *claudeAnswer // the answer that it belongs to, nil if the user said it
}

func (m *messageList) user(l *claudeLine) {
	if l.answer == nil {
		m.add("user", l.contentParts(), nil)
	}
}

func (m *messageList) assistant(l *claudeLine) {
	m.add("assistant", l.contentParts(), l.answer)
}

func (m *messageList) add(role string, parts []canon.Any, of *claudeAnswer) {
	if len(parts) == 0 {
		return
	}
	if m.of != of {
		m.all()
	}
	m.role, m.of, m.open = role, of, append(m.open, parts...)
}

// all returns the list with the message that was open.
func (m *messageList) all() []text {
	if len(m.open) > 0 {
		m.list = longer(m.list, m.tree.message(m.role, m.open))
	}
	m.open = nil
	return m.list
}

// message takes a message of the blocks of a content. Requests only repeat it, so its text is all that stays of it.
func (t *claudeTree) message(role string, content []canon.Any) text {
	return t.texts.put(canon.Fields("role", role, "content", canon.ArrayOf(content...)).Value())
}

// content returns all blocks of an answer.
func (a *claudeAnswer) content() (blocks []canon.Any) {
	for _, l := range a.lines {
		if l.whole {
			continue
		}
		blocks = append(blocks, l.contentParts()...)
	}
	return blocks
}

// unfinished reports whether another block may follow: the program writes each
// block as it arrives.
func (a *claudeAnswer) unfinished() bool {
	content := a.content()
	if a.made || len(content) == 0 {
		return false
	}
	kind, _ := content[len(content)-1].Get("type")
	finish := a.lines[len(a.lines)-1].member("message").member("stop_reason").text()
	return kind.Text != "text" || finish == "tool_use"
}

// call makes the call of an answer.
func (t *claudeTree) call(a *claudeAnswer, model string, before []text, content []canon.Any) Call {
	first, last := a.lines[0], a.lines[len(a.lines)-1]
	c := Call{ID: first.id, API: provider.Messages, Path: provider.PathOf(provider.Messages, model), Line: first.line,
		Ended: last.at, Status: http.StatusOK, Request: t.request(model), sent: before, of: t.texts}
	if p := first.parent; p != nil && p.at <= last.at {
		c.Started = p.at
	}
	if b := a.begins; b != nil && !b.taken {
		b.taken, c.Rewrites = true, true
	}
	c.Rewrites = c.Rewrites || a.clears
	if id := first.member("requestId").text(); id != "" {
		c.logged = t.texts.put(canon.Fields("requestId", id).Value())
	}
	message := last.member("message")
	if a.failed {
		text := ""
		for _, b := range content {
			said, _ := b.Get("text")
			text += said.Text
		}
		c.Status = statusIn(text)
		c.answered = t.texts.put(canon.Fields("type", "error", "error",
			canon.Fields("type", cmp.Or(first.member("error").text(), "api_error"), "message", text)).Value())
		return c
	}
	finish := message.member("stop_reason").text()
	c.answered = t.texts.put(canon.Fields("type", "message", "id", a.id, "role", "assistant", "model", model, "stop_reason", finish,
		"content", canon.ArrayOf(content...), "usage", a.usage().value()).Value())
	return c
}

// usage returns what the provider counted: each line has what had come until then, or nothing. The counts of a stream
// are sums from its beginning (docs.anthropic.com, streaming), so one that is smaller is older, wherever it stands.
func (a *claudeAnswer) usage() (counts raw) {
	most := int64(-1)
	for _, l := range a.lines {
		u := l.member("message").member("usage")
		if out := u.fields().count("output_tokens"); out != nil && *out >= most {
			counts, most = u, *out
		} else if most < 0 && len(u.fields()) > 0 {
			counts = u
		}
	}
	return counts
}

// statusIn returns the HTTP status that Claude Code writes into the text of an
// error ("API Error: 529 …"), 0 if there is none.
func statusIn(text string) int {
	const words = 4
	for _, word := range strings.SplitN(text, " ", words) {
		if n, err := strconv.Atoi(word); err == nil && n >= 400 && n < 600 {
			return n
		}
	}
	return 0
}
