package calllog

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// otlpValue writes a value of an attribute as OTLP has it.
func otlpValue(v any) any {
	switch v := v.(type) {
	case string:
		return map[string]any{"stringValue": v}
	case int:
		return map[string]any{"intValue": fmt.Sprint(v)}
	case []any:
		var list []any
		for _, e := range v {
			list = append(list, otlpValue(e))
		}
		return map[string]any{"arrayValue": map[string]any{"values": list}}
	case map[string]any:
		return map[string]any{"kvlistValue": map[string]any{"values": otlpPairs(v)}}
	}
	return map[string]any{"boolValue": v}
}

func otlpPairs(of map[string]any) (list []any) {
	for name, v := range of {
		list = append(list, map[string]any{"key": name, "value": otlpValue(v)})
	}
	return list
}

// otlpSpan is a span for a test: its id, that of the one around it, its attributes and events.
type otlpSpan struct {
	id, parent string
	attributes map[string]any
	events     []any
}

func otlpEvent(name string, about map[string]any) any {
	return map[string]any{"name": name, "timeUnixNano": "1777885200000000001", "attributes": otlpPairs(about)}
}

// otlpText writes an export of spans.
func otlpText(t *testing.T, spans ...otlpSpan) []byte {
	var list []any
	for i, s := range spans {
		list = append(list, map[string]any{"traceId": "t1", "spanId": s.id, "parentSpanId": s.parent, "name": "span " + s.id,
			"startTimeUnixNano": fmt.Sprintf("17778852%02d000000000", i), "attributes": otlpPairs(s.attributes), "events": s.events})
	}
	text, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{"scopeSpans": []any{map[string]any{"spans": list}}}}})
	must(t, err)
	return text
}

