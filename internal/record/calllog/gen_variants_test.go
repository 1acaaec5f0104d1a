package calllog

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// talked is a conversation as a person would note it: what is drawn of it here is written in the words of several formats.
// Each text is a word of its own, so that a reader which loses or doubles one is found.
type talked struct {
	name     string
	messages []saidOf
}

// saidOf is a message of the user, or an answer with what its tools gave.
type saidOf struct {
	answer      bool
	text        string // "" for none
	image       bool
	thought     string
	calls       []calledOf
	in, out     int64 // 0 if nobody counted
	cached      int64
	strange     bool // it has members that nobody knows
	nullContent bool // in place of no text
}

type calledOf struct {
	id, argument, result string
	failed, null         bool // null is a tool that gave nothing
}

// drawTalk draws a conversation; words of conversations with different names differ.
func drawTalk(r *rand.Rand, name string) talked {
	n := 0
	word := func() string { n++; return fmt.Sprintf("w%s%dw", name, n) }
	odd := func(one int) bool { return r.IntN(one) == 0 }
	t := talked{name: name}
	for range 1 + r.IntN(3) {
		t.messages = append(t.messages, saidOf{text: word(), image: odd(4), strange: odd(3)})
		for more := true; more; {
			a := saidOf{answer: true, strange: odd(3), nullContent: odd(2)}
			if more = odd(2); more {
				for range 1 + r.IntN(2) {
					c := calledOf{id: "id" + word(), argument: word(), result: word(), failed: odd(3)}
					if odd(6) {
						c.result, c.null = "", true
					}
					a.calls = append(a.calls, c)
				}
			}
			if !more || odd(2) {
				a.text = word()
			}
			if odd(3) {
				a.thought = word()
			}
			if !odd(4) {
				a.in, a.out, a.cached = int64(100+r.IntN(100)), int64(1+r.IntN(9)), int64(r.IntN(50))
			}
			t.messages = append(t.messages, a)
		}
	}
	return t
}

// sent returns the words that the n-th message was sent, if it is an answer, and those that it has.
func (t *talked) sent(n int) (before, own []string) {
	add := func(list *[]string, words ...string) {
		for _, w := range words {
			if w != "" {
				*list = append(*list, w)
			}
		}
	}
	for i, m := range t.messages[:n+1] {
		list := &before
		if i == n {
			list = &own
		}
		add(list, m.text, m.thought)
		for _, c := range m.calls {
			add(list, c.argument)
			if i < n {
				add(list, c.result)
			}
		}
	}
	return before, own
}

// o is an object of JSON, whose members a format may have more of.
type o map[string]any

func (m o) and(more o) o {
	for name, v := range more {
		m[name] = v
	}
	return m
}

func inJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func foreignTo(m *saidOf) o {
	if m.strange {
		return o{"vendor_note": o{"shown": true}, "score": 0.5}
	}
	return nil
}

func orNull(m *saidOf, text string) any {
	if text == "" && m.nullContent {
		return nil
	}
	return text
}

func asATIF(t talked) string {
	steps := []o{}
	for i := range t.messages {
		m := &t.messages[i]
		step := o{"step_id": i + 1, "source": "user", "message": orNull(m, m.text)}.and(foreignTo(m))
		if m.image {
			step["message"] = []o{{"type": "text", "text": m.text}, {"type": "image", "source": o{"media_type": "image/png", "path": "a.png"}}}
		}
		if m.answer {
			step["source"], step["llm_call_count"] = "agent", 1
			if m.thought != "" {
				step["reasoning_content"] = m.thought
			}
			if m.in > 0 {
				step["metrics"] = o{"prompt_tokens": m.in, "completion_tokens": m.out, "cached_tokens": m.cached}
			}
			var calls, results []o
			for _, c := range m.calls {
				calls = append(calls, o{"tool_call_id": c.id, "function_name": "f", "arguments": o{"x": c.argument}})
				result := o{"source_call_id": c.id, "content": c.result}
				if c.null {
					result["content"] = nil
				}
				if c.failed {
					result["extra"] = o{"is_error": true}
				}
				results = append(results, result)
			}
			if calls != nil {
				step["tool_calls"], step["observation"] = calls, o{"results": results}
			}
		}
		steps = append(steps, step)
	}
	return inJSON(o{"schema_version": "ATIF-v1.8", "session_id": t.name, "agent": o{"name": "a", "version": "1", "model_name": "gpt-5"}, "steps": steps})
}

// chatMessages writes the messages up to one as chat completions have them.
func (t *talked) chatMessages(upTo int) (list []o) {
	for i := range t.messages[:upTo] {
		m := &t.messages[i]
		if !m.answer {
			one := o{"role": "user", "content": m.text}.and(foreignTo(m))
			if m.image {
				one["content"] = []o{{"type": "text", "text": m.text}, {"type": "image_url", "image_url": o{"url": "data:image/png;base64,iVBORw0KGgo="}}}
			}
			list = append(list, one)
			continue
		}
		list = append(list, m.chatAnswer())
		for _, c := range m.calls {
			result := o{"role": "tool", "tool_call_id": c.id, "content": c.result}
			if c.null {
				result["content"] = nil
			}
			list = append(list, result)
		}
	}
	return list
}

