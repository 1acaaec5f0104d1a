package calllog

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// geminiTurn writes a turn as a content of Gemini.
func (w writer) geminiTurn(t *turn) canon.Any {
	role := "user"
	if t.role == "assistant" {
		role = "model"
	}
	return canon.Fields("role", role, "parts", canon.ArrayOf(w.parts(t)...))
}

// geminiPart writes a part of a content.
func geminiPart(p *provider.Part) canon.Any {
	switch p.Kind {
	case "text":
		return canon.Fields("text", p.Content)
	case "image":
		media, data, inside := strings.Cut(strings.TrimPrefix(p.Content.Text, "data:"), ";base64,")
		if !inside {
			return canon.Fields("fileData", canon.Fields("fileUri", p.Content))
		}
		return canon.Fields("inlineData", canon.Fields("mimeType", media, "data", data))
	case "thinking":
		if p.Content.Kind == canon.KindString {
			return canon.Fields("text", p.Content, "thought", canon.True.Any())
		}
	case "call":
		return canon.Fields("functionCall", canon.Fields("id", p.Call, "name", p.Name, "args", parsedArguments(p.Content)))
	case "result":
		return canon.Fields("functionResponse", canon.Fields("id", p.Call, "name", p.Name, "response", geminiResponse(p)))
	}
	return p.Content
}

// geminiResponse writes what a tool answered: the API takes an object, with error for a call that failed.
func geminiResponse(p *provider.Part) canon.Any {
	_, says := p.Content.Get("error")
	output, only := p.Content.Get("output")
	switch {
	case p.Content.Kind != canon.KindObject:
		output = resultContent(p.Content)
	case !p.Failed || says:
		return p.Content
	case !only || len(p.Content.Members) > 1:
		output = p.Content
	}
	if p.Failed {
		return canon.Fields("error", output)
	}
	return canon.Fields("output", output)
}
