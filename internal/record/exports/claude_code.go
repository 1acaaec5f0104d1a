package exports

import (
	"cmp"
	"context"
	"io"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
)

// ClaudeCode writes the thread of a snapshot as a transcript with which Claude Code goes on. c is the context of the
// snapshot, nil for none. Cost: that of the thread.
func ClaudeCode(ctx context.Context, w io.Writer, c *pact.Context, s *pact.Snapshot) (*Session, error) {
	t, err := newSession(ctx, c, s, "anthropic")
	if err != nil {
		return nil, err
	}
	t.add(t.system, "part of the system prompt, as the agent sends its own")
	messages, _ := t.fields.Get("messages")
	above := canon.Null.Any()
	for i, m := range messages.Elems {
		role, _ := m.Get("role")
		if role.Text != "user" && role.Text != "assistant" {
			t.add(1, "message of the system")
			continue
		}
		id := canon.Text(uuid(t.id + strconv.Itoa(i)))
		if role.Text == "assistant" {
			content, _ := m.Get("content")
			finish := "end_turn"
			if n := len(content.Elems); n > 0 {
				if kind, _ := content.Elems[n-1].Get("type"); kind.Text == "tool_use" {
					finish = "tool_use"
				}
			}
			m = canon.Fields("id", "msg_"+id.Text, "type", "message", "role", "assistant", "model",
				cmp.Or(t.model, "unknown"), "content", content,
				"stop_reason", finish, "stop_sequence", canon.Null.Any(), "usage", canon.Fields("input_tokens", canon.Number(0),
					"output_tokens", canon.Number(0)))
		}
		t.line(canon.Fields("parentUuid", above, "isSidechain", canon.False.Any(), "userType", "external", "sessionId", t.id,
			"version", claudeCodeVersion, "type", role, "message", m, "uuid", id, "timestamp", t.time()))
		above = id
	}
	return t.end(w, "~/.claude/projects/FOLDER/"+t.id+".jsonl, where FOLDER is that of the project with - for what is no letter or digit",
		"claude --resume", "tokens and prices of calls")
}

// claudeCodeVersion is the version of Claude Code that the form was tried with.
const claudeCodeVersion = "2.1.197"
