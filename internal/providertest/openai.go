package providertest

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

var chatDialect = dialect{
	path:    func(path string) bool { return strings.HasSuffix(path, "/chat/completions") },
	key:     bearer,
	noKey:   noOpenAIKey,
	check:   checkChat,
	refuse:  refuseOpenAI,
	answer:  answerChat,
	stream:  streamChat,
	streams: streamField,
}

// created is the Unix time, in seconds, of every answer: the stand-in uses no
// clock for its answers.
const created = 1_790_000_000

var noOpenAIKey = refusal{401, "invalid_request_error", "You didn't provide an API key."}

func refuseOpenAI(r refusal) object {
	return object{"error": object{"message": r.message, "type": r.kind, "param": nil, "code": nil}}
}

// checkChat requires the pairs of calls and results that OpenAI requires.
func checkChat(_ http.Header, body object) *refusal {
	if text(body, "model") == "" {
		return invalid("you must provide a model parameter")
	}
	if len(list(body["messages"])) == 0 {
		return invalid("Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array " +
			"instead.")
	}
	var open []string
	for _, m := range list(body["messages"]) {
		role := text(m, "role")
		if !slices.Contains([]string{"system", "developer", "user", "assistant", "tool", "function"}, role) {
			return invalid("Invalid value: '" + role + "'.")
		}
		if role == "tool" {
			at := slices.Index(open, text(m, "tool_call_id"))
			if at < 0 {
				return invalid("messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
			}
			open = slices.Delete(open, at, at+1)
			continue
		}
		if len(open) > 0 {
			break
		}
		for _, call := range list(member(m, "tool_calls")) {
			if role != "assistant" {
				continue
			}
			open = append(open, text(call, "id"))
		}
	}
	if len(open) > 0 {
		return invalid("An assistant message with 'tool_calls' must be followed by tool messages responding to each " +
			"'tool_call_id'. The following tool_call_ids did not have response messages: " + strings.Join(open, ", "))
	}
	return checkChatForm(body)
}

func (a *reply) finish() string {
	if len(a.Calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}

func (a *reply) chatUsage() any {
	if a.NoUsage {
		return nil
	}
	return object{"prompt_tokens": a.usage.sent, "completion_tokens": a.usage.out,
		"total_tokens":          a.usage.sent + a.usage.out,
		"prompt_tokens_details": object{"cached_tokens": a.usage.read}}
}

func chatCall(c Call) object {
	return object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Arguments}}
}

func answerChat(a *reply) object {
	message := object{"role": "assistant", "content": nil, "refusal": nil}
	if a.Text != "" {
		message["content"] = a.Text
	}
	if a.Refusal != "" {
		message["refusal"] = a.Refusal
	}
	var calls []object
	for _, c := range a.Calls {
		calls = append(calls, chatCall(c))
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	answer := object{"id": "chatcmpl-" + a.id, "object": "chat.completion", "created": created, "model": a.body["model"],
		"choices": []object{{"index": 0, "message": message, "finish_reason": a.finish()}}}
	if usage := a.chatUsage(); usage != nil {
		answer["usage"] = usage
	}
	return answer
}

func streamChat(a *reply) (events []event) {
	chunk := func(delta object, finish any) {
		events = append(events, event{"", object{"id": "chatcmpl-" + a.id, "object": "chat.completion.chunk",
			"created": created, "model": a.body["model"],
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}}})
	}
	chunk(object{"role": "assistant", "content": nil, "refusal": nil}, nil)
	for _, piece := range pieces(a.Text) {
		chunk(object{"content": piece}, nil)
	}
	for _, piece := range pieces(a.Refusal) {
		chunk(object{"refusal": piece}, nil)
	}
	for i, c := range a.Calls {
		first := chatCall(Call{ID: c.ID, Name: c.Name})
		first["index"] = i
		chunk(object{"tool_calls": []object{first}}, nil)
		for _, piece := range pieces(c.Arguments) {
			chunk(object{"tool_calls": []object{{"index": i, "function": object{"arguments": piece}}}}, nil)
		}
	}
	chunk(object{}, a.finish())
	if member(a.body["stream_options"], "include_usage") == true && !a.NoUsage {
		events = append(events, event{"", object{"id": "chatcmpl-" + a.id, "choices": []object{}, "usage": a.chatUsage()}})
	}
	return append(events, event{"", "[DONE]"})
}

