package exports

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/callspans"
	"github.com/contexttree/pact/internal/record/provider"
)

// spans writes the spans of a run.
type spans struct {
	losses
	w     io.Writer
	trace string // its id
}

// OTLP writes each call of a context up to an address as a span, an export in OTLP JSON on a line of its own, as the
// file exporter of a collector does, with the names of [callspans]. It returns what it cannot carry. Cost: that of
// reading the run, and each call writes all that it was sent.
func OTLP(ctx context.Context, w io.Writer, c *pact.Context, to pact.Address, progress func(done, total int)) ([]Lost, error) {
	t := &spans{w: w}
	unsent, err := walk(ctx, c, to, t.call, progress)
	if err != nil {
		return nil, err
	}
	t.add(len(unsent), "part that no call has sent yet")
	t.list = append(t.list, Lost{What: "parameters of requests, markers for caches, ids of answers"})
	return t.list, nil
}

// attributes collects attributes of a span.
type attributes struct{ list []canon.Any }

func (a *attributes) add(name string, value canon.Any) {
	a.list = append(a.list, canon.Fields("key", name, "value", value))
}

func (a *attributes) text(name, value string) {
	if value != "" {
		a.add(name, canon.Fields("stringValue", canon.Text(value)))
	}
}

// json adds a list as the JSON that it is: attributes of spans hold no lists of objects.
func (a *attributes) json(name string, list []canon.Any) {
	if len(list) > 0 {
		a.text(name, string(canon.ArrayOf(list...).Value()))
	}
}

func (a *attributes) number(name string, n *int64) {
	if n != nil { // OTLP JSON writes 64 bits as a text
		a.add(name, canon.Fields("intValue", strconv.FormatInt(*n, 10)))
	}
}

// call writes the span of a call.
func (t *spans) call(c *call) error {
	if t.trace == "" {
		t.trace = id(c.name+"\x00"+strconv.FormatInt(c.began, 10), traceBytes)
	}
	api := string(c.api)
	if api == "" {
		api = string(provider.Chat) // of a conversation whose log names no API
	}
	form, a := callspans.Forms[api], attributes{}
	a.text(callspans.OperationName, form.Operation)
	a.text(callspans.ProviderName, form.Provider)
	a.text(callspans.ConversationID, c.name)
	a.text(callspans.RequestModel, c.model)
	a.text(callspans.ResponseModel, c.answeredBy)
	var system []canon.Any
	for _, p := range c.system {
		system = append(system, t.part(p))
	}
	a.json(callspans.Instructions, system)
	tools, left := toolsOf(c)
	t.add(left, "tool that its provider itself runs")
	a.json(callspans.Tools, tools)
	a.json(callspans.InputMessages, t.messages(c.said, ""))
	if len(c.answer) > 0 {
		finish := finishOf(c)
		a.json(callspans.OutputMessages, t.messages(c.answer, finish))
		a.add(callspans.FinishReasons, canon.Fields("arrayValue", canon.Fields("values",
			canon.ArrayOf(canon.Fields("stringValue", canon.Text(finish))))))
	} else if c.failure == "" {
		t.add(1, "call without an answer")
	}
	a.number(callspans.InputTokens, c.usage.In)
	a.number(callspans.OutputTokens, c.usage.Out)
	a.number(callspans.CachedTokens, c.usage.Cached)
	a.number(callspans.WrittenTokens, c.usage.Written)
	a.number(callspans.ReasoningTokens, c.usage.Reasoning)
	if c.paid != nil {
		a.add("gen_ai.usage.cost", canon.Fields("doubleValue", dollars(c.paid)))
	}
	if h := c.usage.Written1h; h != nil && *h > 0 {
		t.add(1, "lifetime of an hour, of tokens written to a cache")
	}
	t.add(max(0, c.attempts-1), "attempt at a call before the last")
	status := canon.Object()
	if c.failure != "" {
		a.text(callspans.ErrorType, callspans.ErrorOther)
		status = canon.Fields("code", canon.Number(2), "message", canon.Text(c.failure))
	}
	span := canon.Fields("traceId", t.trace, "spanId", id(t.trace+c.id, spanBytes), "name", form.SpanName(c.model),
		"kind", canon.Number(3), "startTimeUnixNano", strconv.FormatInt(c.began, 10), "endTimeUnixNano",
		strconv.FormatInt(max(c.began, c.ended), 10), "attributes", canon.ArrayOf(a.list...), "status", status)
	var resource attributes
	resource.text("service.name", "pact")
	export := canon.Fields("resourceSpans", canon.ArrayOf(canon.Fields(
		"resource", canon.Fields("attributes", canon.ArrayOf(resource.list...)),
		"scopeSpans", canon.ArrayOf(canon.Fields("scope", canon.Fields("name", callspans.Scope), "spans", canon.ArrayOf(span),
			"schemaUrl", callspans.Schema)))))
	_, err := t.w.Write(append(export.AppendTo(nil), '\n'))
	return err
}

