package providertest

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

var geminiDialect = dialect{
	path: func(path string) bool {
		return strings.HasSuffix(path, ":generateContent") || strings.HasSuffix(path, ":streamGenerateContent")
	},
	key:     func(h http.Header) string { return h.Get("X-Goog-Api-Key") },
	noKey:   refusal{403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers."},
	check:   checkGemini,
	refuse:  refuseGemini,
	answer:  answerGemini,
	stream:  streamGemini,
	streams: func(path string, _ object) bool { return strings.HasSuffix(path, ":streamGenerateContent") },
}

func refuseGemini(r refusal) object {
	return object{"error": object{"code": r.status, "message": r.message, "status": strings.ToUpper(r.kind)}}
}

func checkGemini(_ http.Header, body object) *refusal {
	contents := list(body["contents"])
	if len(contents) == 0 {
		return &refusal{400, "INVALID_ARGUMENT", "* GenerateContentRequest.contents: contents is not specified"}
	}
	open := []any{} // the calls of the content before
	for _, c := range contents {
		role := text(c, "role")
		if role != "" && role != "user" && role != "model" {
			return invalidArgument("Please use a valid role: user, model.")
		}
		var made []any
		for _, part := range list(member(c, "parts")) {
			if call := either(part, "functionCall", "function_call"); call != nil {
				made = append(made, call)
			}
			response := either(part, "functionResponse", "function_response")
			if response == nil {
				continue
			}
			at := slices.IndexFunc(open, func(call any) bool {
				if text(call, "id") != "" && text(response, "id") != "" {
					return text(call, "id") == text(response, "id")
				}
				return text(call, "name") == text(response, "name")
			})
			if at < 0 {
				return unequal
			}
			open = slices.Delete(open, at, at+1)
		}
		if len(open) > 0 {
			return unequal
		}
		open = made
	}
	if len(open) > 0 {
		return unequal
	}
	return checkGeminiForm(body)
}

var unequal = invalidArgument("Please ensure that the number of function response parts is equal to the number of " +
	"function call parts of the function call turn.")

func either(part any, names ...string) any {
	for _, name := range names {
		if v := member(part, name); v != nil {
			return v
		}
	}
	return nil
}

func (a *reply) geminiChunk(parts []object, last bool) object {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	chunk := object{"responseId": "g_" + a.id, "modelVersion": "gemini", "candidates": []object{candidate}}
	if last {
		candidate["finishReason"] = "STOP"
		if a.Refusal != "" {
			candidate["finishReason"] = "SAFETY"
		}
		if !a.NoUsage {
			chunk["usageMetadata"] = object{"promptTokenCount": a.usage.sent, "cachedContentTokenCount": a.usage.read,
				"candidatesTokenCount": a.usage.out - tokens(a.Thinking), "thoughtsTokenCount": tokens(a.Thinking)}
		}
	}
	return chunk
}

// parts returns the parts of an answer; cut splits the texts for a stream.
func (a *reply) parts(cut func(string) []string) (parts []object) {
	for _, piece := range cut(a.Thinking) {
		parts = append(parts, object{"text": piece, "thought": true})
	}
	for _, piece := range cut(a.Text + a.Refusal) {
		parts = append(parts, object{"text": piece})
	}
	for i, c := range a.Calls {
		part := object{"functionCall": object{"id": c.ID, "name": c.Name, "args": json.RawMessage(c.Arguments)}}
		if i == 0 && geminiSigned.MatchString(a.path) {
			part["thoughtSignature"] = base64.StdEncoding.EncodeToString([]byte("thought before " + c.ID))
		}
		parts = append(parts, part)
	}
	return parts
}

func whole(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

func answerGemini(a *reply) object { return a.geminiChunk(a.parts(whole), true) }

func streamGemini(a *reply) (events []event) {
	parts := a.parts(pieces)
	for i, part := range parts {
		events = append(events, event{"", a.geminiChunk([]object{part}, i == len(parts)-1)})
	}
	return events
}