// pieces cuts a text into pieces of three characters.
func pieces(text string) (list []string) {
	for chunk := range slices.Chunk([]rune(text), 3) {
		list = append(list, string(chunk))
	}
	return list
}

var responsesDialect = dialect{
	path:    func(path string) bool { return strings.HasSuffix(path, "/responses") },
	key:     bearer,
	noKey:   noOpenAIKey,
	check:   checkResponses,
	refuse:  refuseOpenAI,
	answer:  answerResponses,
	stream:  streamResponses,
	streams: streamField,
}

func checkResponses(_ http.Header, body object) *refusal {
	if text(body, "model") == "" {
		return invalid("Missing required parameter: 'model'.")
	}
	if refused := checkAnswered(body); refused != nil {
		return refused
	}
	return checkItems(body)
}

func (a *reply) items() (items []object) {
	if a.Thinking != "" {
		items = append(items, object{"type": "reasoning", "id": "rs_" + a.id, "summary": []object{},
			"encrypted_content": "gAAA" + a.Thinking})
	}
	if a.Text != "" {
		items = append(items, object{"type": "message", "id": "msg_" + a.id, "role": "assistant", "status": "completed",
			"content": []object{{"type": "output_text", "text": a.Text, "annotations": []object{}}}})
	}
	if a.Refusal != "" {
		items = append(items, object{"type": "message", "id": "msg_" + a.id, "role": "assistant", "status": "completed",
			"content": []object{{"type": "refusal", "refusal": a.Refusal}}})
	}
	for _, c := range a.Calls {
		item := object{"type": "function_call", "id": "fc_" + c.ID, "call_id": c.ID, "name": c.Name,
			"arguments": c.Arguments, "status": "completed"}
		if c.Namespace != "" {
			item["namespace"] = c.Namespace
		}
		items = append(items, item)
	}
	return items
}

func (a *reply) response(status string, items []object) object {
	response := object{"id": "resp_" + a.id, "object": "response", "created_at": created, "model": a.body["model"],
		"status": status, "error": nil, "output": items}
	if status == "completed" && !a.NoUsage {
		response["usage"] = object{"input_tokens": a.usage.sent, "output_tokens": a.usage.out,
			"total_tokens":          a.usage.sent + a.usage.out,
			"input_tokens_details":  object{"cached_tokens": a.usage.read},
			"output_tokens_details": object{"reasoning_tokens": tokens(a.Thinking)}}
	}
	maps.Copy(response, a.diagnosis)
	return response
}

func answerResponses(a *reply) object { return a.response("completed", a.items()) }

func streamResponses(a *reply) (events []event) {
	send := func(kind string, fields object) {
		fields["type"], fields["sequence_number"] = kind, len(events)
		events = append(events, event{kind, fields})
	}
	send("response.created", object{"response": a.response("in_progress", []object{})})
	for i, item := range a.items() {
		begun := object{}
		encoded, err := json.Marshal(item)
		if err == nil {
			err = json.Unmarshal(encoded, &begun)
		}
		if err != nil {
			panic(err)
		}
		kind, pieces := "response.output_text.delta", pieces(a.Text)
		switch item["type"] {
		case "message":
			begun["content"] = []object{}
		case "function_call":
			kind, pieces = "response.function_call_arguments.delta", []string{item["arguments"].(string)}
			begun["arguments"] = ""
		default:
			pieces = nil
		}
		begun["status"] = "in_progress"
		send("response.output_item.added", object{"output_index": i, "item": begun})
		part := func(kind, text string) {
			if item["type"] == "message" && a.Refusal == "" {
				send(kind, object{"output_index": i, "content_index": 0, "item_id": item["id"],
					"part": object{"type": "output_text", "text": text, "annotations": []object{}}})
			}
		}
		part("response.content_part.added", "")
		for _, piece := range pieces {
			send(kind, object{"output_index": i, "content_index": 0, "item_id": item["id"], "delta": piece})
		}
		part("response.content_part.done", a.Text)
		send("response.output_item.done", object{"output_index": i, "item": item})
	}
	send("response.completed", object{"response": a.response("completed", a.items())})
	return events
}
