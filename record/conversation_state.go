package record

import (
	"context"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/tree"
)

// conversationState is the state of a recording: the blocks that its last request sent, and the
// blocks of the answer.
type conversationState struct {
	system, sent, answer []block
	conversation         []block // sent and answer
}

// state returns the state of the recording now; the next one takes its memory. Cost: the changes since the last
// one, and a comparison for each turn.
func (l *recording) state(ctx context.Context) (*conversationState, error) {
	if err := l.listed.update(ctx, tree.Of(l.c.Working())); err != nil {
		return nil, err
	}
	v := &conversationState{system: l.listed.system, sent: l.listed.conversation, conversation: l.listed.conversation}
	if at := answerOf(v.conversation); l.last == nil && at >= 0 {
		v.sent, v.answer = v.conversation[:at], v.conversation[at:]
	}
	return v, nil
}

// answerOf returns where the answer begins that no request has followed yet, -1
// if there is none.
func answerOf(conversation []block) int {
	for i := len(conversation) - 1; i >= 0 && conversation[i].inHead && conversation[i].role == "assistant"; i-- {
		if conversation[i].answer != "" {
			return i
		}
	}
	return -1
}

// repeated counts how many leading blocks a conversation shares with the recording,
// its answer included.
func (v *conversationState) repeated(conversation []block) int {
	n := 0
	for n < len(conversation) && n < len(v.sent)+len(v.answer) && v.block(n).key == conversation[n].key {
		n++
	}
	return n
}

// block returns the n-th block of the request and its answer taken together.
func (v *conversationState) block(n int) *block {
	if n < len(v.sent) {
		return &v.sent[n]
	}
	return &v.answer[n-len(v.sent)]
}

// wasSent reports whether the last request had exactly these blocks.
func (v *conversationState) wasSent(system, conversation []block) bool {
	return equalBlocks(v.system, system) && equalBlocks(v.sent, conversation)
}

// manyTurns reports whether the last request repeated an answer.
func (v *conversationState) manyTurns() bool {
	return slices.ContainsFunc(v.sent, func(b block) bool { return b.role == "assistant" })
}

// toolNames returns the names of the tools in ^sys.
func toolNames(system []block) map[string]bool {
	names := map[string]bool{}
	for i := range system {
		if system[i].kind == "tool" {
			names[system[i].name] = true
		}
	}
	return names
}

// sameSystem reports whether one agent may have sent both system regions: at least
// half of their tools share names. If neither has tools, they must share part
// of the system prompt, or both have none. Within the session of an agent, a
// request with tools is never like one without: agents ask for titles and
// summaries without tools.
func sameSystem(agent bool, a, b []block) bool {
	tools, others := toolNames(a), toolNames(b)
	if len(tools) > 0 && len(others) > 0 {
		shared := 0
		for name := range tools {
			if others[name] {
				shared++
			}
		}
		return 2*shared >= max(len(tools), len(others))
	}
	if agent && len(tools)+len(others) > 0 {
		return false
	}
	known, texts := map[key]bool{}, [2]int{}
	for i, blocks := range [][]block{a, b} {
		for j := range blocks {
			if blocks[j].kind == "tool" {
				continue
			}
			texts[i]++
			if i == 0 {
				known[blocks[j].key] = true
			} else if known[blocks[j].key] {
				return true
			}
		}
	}
	return texts == [2]int{}
}

// callsKept is how many tool calls a recording remembers that have a result: a sub-agent of Codex begins
// to work when the call that began it has been answered.
const callsKept = 32

// openCall is a tool call in an answer that has no result yet.
type openCall struct {
	call, block string   // id of the call and id of its block
	arguments   []string // the texts among its arguments
}

// openCallOf reads a call. Its arguments may be a text that holds JSON.
func openCallOf(p *provider.Part, id string) openCall {
	c := openCall{call: p.Call, block: id}
	var collect func(v canon.Any)
	collect = func(v canon.Any) {
		if v.Kind == canon.KindString {
			if parsed, err := canon.ParseAny([]byte(v.Text)); err == nil && parsed.Kind == canon.KindObject {
				collect(parsed)
				return
			}
			c.arguments = append(c.arguments, strings.TrimSpace(v.Text))
		}
		for _, e := range v.Elems {
			collect(e)
		}
		for _, m := range v.Members {
			collect(m.Value)
		}
	}
	collect(p.Content)
	return c
}

// The lengths in bytes from which a text counts as a delegated task (as
// everything the user says, and as part of it) or as a quoted summary.
const (
	shortestTask   = 8
	shortestInside = 32
	shortestQuote  = 16
)

// repeatedArgument returns the length of the longest argument that the user repeats in a
// conversation, 0 for none.
func (c *openCall) repeatedArgument(conversation []block) int {
	longest := 0
	for i := range conversation {
		text, ok := textOf(&conversation[i])
		if !ok || conversation[i].role != "user" {
			continue
		}
		for _, a := range c.arguments {
			if len(a) >= shortestTask && strings.TrimSpace(text) == a ||
				len(a) >= shortestInside && strings.Contains(text, a) {
				longest = max(longest, len(a))
			}
		}
	}
	return longest
}

// textOf returns the text of a block of a request.
func textOf(b *block) (string, bool) {
	if b.part == nil || b.kind != "text" || b.part.Content.Kind != canon.KindString {
		return "", false
	}
	return b.part.Content.Text, true
}

// quotes reports whether a text of the user repeats the longest line of the answer, as the first message after a
// compaction does.
func quotes(conversation []block, said string) bool {
	line := ""
	for text := range strings.SplitSeq(said, "\n") {
		if text = strings.TrimSpace(text); len(text) > len(line) {
			line = text
		}
	}
	return len(line) >= shortestQuote && slices.ContainsFunc(conversation, func(b block) bool {
		text, ok := textOf(&b)
		return ok && b.role == "user" && strings.Contains(text, line)
	})
}
