package provider

import (
	"slices"

	"github.com/contexttree/pact/internal/canon"
)

// Mark marks in the body of a request what the provider shall cache: the system prompt, the first messages, which stay,
// and all messages. Only Anthropic's API has markers that a client must place. It takes four, so one is left to the
// client.
func Mark(name API, body canon.Any, stay int) canon.Any {
	if name != Messages {
		return body
	}
	said := get(body, "messages")
	members := slices.Clone(body.Members)
	for i := range members {
		switch m := &members[i]; m.Name {
		case "system":
			m.Value = markLast(m.Value, len(m.Value.Elems))
		case "tools":
			if system, ok := body.Get("system"); !ok || len(system.Elems) == 0 && system.Kind == canon.KindArray {
				m.Value = markLast(m.Value, len(m.Value.Elems))
			}
		case "messages":
			list := slices.Clone(said.Elems)
			for _, end := range []int{stay, len(list)} {
				if end > 0 && end <= len(list) {
					list[end-1] = markMessage(list[end-1])
				}
			}
			m.Value = canon.ArrayOf(list...)
		}
	}
	return canon.Object(members...)
}

// markMessage marks the last part of a message that can have a marker.
func markMessage(message canon.Any) canon.Any {
	return walk(message, func(name string, v canon.Any) canon.Any {
		switch {
		case name != "content":
			return v
		case v.Kind == canon.KindString && v.Text != "":
			return canon.ArrayOf(marked(canon.Fields("type", "text", "text", v)))
		}
		end := len(v.Elems)
		for end > 0 && !takesMarker(v.Elems[end-1]) {
			end--
		}
		return markLast(v, end)
	})
}

// takesMarker reports whether a part can have a marker: thinking and empty texts cannot.
func takesMarker(part canon.Any) bool {
	switch text(part, "type") {
	case "thinking", "redacted_thinking":
		return false
	case "text":
		return text(part, "text") != ""
	}
	return part.Kind == canon.KindObject
}

// markLast marks the last of the first parts of a list.
func markLast(list canon.Any, end int) canon.Any {
	if list.Kind != canon.KindArray || end == 0 || list.Elems[end-1].Kind != canon.KindObject {
		return list
	}
	elems := slices.Clone(list.Elems)
	elems[end-1] = marked(elems[end-1])
	return canon.ArrayOf(elems...)
}

// marked returns a part with a marker, its own if it has one.
func marked(part canon.Any) canon.Any {
	if markerOf(part).Kind != canon.KindAbsent {
		return part
	}
	return part.With(cacheMarkers[0], canon.Fields("type", "ephemeral"))
}