// The lengths of ids.
const (
	traceBytes = 16
	spanBytes  = 8
)

// id returns the id of a span or a trace, which no two have and no run changes.
func id(of string, size int) string {
	sum := sha256.Sum256([]byte(of))
	return hex.EncodeToString(sum[:size])
}

// finishOf returns why a call ended, in the words of the conventions, else in those of the provider.
func finishOf(c *call) string {
	switch word := strings.ToLower(c.finish); word {
	case "tool_use", "tool_calls":
		return "tool_call"
	case "max_tokens":
		return "length"
	case "", "end_turn", "stop_sequence", "completed":
		if word == "" && c.answer[len(c.answer)-1].Kind == "call" {
			return "tool_call"
		}
		return "stop"
	}
	return c.finish
}

// messages writes parts as messages. finish is that of an answer.
func (t *spans) messages(list []*part, finish string) (made []canon.Any) {
	for side, some := range sides(list) {
		var parts []canon.Any
		for _, p := range some {
			parts = append(parts, t.part(p))
		}
		role := cmp.Or(map[string]string{"result": "tool", "agent": "assistant"}[side], side)
		made = append(made, canon.Fields("role", role, "parts", canon.ArrayOf(parts...), "finish_reason", finish))
	}
	return made
}

// part writes a part of a message.
func (t *spans) part(p *part) canon.Any {
	failed := canon.Any{}
	if p.Failed {
		failed = canon.True.Any()
	}
	switch {
	case p.Kind == "thinking":
		return t.thought(p)
	case !p.plain:
	case p.Kind == "text" || p.Kind == "refusal":
		return canon.Fields("type", "text", "content", p.Content)
	case p.Kind == "call":
		return canon.Fields("type", "tool_call", "id", p.Call, "name", p.Name, "arguments", p.Content)
	case p.Kind == "result":
		return canon.Fields("type", "tool_call_response", "id", p.Call, "response", p.Content, "is_error", failed)
	case p.Kind == "image":
		media, data, inside := strings.Cut(strings.TrimPrefix(p.Content.Text, "data:"), ";base64,")
		if !inside {
			return canon.Fields("type", "uri", "modality", "image", "uri", p.Content)
		}
		return canon.Fields("type", "blob", "modality", "image", "mime_type", media, "content", canon.Text(data))
	}
	if kind, _ := p.raw.Get("type"); kind.Kind == canon.KindString {
		return p.raw
	}
	return canon.Fields("type", "part", "content", p.raw)
}

// thought writes what the model thought; its signature stays, so that the provider takes it again.
func (t *spans) thought(p *part) canon.Any {
	said := canon.Text("")
	if p.plain {
		said = p.Content
	}
	var signature canon.Any
	data, _ := p.raw.Get("data")
	if signature, _ = signatureOf(p); signature.Kind != canon.KindAbsent && p.from != provider.Messages {
		t.add(1, "signature of thinking")
		signature = canon.Any{}
	}
	return canon.Fields("type", "reasoning", "content", said, "signature", signature, "data", data)
}
