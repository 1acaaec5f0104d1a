package provider

import (
	"slices"

	"github.com/contexttree/pact/internal/canon"
)

// Repeated returns an answer, in the form of AnswerParts, as the list of messages in which the next request repeats it.
func Repeated(name API, answer canon.Any) canon.Any {
	switch {
	case name == Responses: // a list of items already
		return answer
	case name == Messages:
		return canon.ArrayOf(canon.Fields("role", "assistant", "content", answer))
	case name == Chat: // an answer has a member for everything, a message of a request for what there is
		var said []canon.Member
		for _, m := range answer.Members {
			if m.Name == "audio" && m.Value.Kind == canon.KindObject {
				m.Value = canon.Fields("id", get(m.Value, "id"))
			}
			if empty := m.Value.Kind == canon.KindString && m.Value.Text == "" && m.Name != "content"; !empty && !emptyOrNull(m.Value) {
				said = append(said, m)
			}
		}
		return canon.ArrayOf(canon.Object(said...))
	}
	return canon.ArrayOf(answer)
}

// WithoutMarkers returns the body of a request without the cache markers of its tools, system prompt and messages.
func WithoutMarkers(name API, body canon.Any) canon.Any {
	return walk(body, func(member string, v canon.Any) canon.Any {
		if slices.ContainsFunc(entryOf(name).parts, func(f field) bool { return f.name == member }) {
			return unmarked(v)
		}
		return v
	})
}

// unmarked returns a list of parts or messages without markers, also in the lists that are the content of one.
func unmarked(v canon.Any) canon.Any {
	switch v.Kind {
	case canon.KindArray:
		return each(v, func(_ int, e canon.Any) canon.Any { return unmarked(e) })
	case canon.KindObject:
		kept := slices.DeleteFunc(slices.Clone(v.Members), func(m canon.Member) bool { return slices.Contains(cacheMarkers, m.Name) })
		for i := range kept {
			if kept[i].Name == "content" || kept[i].Name == "output" {
				kept[i].Value = unmarked(kept[i].Value)
			}
		}
		return canon.Object(kept...)
	}
	return v
}
