package calllog

import (
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// apiOf returns the API that a body is a request to, "" for any other body. It looks for fields that
// only one API has. A conversation without a model is not a request.
func apiOf(body fields) provider.API {
	model := strings.ToLower(body.text("model"))
	switch {
	case body["contents"].kind() == canon.KindArray && body["messages"] == nil:
		return provider.Gemini
	case body["messages"].kind() == canon.KindArray:
		if forAnthropic(body, model) {
			return provider.Messages
		}
		if model != "" {
			return provider.Chat
		}
	case model != "" && forResponses(body, model):
		return provider.Responses
	}
	return ""
}

// forAnthropic reports whether a body with messages is one for Anthropic's API.
func forAnthropic(body fields, model string) bool {
	if body["anthropic_version"] != nil {
		return true // as Bedrock and Vertex want it, without a model
	}
	if model == "" {
		return false
	}
	for _, name := range []string{"system", "stop_sequences", "thinking", "top_k", "context_management", "mcp_servers"} {
		if body[name] != nil {
			return true
		}
	}
	for _, tool := range body["tools"].elems() {
		f := tool.fields()
		if f["function"] != nil {
			return false
		}
		if f["input_schema"] != nil {
			return true
		}
	}
	for _, message := range body["messages"].elems() {
		f := message.fields()
		switch role := f["role"].text(); {
		case role != "user" && role != "assistant", f["tool_calls"] != nil:
			return false
		}
		for _, part := range f["content"].elems() {
			kind := part.fields()["type"].text()
			if slices.Contains([]string{"tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document"}, kind) {
				return true
			}
			if kind == "image_url" || kind == "input_audio" || kind == "file" {
				return false
			}
		}
	}
	return strings.HasPrefix(model, "claude") && body["max_tokens"] != nil
}

// forResponses reports whether a body is one for OpenAI's Responses. Other APIs
// take a model and an input too: those for embeddings, moderation and speech.
func forResponses(body fields, model string) bool {
	for _, name := range []string{"encoding_format", "dimensions", "voice", "input_type"} {
		if body[name] != nil {
			return false
		}
	}
	for _, word := range []string{"embed", "moderation", "tts", "rerank"} {
		if strings.Contains(model, word) {
			return false
		}
	}
	switch body["input"].kind() {
	case canon.KindString, canon.KindArray:
		return true
	}
	return body["input"] == nil && (body["previous_response_id"] != nil || body["prompt"].kind() == canon.KindObject)
}

// answers reports whether a value is an answer of one of the APIs.
func answers(f fields) bool {
	return f["choices"] != nil || f["candidates"] != nil || f["promptFeedback"] != nil || f["error"] != nil ||
		f["output"].kind() == canon.KindArray || f["content"].kind() == canon.KindArray && f["usage"] != nil
}
