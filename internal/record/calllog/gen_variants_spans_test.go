package calllog

import "fmt"

// asOTLP writes a span for each call: by the conventions of OpenTelemetry, or with an attribute for each leaf by those of
// OpenInference.
func asOTLP(t talked, leaves bool) string {
	spans := []o{}
	for i := range t.messages {
		m := &t.messages[i]
		if !m.answer {
			continue
		}
		list, attributes := []o{}, []o{}
		attribute := func(name string, v any) {
			value := o{"stringValue": v}
			if n, is := v.(int64); is {
				value = o{"intValue": fmt.Sprint(n)}
			}
			attributes = append(attributes, o{"key": name, "value": value})
		}
		for j := range t.messages[:i+1] {
			list = append(list, t.messages[j].spanMessages(leaves, j == i)...)
		}
		sent, said := list[:len(list)-1], list[len(list)-1]
		if leaves {
			attribute("openinference.span.kind", "LLM")
			attribute("llm.model_name", "gpt-5")
			attribute("session.id", t.name)
			for n, one := range sent {
				flat(fmt.Sprintf("llm.input_messages.%d", n), o{"message": one}, attribute)
			}
			flat("llm.output_messages.0", o{"message": said}, attribute)
		} else {
			attribute("gen_ai.operation.name", "chat")
			attribute("gen_ai.request.model", "gpt-5")
			attribute("gen_ai.conversation.id", t.name)
			attribute("gen_ai.input.messages", inJSON(sent))
			attribute("gen_ai.output.messages", inJSON([]o{said.and(o{"finish_reason": "stop"})}))
		}
		names := []string{"gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.usage.cache_read.input_tokens"}
		if leaves {
			names = []string{"llm.token_count.prompt", "llm.token_count.completion", "llm.token_count.prompt_details.cache_read"}
		}
		if m.in > 0 {
			for n, v := range []int64{m.in, m.out, m.cached} {
				attribute(names[n], v)
			}
		}
		at := 1777885200000000000 + int64(i)*1000000000
		spans = append(spans, o{"traceId": "t" + t.name, "spanId": fmt.Sprint("s", i), "name": "chat", "startTimeUnixNano": fmt.Sprint(at),
			"endTimeUnixNano": fmt.Sprint(at + 1), "attributes": attributes}.and(foreignTo(m)))
	}
	return inJSON(o{"resourceSpans": []o{{"scopeSpans": []o{{"spans": spans}}}}})
}

// spanMessages writes a message as spans have it; alone says that it is the answer, without what its tools gave.
func (m *saidOf) spanMessages(leaves, alone bool) (list []o) {
	parts, contents, calls := []o{}, []o{}, []o{}
	part := func(kind, text string) {
		parts = append(parts, o{"type": kind, "content": text})
		contents = append(contents, o{"message_content": o{"type": kind, "text": text}})
	}
	if m.thought != "" {
		part("reasoning", m.thought)
	}
	if m.text != "" {
		part("text", m.text)
	}
	if m.image {
		parts = append(parts, o{"type": "uri", "modality": "image", "uri": "https://x/a.png"})
		contents = append(contents, o{"message_content": o{"type": "image", "image": o{"image": o{"url": "https://x/a.png"}}}})
	}
	for _, c := range m.calls {
		parts = append(parts, o{"type": "tool_call", "id": c.id, "name": "f", "arguments": o{"x": c.argument}})
		calls = append(calls, o{"tool_call": o{"id": c.id, "function": o{"name": "f", "arguments": inJSON(o{"x": c.argument})}}})
	}
	role := map[bool]string{true: "assistant", false: "user"}[m.answer]
	if one := (o{"role": role, "parts": parts}); !leaves {
		list = append(list, one.and(foreignTo(m)))
	} else {
		list = append(list, o{"role": role, "contents": contents, "tool_calls": calls})
	}
	for _, c := range m.calls {
		var result any = c.result
		if c.null {
			result = nil
		}
		switch {
		case alone:
		case leaves:
			list = append(list, o{"role": "tool", "tool_call_id": c.id, "content": c.result})
		default:
			list = append(list, o{"role": "tool", "parts": []o{{"type": "tool_call_response", "id": c.id, "response": result, "is_error": c.failed}}})
		}
	}
	return list
}

// flat writes an attribute for each leaf of a value.
func flat(name string, v any, attribute func(string, any)) {
	switch v := v.(type) {
	case o:
		for member, inside := range v {
			flat(name+"."+member, inside, attribute)
		}
	case []o:
		for i, inside := range v {
			flat(fmt.Sprintf("%s.%d", name, i), inside, attribute)
		}
	default:
		attribute(name, v)
	}
}
