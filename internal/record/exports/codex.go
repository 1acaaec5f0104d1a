package exports

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
)

// codexVersion is the version of Codex that the form was tried with.
const codexVersion = "0.169.0"

// Codex writes the thread of a snapshot as a rollout with which Codex goes on. c is the context of the snapshot, nil for
// none. Cost: that of the thread.
func Codex(ctx context.Context, w io.Writer, c *pact.Context, s *pact.Snapshot) (*Session, error) {
	t, err := newSession(ctx, c, s, "responses")
	if err != nil {
		return nil, err
	}
	began := time.Unix(0, t.at).UTC()
	input, _ := t.fields.Get("input")
	var prompt []string
	var items []canon.Any // that go on, with what another role says in ^sys
	for i, item := range input.Elems {
		if i < t.system && ofSystem(item) {
			prompt = append(prompt, t.texts(item)...)
		} else {
			items = append(items, item)
		}
	}
	instructions := canon.Any{}
	if len(prompt) > 0 {
		instructions = canon.Fields("text", canon.Text(strings.Join(prompt, "\n\n")))
	}
	t.rollout("session_meta", canon.Fields("id", t.id, "session_id", t.id, "timestamp", t.time(), "cwd", ".",
		"originator", "codex_exec", "cli_version", codexVersion, "source", "exec", "model_provider", "openai",
		"base_instructions", instructions))
	for _, item := range items {
		var members []canon.Member
		for _, m := range item.Members {
			if m.Name == "role" && m.Value.Text == "system" {
				m.Value = canon.Text("developer")
			}
			members = append(members, m)
		}
		if kind, _ := item.Get("type"); kind.Kind == canon.KindAbsent {
			members = append(members, canon.Member{Name: "type", Value: canon.Text("message")})
		}
		t.rollout("response_item", canon.Object(members...))
	}
	return t.end(w, "~/.codex/sessions/"+began.Format("2006/01/02")+"/rollout-"+began.Format("2006-01-02T15-04-05")+"-"+t.id+".jsonl",
		"codex resume", "model, tokens and prices of calls")
}

// texts returns the texts of a message.
func (s *session) texts(item canon.Any) (list []string) {
	for _, part := range partsOf(item) {
		if said, _ := part.Get("text"); said.Text != "" {
			list = append(list, said.Text)
		} else if said.Kind != canon.KindString {
			s.add(1, "part of the system prompt that is no text")
		}
	}
	return list
}

func (s *session) rollout(kind string, payload canon.Any) {
	s.line(canon.Fields("timestamp", s.time(), "type", kind, "payload", payload))
}
