package providertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

var messagesDialect = dialect{
	path: func(path string) bool { return strings.HasSuffix(path, "/messages") },
	key: func(h http.Header) string {
		if key := h.Get("X-Api-Key"); key != "" {
			return key
		}
		return bearer(h)
	},
	noKey:   refusal{401, "authentication_error", "x-api-key header is required"},
	check:   checkMessages,
	refuse:  refuseMessages,
	answer:  answerMessages,
	stream:  streamMessages,
	streams: streamField,
}

func refuseMessages(r refusal) object {
	return object{"type": "error", "error": object{"type": r.kind, "message": r.message}}
}

// mostMarkers is how many cache markers a request may have.
const mostMarkers = 4

func checkMessages(h http.Header, body object) *refusal {
	switch {
	case h.Get("Anthropic-Version") == "":
		return invalid("anthropic-version: header is required")
	case text(body, "model") == "":
		return invalid("model: Field required")
	case body["max_tokens"] == nil:
		return invalid("max_tokens: Field required")
	case len(list(body["messages"])) == 0:
		return invalid("messages: at least one message is required")
	case text(list(body["messages"])[0], "role") != "user":
		return invalid("messages: first message must use the \"user\" role")
	}
	for _, refused := range []*refusal{checkEdits(h, body), checkMarked(body), checkPairs(list(body["messages"])),
		checkOrder(list(body["messages"])), checkForm(body), checkThinking(body)} {
		if refused != nil {
			return refused
		}
	}
	return nil
}

// checkPairs requires that the next user message begins with the results of all
// calls of a message, and holds no others.
func checkPairs(messages []any) *refusal {
	var open []string
	for i, m := range messages {
		role := text(m, "role")
		if !slices.Contains([]string{"user", "assistant", "system"}, role) {
			return invalid(fmt.Sprintf("messages.%d: Input should be 'user' or 'assistant'", i))
		}
		if role == "system" {
			continue
		}
		var calls []string
		for k, part := range list(member(m, "content")) {
			switch text(part, "type") {
			case "tool_use":
				calls = append(calls, text(part, "id"))
			case "tool_result":
				at := slices.Index(open, text(part, "tool_use_id"))
				if at < 0 {
					return invalid(fmt.Sprintf("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` "+
						"blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", i, k,
						text(part, "tool_use_id")))
				}
				open = slices.Delete(open, at, at+1)
			case "text":
				if text(part, "text") == "" {
					return invalid("messages: text content blocks must be non-empty")
				}
			}
		}
		if len(open) > 0 {
			return invalid(fmt.Sprintf("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately "+
				"after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i-1,
				strings.Join(open, ", ")))
		}
		open = calls
	}
	if len(open) > 0 {
		return invalid("messages: `tool_use` ids were found without `tool_result` blocks immediately after: " +
			strings.Join(open, ", "))
	}
	return nil
}

func (a *reply) stop() string {
	switch {
	case len(a.Calls) > 0:
		return "tool_use"
	case a.Refusal != "":
		return "refusal"
	}
	return "end_turn"
}

func (a *reply) blocks() (blocks []object) {
	if a.Thinking != "" {
		blocks = append(blocks, object{"type": "thinking", "thinking": a.Thinking, "signature": "sig" + a.Thinking})
	}
	if text := a.Text + a.Refusal; text != "" {
		blocks = append(blocks, object{"type": "text", "text": text})
	}
	for _, c := range a.Calls {
		blocks = append(blocks, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.Arguments)})
	}
	return blocks
}

func (a *reply) message(blocks []object, stop any, out int) object {
	message := object{"id": "msg_" + a.id, "type": "message", "role": "assistant", "model": a.body["model"],
		"content": blocks, "stop_reason": stop, "stop_sequence": nil}
	if !a.NoUsage {
		message["usage"] = object{"input_tokens": a.usage.sent - a.usage.read - a.usage.written,
			"cache_read_input_tokens": a.usage.read, "cache_creation_input_tokens": a.usage.written, "output_tokens": out}
		if a.usage.hour > 0 {
			message["usage"].(object)["cache_creation"] = object{"ephemeral_1h_input_tokens": a.usage.hour}
		}
	}
	if a.body["context_management"] != nil {
		message["context_management"] = object{"applied_edits": append([]object{}, a.edited...)}
	}
	maps.Copy(message, a.diagnosis)
	return message
}

func answerMessages(a *reply) object { return a.message(a.blocks(), a.stop(), a.usage.out) }

func streamMessages(a *reply) (events []event) {
	send := func(kind string, fields object) {
		fields["type"] = kind
		events = append(events, event{kind, fields})
	}
	send("message_start", object{"message": a.message([]object{}, nil, 1)})
	for i, b := range a.blocks() {
		delta := func(kind, field, value string) {
			send("content_block_delta", object{"index": i, "delta": object{"type": kind, field: value}})
		}
		begun := object{"type": b["type"]}
		switch b["type"] {
		case "thinking":
			begun["thinking"], begun["signature"] = "", ""
		case "text":
			begun["text"] = ""
		default:
			begun["id"], begun["name"], begun["input"] = b["id"], b["name"], object{}
		}
		send("content_block_start", object{"index": i, "content_block": begun})
		switch b["type"] {
		case "thinking":
			for _, piece := range pieces(a.Thinking) {
				delta("thinking_delta", "thinking", piece)
			}
			delta("signature_delta", "signature", "sig"+a.Thinking)
		case "text":
			for _, piece := range pieces(a.Text + a.Refusal) {
				delta("text_delta", "text", piece)
			}
		default:
			for _, piece := range pieces(string(b["input"].(json.RawMessage))) {
				delta("input_json_delta", "partial_json", piece)
			}
		}
		send("content_block_stop", object{"index": i})
	}
	last := object{"delta": object{"stop_reason": a.stop(), "stop_sequence": nil}}
	if !a.NoUsage {
		last["usage"] = object{"output_tokens": a.usage.out}
	}
	send("message_delta", last)
	send("message_stop", object{})
	return events
}
