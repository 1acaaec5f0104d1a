package calllog

import (
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/sums"
)

// countOTLP counts the spans of an export.
func countOTLP(e record, b *sums.Book) {
	t := traces{byID: map[string]*span{}, found: &findings{}}
	t.read(e)
	t.mark()
	for i, s := range t.spans {
		if i > 0 {
			b.Record(e.line)
		}
		if !s.calls() || s.inner {
			b.Note(s.kind())
			continue
		}
		s.tally(b)
	}
	if len(t.spans) == 0 {
		b.Note("no span")
	}
}

// messageAttributes begin the names of attributes with what was said.
var messageAttributes = []string{"gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions",
	"gen_ai.prompt", "gen_ai.completion", "llm.input_messages", "llm.output_messages", "ai.prompt.messages",
	"ai.response.text", "ai.response.toolCalls"}

// silentMembers of messages say nothing that a request has.
var silentMembers = []string{"finish_reason", "modality", "mime_type", "kind", "name", "id", "event.name",
	"gen_ai.system", "index"}

func (s *span) tally(b *sums.Book) {
	for _, name := range messageAttributes {
		if v := s.json(name); v.Kind != canon.KindAbsent {
			b.Message(canon.Fields("content", plain(v)), silentMembers...)
		} else if v := s.below(name); v.Kind != canon.KindAbsent {
			b.Message(canon.Fields("content", plain(v)), silentMembers...)
		}
	}
	for _, said := range []canon.Any{valueOf(s.json("gcp.vertex.agent.llm_request"), "contents"),
		valueOf(s.json("gcp.vertex.agent.llm_response"), "content")} {
		if said.Kind != canon.KindAbsent {
			b.Message(canon.Fields("content", plain(said)), silentMembers...)
		}
	}
	for _, event := range append(slices.Clip(s.events), eventsIn(s.json("events"))...) {
		role, is := strings.CutSuffix(strings.TrimPrefix(event.name, "gen_ai."), ".message")
		if is || event.name == "gen_ai.choice" {
			b.Message(plain(withRole(event.message(), role)), silentMembers...)
		}
	}
	b.Tokens(s.trace+"/"+s.id, s.usage())
	b.Money(s.json("llm.cost.total", "gen_ai.usage.cost", "gen_ai.cost.total_cost", "operation.cost").Text)
}

// plain writes messages without what OpenInference wraps each of their objects in, without bytes of media, which
// requests have as addresses, and with the results of tools as an API has them.
func plain(v canon.Any) canon.Any {
	switch v = written(v); v.Kind {
	case canon.KindArray:
		list := make([]canon.Any, len(v.Elems))
		for i, e := range v.Elems {
			list[i] = plain(e)
		}
		return canon.ArrayOf(list...)
	case canon.KindObject:
		for _, name := range []string{"message", "tool_call", "message_content"} {
			if inside, is := v.Get(name); is && len(v.Members) <= 2 {
				return plain(inside)
			}
		}
		kind, _ := v.Get("type")
		var members []canon.Member
		for _, m := range v.Members {
			if kind.Text == "blob" && m.Name == "content" || m.Name == "role" {
				continue
			}
			name := strings.NewReplacer("function_call", "functionCall", "function_response", "functionResponse").Replace(m.Name)
			members = append(members, canon.Member{Name: name, Value: plain(m.Value)})
		}
		id := canon.Text(textOf(v, "id", "tool_call_id", "toolCallId"))
		switch role, _ := v.Get("role"); {
		case kind.Text == "tool_call_response" || kind.Text == "tool-result":
			return canon.Fields("type", "tool_result", "tool_use_id", id,
				"content", plain(valueOf(v, "response", "result", "output")))
		case kind.Text == "tool-call":
			return canon.Fields("type", "tool_use", "id", id, "input", plain(valueOf(v, "input", "args")))
		case role.Text == "tool" && id.Text != "":
			return canon.Fields("role", "tool", "tool_call_id", id, "content", plain(valueOf(v, "content")))
		}
		return canon.Object(members...)
	case canon.KindString:
		if strings.HasPrefix(v.Text, "data:") {
			return canon.Any{}
		}
	}
	return v
}
