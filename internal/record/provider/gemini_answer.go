package provider

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// geminiAnswer reads Gemini's chunks. Of several candidates only the first counts.
type geminiAnswer struct {
	id, model, finish, blocked, role string
	parts                            []canon.Any
	run                              strings.Builder // the text of the last part, which may still grow
	usage                            canon.Any
}

func (g *geminiAnswer) wholeBody(body canon.Any) { g.event(body) }

func (g *geminiAnswer) event(chunk canon.Any) {
	if id := text(chunk, "responseId"); id != "" {
		g.id = id
	}
	if model := text(chunk, "modelVersion"); model != "" {
		g.model = model
	}
	if usage := get(chunk, "usageMetadata"); usage.Kind == canon.KindObject {
		g.usage = usage
	}
	if reason := text(get(chunk, "promptFeedback"), "blockReason"); reason != "" {
		g.blocked = reason
	}
	for _, candidate := range get(chunk, "candidates").Elems {
		if i, ok := get(candidate, "index").Value().Int64(); ok && i != 0 {
			continue
		}
		if finish := text(candidate, "finishReason"); finish != "" {
			g.finish = finish
		}
		content := get(candidate, "content")
		if role := text(content, "role"); role != "" {
			g.role = role
		}
		for _, part := range get(content, "parts").Elems {
			g.part(part)
		}
	}
}

// part adds a part. Consecutive pieces of one text become one part; a part with
// anything besides a text and a thought flag stands alone.
func (g *geminiAnswer) part(part canon.Any) {
	last := len(g.parts) - 1
	if !piece(part) || last < 0 || !piece(g.parts[last]) ||
		get(part, "thought").Text != get(g.parts[last], "thought").Text {
		g.endRun()
		g.parts = append(g.parts, part)
	}
	if piece(part) {
		g.run.WriteString(text(part, "text"))
	}
}

func piece(part canon.Any) bool {
	said := get(part, "text")
	return said.Kind == canon.KindString && len(part.Without("text", "thought").Members) == 0
}

// endRun writes the accumulated text into the last part.
func (g *geminiAnswer) endRun() {
	last := len(g.parts) - 1
	if last < 0 || !piece(g.parts[last]) {
		return
	}
	g.parts[last] = g.parts[last].With("text", canon.Text(g.run.String()))
	g.run.Reset()
}

func (g *geminiAnswer) fill(a *Answer) {
	g.endRun()
	a.ID, a.Model, a.Finish, a.Refusal = g.id, g.model, g.finish, g.blocked
	if len(g.parts) > 0 {
		role := g.role
		if role == "" {
			role = "model"
		}
		a.Content = canon.Object(
			textMember("role", role), canon.Member{Name: "parts", Value: canon.ArrayOf(g.parts...)})
	}
	thoughts := count(g.usage, "thoughtsTokenCount")
	a.Usage = Usage{
		In:     count(g.usage, "promptTokenCount"),
		Out:    sum(count(g.usage, "candidatesTokenCount"), thoughts),
		Cached: count(g.usage, "cachedContentTokenCount"), Reasoning: thoughts,
		Terms: terms(get(g.usage, "trafficType"), "ON_DEMAND", "TRAFFIC_TYPE_UNSPECIFIED"),
	}
	if a.Usage.In != nil && get(g.usage, "cachedContentTokenCount").Kind == canon.KindAbsent { // Google leaves out what is 0
		a.Usage.Cached = new(int64)
	}
}

func geminiBody(a *Answer) canon.Any {
	finish, u := a.Finish, &a.Usage
	if finish == "" && a.Failure == "" {
		finish = "FINISH_REASON_UNSPECIFIED"
	}
	out := u.Out
	if out != nil && u.Reasoning != nil { // Gemini counts thoughts beside the others
		said := *out - *u.Reasoning
		out = &said
	}
	cached := any(u.Cached)
	if u.In != nil && u.Cached == nil {
		cached = canon.Null.Any() // not known, which is not 0
	}
	return canon.Fields("responseId", a.ID, "modelVersion", a.Model,
		"candidates", canon.ArrayOf(canon.Fields("content", a.Content, "finishReason", finish)),
		"usageMetadata", objOrNone("promptTokenCount", u.In, "candidatesTokenCount", out,
			"thoughtsTokenCount", u.Reasoning, "cachedContentTokenCount", cached))
}
