package provider

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/splice"
)

// PlacedResult is the result of a call at its place in a body.
type PlacedResult struct {
	Call    string       // the id of the call
	Content splice.Value // a text, a list of parts or, of Gemini, an object of the tool's own form
	Failed  bool
}

// Results returns the results of a body in its messages from one on, in their order. It leaves out those without an id,
// and those of Gemini with images and other parts. Cost: linear in the values of these messages.
func Results(name API, root splice.Value, from int) (list []PlacedResult) {
	add := func(call string, content splice.Value, failed bool) {
		if call != "" && (content.Kind == canon.KindString || content.Kind == canon.KindArray ||
			name == Gemini && content.Kind == canon.KindObject) {
			list = append(list, PlacedResult{call, content, failed})
		}
	}
	messages := root.Get(ListOf(name)).Elems
	for _, m := range messages[min(from, len(messages)):] {
		switch name {
		case Messages:
			for _, block := range m.Get("content").Elems {
				if block.Get("type").Text() == "tool_result" {
					add(block.Get("tool_use_id").Text(), block.Get("content"), block.Get("is_error").True())
				}
			}
		case Chat:
			if m.Get("role").Text() == "tool" {
				add(m.Get("tool_call_id").Text(), m.Get("content"), false)
			}
		case Responses:
			if word := m.Get("type").Text(); word == "function_call_output" || word == "custom_tool_call_output" {
				add(m.Get("call_id").Text(), m.Get("output"), false)
			}
		case Gemini:
			for _, part := range m.Get("parts").Elems {
				response := geminiResponse(part)
				if !geminiCall(part).Is() && !response.Get("parts").Is() {
					add(response.Get("id").Text(), geminiSays(response.Get("response")), false)
				}
			}
		}
	}
	return list
}

// geminiSays returns the text of a response, under the names that the API's reference and its clients have for it
// (https://ai.google.dev/api/caching#FunctionResponse, read on 2026-11-26); the whole response if it has none.
func geminiSays(response splice.Value) splice.Value {
	for _, name := range []string{"output", "result", "error"} {
		if v := response.Get(name); v.Kind == canon.KindString {
			return v
		}
	}
	return response
}

// HasTools reports whether a request offers tools: what an agent asks beside its work has none.
func HasTools(root splice.Value) bool { return len(root.Get("tools").Elems) > 0 }

// Rewrite collects the edits that make a content say what another value of the same form says:
// the same list with other texts, or another text. It reports false if the two differ elsewhere.
func Rewrite(e *splice.Edits, content splice.Value, with canon.Value) bool {
	if content.Kind == canon.KindString {
		if with.Kind() != canon.KindString {
			return false
		}
		e.Replace(content, []byte(with))
		return true
	}
	now := with.Any()
	if len(content.Elems) != len(now.Elems) {
		return false
	}
	for i, part := range content.Elems {
		old, new := part.Get("text"), get(now.Elems[i], "text")
		if old.Kind == canon.KindString && new.Kind == canon.KindString && old.Text() != new.Text {
			e.Replace(old, new.AppendTo(nil))
		}
	}
	return true
}

// PlacedThinking is the thinking of an answer at its place in a body.
type PlacedThinking struct {
	List splice.Value // that holds it
	At   int          // its index there
	Of   int          // the index of its message
}

// Thinking returns the thinking in the messages of a body from one on that may be left out, in its order: that of
// Anthropic. OpenAI refuses a call without the reasoning that it came with.
func Thinking(name API, root splice.Value, from int) (list []PlacedThinking) {
	if name != Messages {
		return nil
	}
	messages := root.Get(ListOf(name)).Elems
	for m := from; m < len(messages); m++ {
		content := messages[m].Get("content")
		for k, block := range content.Elems {
			if kindOf(block.Get("type").Text()) == "thinking" {
				list = append(list, PlacedThinking{content, k, m})
			}
		}
	}
	return list
}

// BindsThinking reports whether a model refuses thinking behind something that changed.
func BindsThinking(name API, model string) bool {
	return name == Messages && matchesModel(model, anthropicBound)
}

// LeaveNote collects the edit that has a note stand in place of a content: a text for a text, for a list one text
// with the cache marker that the list had, for an object one with the note.
func LeaveNote(e *splice.Edits, content splice.Value, note string) {
	e.Replace(content, noteIn(content, note))
}

func noteIn(content splice.Value, note string) []byte {
	switch content.Kind {
	case canon.KindObject:
		return []byte(`{"note":` + note + `}`)
	case canon.KindString:
		return []byte(note)
	}
	word, marker := "text", ""
	for _, part := range content.Elems {
		if t := part.Get("type").Text(); strings.HasPrefix(t, "input_") {
			word = "input_text"
		}
		for _, name := range cacheMarkers {
			if v := part.Get(name); v.Is() {
				marker = `,"` + name + `":` + string(v.Raw)
			}
		}
	}
	return []byte(`[{"type":"` + word + `","text":` + note + marker + `}]`)
}

// HasNote reports whether a content is a note in place of another.
func HasNote(content splice.Value, note string) bool {
	return content.Kind == canon.KindString && string(content.Raw) == note ||
		content.Kind == canon.KindObject && string(content.Raw) == string(noteIn(content, note)) ||
		content.Kind == canon.KindArray && len(content.Elems) == 1 && string(content.Elems[0].Get("text").Raw) == note
}
