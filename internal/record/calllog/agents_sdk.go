package calllog

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// isItems reports whether a value is a list of items of OpenAI's Responses, or
// one of them. Messages alone are not enough: they may be of chat completions.
func isItems(first raw) bool {
	list := listOf(first)
	if items := first.fields()["items"]; items.kind() == canon.KindArray {
		list = items.elems()
	}
	for _, e := range list {
		f := e.fields()
		switch kind := f.text("type"); {
		case kind == "function_call" && f["call_id"] != nil, kind == "function_call_output",
			kind == "reasoning" && f["summary"] != nil:
			return true
		case kind == "message" && f["content"] != nil && f["role"] != nil && f["uuid"] == nil && f["stop_reason"] == nil:
			return true
		}
		for _, p := range f["content"].elems() {
			if kind := p.fields().text("type"); kind == "input_text" || kind == "output_text" {
				return f["role"] != nil
			}
		}
	}
	return false
}

// inputs are the types of items that are given to the model, besides messages and outputs of tools. agent_message is
// what one agent of Codex tells another.
var inputs = []string{"item_reference", "agent_message", "mcp_approval_response", "additional_tools", "ghost_snapshot"}

// output reports whether an item comes from the model.
func output(f fields) bool {
	kind := f.text("type")
	if kind == "" || kind == "message" {
		return f.text("role") == "assistant"
	}
	return !strings.HasSuffix(kind, "_output") && !slices.Contains(inputs, kind)
}

// readItems reads the items that a session of the OpenAI Agents SDK holds. Items
// of the model that follow each other are one answer.
func readItems(list []record, found *findings) []Session {
	g := conversationBuilder{api: provider.Responses, texts: found.texts}
	var said []canon.Any
	line, id := 0, ""
	answer := func() {
		if len(said) > 0 {
			g.call(Call{Line: line, ID: id}, unknownModel, canon.Fields("object", "response", "model", unknownModel,
				"status", "completed", "output", canon.ArrayOf(said...)))
			g.answer(said...)
			said = nil
		}
	}
	for _, e := range list {
		f := e.fields()
		switch {
		case f == nil || f["type"] == nil && f["role"] == nil:
			found.add(e.line, "it is no item, so it was left out")
		case output(f):
			if len(said) == 0 {
				line, id = e.line, f.text("id")
			}
			said = append(said, e.value())
		default:
			answer()
			g.addMessages(e.value())
		}
	}
	answer()
	return g.sessions(unknownModel)
}

// isSpans reports whether a value is a trace or a span of the OpenAI Agents SDK.
func isSpans(first raw) bool {
	f := first.fields()
	if list := listOf(first); len(list) > 0 && f == nil {
		f = list[0].fields()
	} else if list := f["data"].elems(); len(list) > 0 {
		f = list[0].fields()
	}
	kind := f.text("object")
	return kind == "trace" || kind == "trace.span"
}

// readSpans reads the spans that a trace processor of the OpenAI Agents SDK was
// given. A generation has its messages; a response has only its id.
func readSpans(list []record, found *findings) (made []Session) {
	var order []string
	sessions := map[string]*Session{}
	for _, e := range list {
		f := e.fields()
		span := f["span_data"].fields()
		switch kind := span.text("type"); {
		case f.text("object") == "trace", kind != "generation" && kind != "response":
			continue
		case kind == "response" || span["input"].kind() != canon.KindArray:
			found.add(e.line, "a span has no messages, so it was left out")
			continue
		}
		name := f.text("trace_id")
		if sessions[name] == nil {
			sessions[name] = &Session{Name: name, Exact: Rebuilt}
			order = append(order, name)
		}
		sessions[name].Calls = append(sessions[name].Calls, spanCall(f, span, e.line))
	}
	for _, name := range order {
		inOrder(sessions[name].Calls)
		made = append(made, *sessions[name])
	}
	return made
}

// spanCall makes a call of a generation.
func spanCall(f, span fields, line int) Call {
	c := Call{ID: f.text("id"), API: provider.Chat, Line: line, Status: http.StatusOK,
		Started: timeOf(f["started_at"].value()),
		Ended:   timeOf(f["ended_at"].value())}
	model := span.text("model")
	c.Path = provider.PathOf(c.API, model)
	members := []canon.Member{{Name: "messages", Value: span["input"].value()}}
	for name, v := range span["model_config"].fields() {
		if !v.empty() && name != "base_url" {
			members = append(members, canon.Member{Name: name, Value: v.value()})
		}
	}
	c.Request = canon.Object(append(members, canon.Member{Name: "model", Value: canon.Text(cmp.Or(model, unknownModel))})...)
	said := span["output"].elems()
	if problem := f["error"]; len(said) == 0 && problem.empty() {
		c.Status = 0
		return c
	} else if len(said) == 0 {
		c.Status, c.Answer = 0, canon.Fields("error", problem.value()).AppendTo(nil)
		return c
	}
	tokens := usage(span["usage"].fields(), "input_tokens prompt_tokens", "output_tokens completion_tokens",
		"input_tokens_details.cached_tokens", "", "output_tokens_details.reasoning_tokens")
	message := said[0].value()
	if choices, _ := message.Get("choices"); len(choices.Elems) > 0 {
		message, _ = choices.Elems[0].Get("message")
	}
	a := provider.Answer{API: provider.Chat, Model: model, Content: message, Usage: tokens}
	c.Answer = a.Body().AppendTo(nil)
	return c
}
