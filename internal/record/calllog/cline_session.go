package calllog

import (
	"cmp"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/sums"
)

// isClineSession reports whether a value is what the SDK of Cline keeps of a session (session.messages.json).
func isClineSession(first raw) bool {
	f := first.fields()
	return f["messages"].kind() == canon.KindArray && f["version"].kind() == canon.KindNumber &&
		f.text("updated_at") != "" && f.text("agent", "sessionId") != ""
}

// readClineSession reads sessions of the SDK of Cline, whose messages are those of Anthropic's API but for images
// and files, whichever provider they went to.
func readClineSession(list []record, found *findings) (made []Session) {
	for _, e := range list {
		f := e.fields()
		g := conversationBuilder{api: provider.Messages, texts: found.texts}
		if text := f.text("system_prompt"); text != "" {
			g.system = []canon.Any{canon.Fields("type", "text", "text", text)}
		}
		model, before := unknownModel, int64(0)
		list := e.under(f["messages"])
		for i := 0; i < len(list); i++ {
			m := list[i]
			f := m.fields()
			role, content, at := f.text("role"), clineContent(f["content"].value()), timeOf(f["ts"].value())
			switch role {
			case "user", "system":
				g.addMessages(canon.Fields("role", role, "content", content))
			case "assistant":
				for ; i+1 < len(list); i++ { // the counts of an answer stand in one of its messages
					next := list[i+1].fields()
					if next.text("role") != role || f["metrics"] != nil && next["metrics"] != nil {
						break
					}
					found.note(list[i+1].line, partOfAnswer)
					if next["metrics"] != nil {
						f = next
					}
					content.Elems, at = append(content.Elems, clineContent(next["content"].value()).Elems...), timeOf(next["ts"].value())
				}
				model = cmp.Or(f["modelInfo"].fields().text("id"), model)
				a := provider.Answer{API: g.api, ID: f.text("id"), Model: model, Content: content, Usage: clineUsage(f)}
				call := Call{ID: a.ID, Line: m.line, Started: before, Ended: at}
				call.price(f["metrics"].fields()["cost"].value())
				g.call(call, model, a.Body())
				g.answer(canon.Fields("role", role, "content", content))
			default:
				found.add(m.line, "it is no message of a user or of the assistant, so it was left out")
				continue
			}
			before = at
		}
		for _, s := range g.sessions(model) {
			s.Name = f.text("sessionId")
			made = append(made, s)
		}
	}
	return made
}

// clineContent writes a content as Anthropic's API takes it: Cline has an image as its data and its type, and a result
// with the name of its tool.
func clineContent(content canon.Any) canon.Any {
	if content.Kind == canon.KindString {
		return canon.ArrayOf(canon.Fields("type", "text", "text", content))
	}
	var parts []canon.Any
	for _, p := range content.Elems {
		kind, _ := p.Get("type")
		data, _ := p.Get("data")
		media, _ := p.Get("mediaType")
		inside, _ := p.Get("content")
		switch {
		case kind.Text == "image" && data.Kind == canon.KindString && media.Text != "":
			p = writer{provider.Messages}.image("data:" + media.Text + ";base64," + data.Text)
		case kind.Text == "tool_result":
			id, _ := p.Get("tool_use_id")
			failed, _ := p.Get("is_error")
			if inside.Kind == canon.KindArray {
				inside = clineContent(inside)
			}
			p = canon.Fields("type", kind, "tool_use_id", id, "content", inside, "is_error", failed)
		}
		parts = append(parts, p)
	}
	return canon.ArrayOf(parts...)
}

// clineUsage reads the tokens of an answer. Those of the cache are among the input.
func clineUsage(message fields) provider.Usage {
	return usage(message["metrics"].fields(), "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "")
}

// countClineSession counts a session of the SDK of Cline.
func countClineSession(e record, b *sums.Book) {
	f := e.fields()
	b.Message(canon.Fields("system_prompt", f["system_prompt"].value()))
	for _, m := range f["messages"].elems() {
		b.Record(e.line)
		f := m.fields()
		b.Message(canon.Fields("content", f["content"].value()), "name", "mediaType")
		if f["metrics"] == nil {
			continue
		}
		b.Tokens("", clineUsage(f))
		b.Money(f["metrics"].fields()["cost"].value().Text)
	}
}