// Each form in which programs write what was said gives the same call.
func TestFormsOfSpans(t *testing.T) {
	about := func(more map[string]any) map[string]any {
		all := map[string]any{"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5", "gen_ai.usage.input_tokens": "40",
			"gen_ai.usage.output_tokens": 9}
		for name, v := range more {
			all[name] = v
		}
		return all
	}
	messages := `[{"role":"system","content":"You help."},{"role":"user","content":"Is Momo here?"},{"role":"assistant","tool_calls":` +
		`[{"id":"c1","type":"function","function":{"name":"find","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"shelf 4"}]`
	call := `[{"id":"c1","type":"function","function":{"name":"find","arguments":"{}"}}]`
	want := "gpt-5 40/9/-/-/- system text You help. | user text Is Momo here? | assistant call c1 find " +
		`{"arguments":"{}","name":"find"} | tool result c1 shelf 4 -> assistant text It is.`
	for name, s := range map[string]otlpSpan{
		"messages with parts": {attributes: about(map[string]any{"gen_ai.system_instructions": `[{"type":"text","content":"You help."}]`,
			"gen_ai.input.messages": `[{"role":"user","parts":[{"type":"text","content":"Is Momo here?"}]},{"role":"assistant","parts":` +
				`[{"type":"tool_call","id":"c1","name":"find","arguments":{}}]},{"role":"tool","parts":[{"type":"tool_call_response","id":"c1",` +
				`"response":"shelf 4"}]}]`, "gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"It is."}],"finish_reason":"stop"}]`})},
		"messages with content":      {attributes: about(map[string]any{"gen_ai.input.messages": messages, "gen_ai.output.messages": `[{"role":"assistant","content":"It is."}]`})},
		"messages that are no texts": {attributes: about(map[string]any{"gen_ai.input.messages": listFrom(t, messages), "gen_ai.output.messages": listFrom(t, `[{"role":"assistant","content":"It is."}]`)})},
		"an attribute for each leaf": {attributes: about(map[string]any{"gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": "You help.",
			"gen_ai.prompt.1.role": "user", "gen_ai.prompt.1.content": "Is Momo here?", "gen_ai.prompt.2.role": "assistant",
			"gen_ai.prompt.2.tool_calls.0.id": "c1", "gen_ai.prompt.2.tool_calls.0.name": "find", "gen_ai.prompt.2.tool_calls.0.arguments": "{}",
			"gen_ai.prompt.3.role": "tool", "gen_ai.prompt.3.tool_call_id": "c1", "gen_ai.prompt.3.content": "shelf 4",
			"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "It is.", "gen_ai.completion.0.finish_reason": "stop"})},
		"events": {attributes: about(nil), events: []any{otlpEvent("gen_ai.system.message", map[string]any{"content": "You help."}),
			otlpEvent("gen_ai.user.message", map[string]any{"content": "Is Momo here?"}),
			otlpEvent("gen_ai.assistant.message", map[string]any{"tool_calls": call}),
			otlpEvent("gen_ai.tool.message", map[string]any{"id": "c1", "content": "shelf 4"}),
			otlpEvent("gen_ai.choice", map[string]any{"index": 0, "finish_reason": "stop", "message": `{"role":"assistant","content":"It is."}`})}},
		"events of an attribute": {attributes: about(map[string]any{"events": `[{"event.name":"gen_ai.system.message","content":"You help."},` +
			`{"event.name":"gen_ai.user.message","content":"Is Momo here?"},{"event.name":"gen_ai.assistant.message","tool_calls":` + call +
			`},{"event.name":"gen_ai.tool.message","id":"c1","content":"shelf 4"},{"event.name":"gen_ai.choice","message":{"content":"It is."}}]`})},
		"the details of an operation": {attributes: about(nil), events: []any{otlpEvent("gen_ai.client.inference.operation.details",
			map[string]any{"gen_ai.input.messages": messages, "gen_ai.output.messages": `[{"content":"It is."}]`})}},
		"OpenInference": {attributes: map[string]any{"openinference.span.kind": "LLM", "llm.model_name": "gpt-5", "llm.token_count.prompt": 40,
			"llm.token_count.completion": 9, "llm.input_messages.0.message.role": "system", "llm.input_messages.0.message.content": "You help.",
			"llm.input_messages.1.message.role": "user", "llm.input_messages.1.message.content": "Is Momo here?",
			"llm.input_messages.2.message.role":                                      "assistant",
			"llm.input_messages.2.message.tool_calls.0.tool_call.id":                 "c1",
			"llm.input_messages.2.message.tool_calls.0.tool_call.function.name":      "find",
			"llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments": "{}",
			"llm.input_messages.3.message.role":                                      "tool", "llm.input_messages.3.message.tool_call_id": "c1",
			"llm.input_messages.3.message.content": "shelf 4", "llm.output_messages.0.message.role": "assistant",
			"llm.output_messages.0.message.content": "It is."}},
		"Google's ADK": {attributes: about(map[string]any{"gen_ai.system": "gcp.vertex.agent", "gcp.vertex.agent.llm_request": `{"model":"gpt-5",` +
			`"config":{"system_instruction":"You help."},"contents":[{"role":"user","parts":[{"text":"Is Momo here?"}]},{"role":"model",` +
			`"parts":[{"function_call":{"id":"c1","name":"find","args":{}}}]},{"role":"user","parts":[{"function_response":{"id":"c1",` +
			`"name":"find","response":"shelf 4"}}]}]}`, "gcp.vertex.agent.llm_response": `{"content":{"role":"model","parts":[{"text":"It is."}]}}`})},
		"Vercel's AI SDK": {attributes: about(map[string]any{"gen_ai.operation.name": "chat", "ai.prompt.messages": `[{"role":"system","content":"You help."},` +
			`{"role":"user","content":[{"type":"text","text":"Is Momo here?"}]},{"role":"assistant","content":[{"type":"tool-call","toolCallId":` +
			`"c1","toolName":"find","input":{}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"find","output":` +
			`"shelf 4"}]}]`, "ai.response.text": "It is."})},
	} {
		s.id = "s1"
		log, err := readWhole(otlpText(t, s))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c := &log.Sessions[0].Calls[0]
		a, parts := answerOf(c)
		got := strings.ReplaceAll(a.Model+" "+tokensOf(a.Usage)+" "+words(requestOf(t, c).Parts)+" -> "+words(parts), "c1 find shelf", "c1 shelf")
		if got != want || len(log.Findings) > 0 {
			t.Errorf("%s:\n%s\nwant\n%s\nfindings %v", name, got, want, log.Findings)
		}
	}
}

// listFrom reads a list of JSON.
func listFrom(t *testing.T, text string) (list []any) {
	must(t, json.Unmarshal([]byte(text), &list))
	return list
}

// Newer programs write events as logs, which name their span.
func TestLogsOfSpans(t *testing.T) {
	spans := otlpText(t, otlpSpan{id: "s1", attributes: map[string]any{"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5"}})
	logs, err := json.Marshal(map[string]any{"resourceLogs": []any{map[string]any{"scopeLogs": []any{map[string]any{"logRecords": []any{
		map[string]any{"timeUnixNano": "1777885200000000002", "traceId": "t1", "spanId": "s1", "eventName": "gen_ai.choice",
			"body": otlpValue(map[string]any{"message": map[string]any{"content": "It is."}, "finish_reason": "stop"})},
		map[string]any{"timeUnixNano": "1777885200000000001", "traceId": "t1", "spanId": "s1", "body": otlpValue(map[string]any{
			"content": "Is Momo here?"}), "attributes": otlpPairs(map[string]any{"event.name": "gen_ai.user.message"})},
	}}}}}})
	must(t, err)
	for name, text := range map[string]string{"logs after spans": string(spans) + "\n" + string(logs), "logs first": string(logs) + "\n" + string(spans)} {
		log, err := readWhole([]byte(text + "\n"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Join(said(t, log), "\n"); calls(log) != 1 || got != "gpt-5 -/-/-/-/- user text Is Momo here? -> assistant text It is." {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// An agent within an agent is a session of its own; a call that two spans tell of is one; what has no messages is told.
func TestSpansAroundCalls(t *testing.T) {
	chat := func(id, parent, says string) otlpSpan {
		return otlpSpan{id: id, parent: parent, attributes: map[string]any{"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5",
			"gen_ai.input.messages": `[{"role":"user","content":"` + says + `"}]`, "gen_ai.output.messages": `[{"content":"Yes."}]`}}
	}
	log, err := readWhole(otlpText(t,
		otlpSpan{id: "a", attributes: map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "main", "gen_ai.conversation.id": "visit 7"}},
		chat("b", "a", "one"),
		otlpSpan{id: "c", parent: "a", attributes: map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.id": "call_1"}},
		otlpSpan{id: "d", parent: "c", attributes: map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "searcher"}},
		chat("e", "d", "two"), chat("f", "a", "three"), chat("g", "f", "three"),
		otlpSpan{id: "h", parent: "a", attributes: map[string]any{"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5"}},
		otlpSpan{id: "x", parent: "y", attributes: map[string]any{"gen_ai.operation.name": "embeddings"}},
		otlpSpan{id: "y", parent: "x", attributes: map[string]any{"gen_ai.operation.name": "chat"}}))
	must(t, err)
	var got []string
	for _, s := range log.Sessions {
		for i := range s.Calls {
			got = append(got, s.Name+" "+s.Calls[i].ID)
		}
	}
	if list := strings.Join(got, ", "); list != "visit-7 b, visit-7 g, visit-7/searcher-d e" {
		t.Errorf("the calls are %s", list)
	}
	if b := log.Sessions[1].BegunBy; b == nil || *b != (ParentCall{"visit-7", "call_1"}) {
		t.Errorf("the sub-agent was begun by %v", b)
	}
	if found := fmt.Sprint(log.Findings); !strings.Contains(found, "has no messages") || !strings.Contains(found, "both tell of one call") {
		t.Errorf("the findings are %s", found)
	}
	_, err = readWhole(otlpText(t, otlpSpan{id: "h", attributes: map[string]any{"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5"}}))
	if err == nil || !strings.Contains(err.Error(), "CAPTURE_MESSAGE_CONTENT") {
		t.Errorf("spans without messages: %v", err)
	}
}

// Calls that are each alone in their trace are one session, and a call that a message has twice is one.
func TestSpansOfClientsAlone(t *testing.T) {
	one := string(otlpText(t, otlpSpan{id: "a", attributes: map[string]any{"openinference.span.kind": "LLM", "llm.model_name": "claude-opus-4-8",
		"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "Is Momo here?",
		"llm.output_messages.0.message.contents.0.message_content.type":      "tool_use",
		"llm.output_messages.0.message.contents.0.tool_call.id":              "c1",
		"llm.output_messages.0.message.contents.0.tool_call.function.name":   "find",
		"llm.output_messages.0.message.tool_calls.0.tool_call.id":            "c1",
		"llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "find"}}))
	two := strings.Replace(string(otlpText(t, otlpSpan{id: "b", attributes: map[string]any{"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5",
		"gen_ai.output.messages": `[{"content":"It is."}]`}})), `"t1"`, `"t2"`, 1)
	log, err := readWhole([]byte(one + "\n" + two + "\n"))
	must(t, err)
	const want = `claude-opus-4-8 -/-/-/-/- user text Is Momo here? -> assistant call c1 find {"id":"c1","input":{},"name":"find","type":"tool_use"}`
	if got := said(t, &Log{Sessions: []Session{{Calls: log.Sessions[0].Calls[:1]}}}); len(log.Sessions) != 1 || calls(log) != 2 || got[0] != want {
		t.Errorf("%d sessions with %d calls: %s", len(log.Sessions), calls(log), got)
	}
	if found := fmt.Sprint(log.Findings); len(log.Findings) != 1 || !strings.Contains(found, "line 2: a call has its answer alone") {
		t.Errorf("the findings are %s", found)
	}
}

// Conversations whose long ids begin alike are two sessions.
func TestLongIDsOfConversationsStayApart(t *testing.T) {
	long := strings.Repeat("a", longestName)
	one, two := nameOf(long+"/1"), nameOf(long+"/2")
	if one == two || len(one) > longestName || nameOf(long) != long {
		t.Errorf("they are called %s and %s", one, two)
	}
}

// A parameter that a span tells by two names is the one of the conventions, whatever the order of the attributes.
func TestAParameterByTwoNames(t *testing.T) {
	for range 20 { // an order of a map would differ in one of them
		log, err := readWhole(otlpText(t, otlpSpan{id: "a", attributes: map[string]any{"gen_ai.operation.name": "chat",
			"gen_ai.request.model": "gemini-2.5-pro", "gen_ai.request.max_tokens": 300,
			"llm.invocation_parameters": `{"maxOutputTokens":100,"max_tokens":200,"topK":1,"top_k":2}`,
			"gen_ai.input.messages":     `[{"role":"user","parts":[{"type":"text","content":"Is Momo here?"}]}]`}}))
		must(t, err)
		config, _ := log.Sessions[0].Calls[0].Request.Get("generationConfig")
		if got := string(config.Value()); got != `{"maxOutputTokens":300,"topK":1}` {
			t.Fatalf("the parameters are %s", got)
		}
	}
}
