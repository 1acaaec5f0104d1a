package calllog

import (
	"cmp"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// isADK reports whether a value is a session of Google's Agent Development Kit,
// or one of its events.
func isADK(first raw) bool {
	f := first.fields()
	if events := f["events"].elems(); len(events) > 0 {
		f = events[0].fields()
	} else if list := first.elems(); len(list) > 0 {
		f = list[0].fields()
	}
	invocation, _ := f.first("invocationId", "invocation_id")
	return f["author"].kind() == canon.KindString && invocation != nil
}

// readADK reads a session of the Agent Development Kit, as JSON of the session
// or as its events, with names in camelCase or in snake_case.
func readADK(list []entry, found *findings) []Session {
	g := grown{api: provider.Gemini, list: "contents"}
	model := ""
	var before int64
	for _, e := range list {
		events := []raw{e.raw}
		if held := e.fields()["events"]; held.kind() == canon.KindArray {
			events = held.elems()
		}
		for _, r := range events {
			f := r.fields()
			content := geminiContent(f["content"])
			if f["partial"].isTrue() || content.Kind == canon.KindAbsent {
				found.add(e.line, "an event without a content of its own was left out")
				continue
			}
			at := timeOf(f["timestamp"].value())
			if role, _ := content.Get("role"); role.Text == "model" {
				model = cmp.Or(f.text("modelVersion", "model_version"), model)
				counts, _ := f.first("usageMetadata", "usage_metadata")
				c := Call{ID: f.text("id"), Line: e.line, Started: before, Ended: at, Attrs: map[string]canon.Any{
					"author": f["author"].value()}}
				if branch := f["branch"].value(); branch.Kind == canon.KindString {
					c.Attrs["branch"] = branch
				}
				a := provider.Answer{API: g.api, Model: model, Content: content, Usage: geminiUsage(counts.fields())}
				g.call(c, model, a.Body())
				g.answer(content)
			} else {
				g.messages = append(g.messages, content)
			}
			before = at
		}
	}
	return g.sessions(model)
}

// geminiUsage reads the tokens of an answer. Gemini counts thoughts beside it.
func geminiUsage(counts fields) provider.Usage {
	u := usage(counts, "promptTokenCount prompt_token_count", "candidatesTokenCount candidates_token_count",
		"cachedContentTokenCount cached_content_token_count", "", "thoughtsTokenCount thoughts_token_count")
	u.Out = sum(u.Out, u.Reasoning)
	return u
}

// geminiContent returns a content as the API has it: names in camelCase, and
// nothing that is null. It is absent if the value has no parts.
func geminiContent(r raw) canon.Any {
	f := r.fields()
	var parts []canon.Any
	for _, p := range f["parts"].elems() {
		parts = append(parts, camelMembers(p.value(), 1))
	}
	if len(parts) == 0 {
		return canon.Any{}
	}
	return canon.Fields("role", cmp.Or(f.text("role"), "user"), "parts", canon.ArrayOf(parts...))
}

// camelMembers writes the names of an object's members in camelCase, and those
// of the objects in it for some levels more, and leaves out what is null. The
// arguments of calls and what tools answered stay as they are.
func camelMembers(v canon.Any, levels int) canon.Any {
	if v.Kind != canon.KindObject {
		return v
	}
	var members []canon.Member
	for _, m := range v.Members {
		if m.Value.Kind == canon.KindNull {
			continue
		}
		if levels > 0 {
			m.Value = camelMembers(m.Value, levels-1)
		}
		m.Name = camel(m.Name)
		members = append(members, m)
	}
	return canon.Object(members...)
}

func camel(name string) string {
	words := strings.Split(name, "_")
	for i := 1; i < len(words); i++ {
		if words[i] != "" {
			words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
		}
	}
	return strings.Join(words, "")
}