func (m *saidOf) chatAnswer() o {
	one := o{"role": "assistant", "content": orNull(m, m.text)}.and(foreignTo(m))
	if m.thought != "" {
		one["reasoning_content"] = m.thought
	}
	var calls []o
	for _, c := range m.calls {
		calls = append(calls, o{"id": c.id, "type": "function", "function": o{"name": "f", "arguments": inJSON(o{"x": c.argument})}})
	}
	if calls != nil {
		one["tool_calls"] = calls
	}
	return one
}

func asMiniSWE(t talked) string {
	list := []o{}
	for i := range t.messages {
		m := &t.messages[i]
		for j, one := range (&talked{messages: t.messages[i : i+1]}).chatMessages(1) {
			extra := o{}
			if j == 0 && m.answer {
				response := o{"model": "gpt-5", "choices": []o{{"finish_reason": "stop"}}}
				if m.in > 0 {
					response["usage"] = o{"prompt_tokens": m.in, "completion_tokens": m.out, "prompt_tokens_details": o{"cached_tokens": m.cached}}
				}
				extra["response"] = response
			} else if m.answer && m.calls[j-1].failed {
				extra["exception_info"] = "it failed"
			}
			list = append(list, one.and(o{"extra": extra}))
		}
	}
	return inJSON(o{"trajectory_format": "mini-swe-agent-1.1", "instance_id": t.name, "info": o{}, "messages": list})
}

func asSWEAgent(t talked) string {
	steps, history := []o{}, t.chatMessages(len(t.messages))
	for i := range t.messages {
		if m := &t.messages[i]; m.answer {
			steps = append(steps, o{"query": t.chatMessages(i), "response": m.text, "observation": "", "action": "x"}.and(foreignTo(m)))
		}
	}
	return inJSON(o{"environment": "e", "trajectory": steps, "history": history, "info": o{}})
}

func asCline(t talked) string {
	list := []o{}
	for i := range t.messages {
		m := &t.messages[i]
		one := o{"id": fmt.Sprint(i), "ts": 1777885200000 + i, "role": "user"}.and(foreignTo(m))
		parts := []o{}
		if m.thought != "" {
			parts = append(parts, o{"type": "thinking", "thinking": m.thought, "signature": "c2ln"})
		}
		if m.text != "" {
			parts = append(parts, o{"type": "text", "text": m.text})
		}
		if m.image {
			parts = append(parts, o{"type": "image", "data": "iVBORw0KGgo=", "mediaType": "image/png"})
		}
		var results []o
		for _, c := range m.calls {
			parts = append(parts, o{"type": "tool_use", "id": c.id, "name": "f", "input": o{"x": c.argument}})
			result := o{"type": "tool_result", "tool_use_id": c.id, "name": "f", "content": c.result, "is_error": c.failed}
			if c.null {
				result["content"] = nil
			}
			results = append(results, result)
		}
		if one["content"] = parts; m.answer {
			one["role"] = "assistant"
			if m.in > 0 {
				one["metrics"] = o{"inputTokens": m.in, "outputTokens": m.out, "cacheReadTokens": m.cached}
				one["modelInfo"] = o{"id": "claude-x"}
			}
		}
		if list = append(list, one); results != nil {
			list = append(list, o{"id": fmt.Sprint("r", i), "ts": 1777885200000 + i, "role": "user", "content": results})
		}
	}
	return inJSON(o{"version": 1, "updated_at": "2026", "agent": "lead", "sessionId": t.name, "messages": list})
}

// asGemini writes a session of Gemini CLI: an object, or records, of which some come in two versions.
func asGemini(t talked, records bool) string {
	list := []o{}
	for i := range t.messages {
		m := &t.messages[i]
		one := o{"id": fmt.Sprint("m", i), "timestamp": "2026-05-04T09:00:00Z", "type": "user", "content": orNull(m, m.text)}.and(foreignTo(m))
		if m.image {
			one["content"] = []o{{"text": m.text}, {"inlineData": o{"mimeType": "image/png", "data": "iVBORw0KGgo="}}}
		}
		if m.answer {
			one["type"], one["model"] = "gemini", "gemini-2.5-pro"
			if m.thought != "" {
				one["thoughts"] = []o{{"subject": "", "description": m.thought}}
			}
			if m.in > 0 {
				one["tokens"] = o{"input": m.in, "output": m.out, "cached": m.cached, "thoughts": 0, "tool": 0}
			}
			var calls []o
			for _, c := range m.calls {
				response := o{"output": c.result}
				if c.failed {
					response = o{"error": c.result}
				}
				if c.null {
					response = o{}
				}
				status := map[bool]string{true: "error", false: "success"}[c.failed]
				calls = append(calls, o{"id": c.id, "name": "f", "args": o{"x": c.argument}, "status": status,
					"result": []o{{"functionResponse": o{"id": c.id, "name": "f", "response": response}}}})
			}
			if calls != nil {
				if one["toolCalls"] = calls; records {
					early := o{}.and(one)
					delete(early, "toolCalls")
					list = append(list, early)
				}
			}
		}
		list = append(list, one)
	}
	head := o{"sessionId": t.name, "projectHash": "h", "startTime": "2026-05-04T09:00:00Z"}
	if !records {
		return inJSON(head.and(o{"messages": list}))
	}
	lines := []string{inJSON(head)}
	for i, one := range list {
		if i == len(list)/2 { // the session was resumed, and the last message written once more
			lines = append(lines, inJSON(head), lines[max(0, len(lines)-2)])
		}
		lines = append(lines, inJSON(one), inJSON(o{"$set": o{"lastUpdated": "2026-05-04T09:00:00Z"}}))
	}
	return strings.Join(lines, "\n") + "\n"
}
