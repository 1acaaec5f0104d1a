package provider

import (
	"slices"

	"github.com/contexttree/pact/internal/canon"
)

// anthropicAnswer reads Anthropic's messages.
type anthropicAnswer struct {
	message map[string]canon.Any // without content and usage
	usage   map[string]canon.Any
	content answerBlocks
	more    map[*answerBlock]*additions
}

// additions are the parts that a stream adds to a block besides texts.
type additions struct {
	input     []byte // JSON
	citations []canon.Any
}

// blockDeltas says for each type of delta which member of the block grows.
var blockDeltas = map[string]string{
	"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature",
}

func (m *anthropicAnswer) event(event canon.Any) {
	switch text(event, "type") {
	case "message_start":
		m.about(get(event, "message"))
	case "message_delta":
		m.about(get(event, "delta"))
		m.about(event.Without("delta", "type"))
	case "content_block_start":
		if b := m.content.block(get(event, "index")); b != nil {
			b.begun = get(event, "content_block")
		}
	case "content_block_delta":
		if b := m.content.block(get(event, "index")); b != nil {
			m.delta(b, get(event, "delta"))
		}
	}
}

// about copies fields of the message. Token counts always cover the whole
// message, so a later count replaces an earlier one.
func (m *anthropicAnswer) about(fields canon.Any) {
	if m.message == nil {
		m.message, m.usage = make(map[string]canon.Any), make(map[string]canon.Any)
	}
	for _, f := range get(fields, "usage").Members {
		m.usage[f.Name] = f.Value
	}
	for _, f := range fields.Without("content", "usage").Members {
		if f.Value.Kind != canon.KindNull {
			m.message[f.Name] = f.Value
		}
	}
}

func (m *anthropicAnswer) delta(b *answerBlock, delta canon.Any) {
	kind := text(delta, "type")
	if field := blockDeltas[kind]; field != "" {
		b.add(field, text(delta, field))
		return
	}
	if m.more == nil {
		m.more = make(map[*answerBlock]*additions)
	}
	if m.more[b] == nil {
		m.more[b] = &additions{}
	}
	switch kind {
	case "input_json_delta":
		m.more[b].input = append(m.more[b].input, text(delta, "partial_json")...)
	case "citations_delta":
		m.more[b].citations = append(m.more[b].citations, get(delta, "citation"))
	}
}

func (m *anthropicAnswer) wholeBody(body canon.Any) {
	m.about(body)
	m.content = make(answerBlocks)
	for i, b := range get(body, "content").Elems {
		m.content[int64(i)] = &answerBlock{begun: b}
	}
}

func (m *anthropicAnswer) fill(a *Answer) {
	word := func(name string) string { return m.message[name].Text }
	a.ID, a.Model, a.Finish = word("id"), word("model"), word("stop_reason")
	var content []canon.Any
	for _, b := range m.content.inOrder() {
		if whole := b.value(); whole.Kind == canon.KindObject {
			content = append(content, m.more[b].on(whole))
		}
	}
	if len(content) > 0 {
		a.Content = canon.ArrayOf(content...)
	}
	if a.Finish == "refusal" {
		a.Refusal = a.Finish
	}
	a.Usage = Usage{
		Out: count(m.usage["output_tokens"]), Cached: count(m.usage["cache_read_input_tokens"]),
		Written:   count(m.usage["cache_creation_input_tokens"]),
		Written5m: count(m.usage["cache_creation"], "ephemeral_5m_input_tokens"),
		Written1h: count(m.usage["cache_creation"], "ephemeral_1h_input_tokens"),
	}
	a.CacheMiss = get(m.message["diagnostics"], "cache_miss_reason")
	a.Changed = slices.Concat(m.message["input_transformations"].Elems,
		get(m.message["context_management"], "applied_edits").Elems, compactions(content))
	a.Usage.Terms = anthropicTerms(m.usage)
	a.Usage.In = sum(count(m.usage["input_tokens"]), a.Usage.Cached, a.Usage.Written)
	for _, part := range []string{"input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"} {
		if v := m.usage[part]; v.Kind != canon.KindAbsent && v.Kind != canon.KindNull && count(v) == nil {
			a.Usage.In = nil // the sum would lack it
		}
	}
}

// on adds the input and the citations to a block. If the stream broke off
// inside the input, so that it is not JSON, the input stays a text.
func (a *additions) on(block canon.Any) canon.Any {
	if a == nil {
		return block
	}
	if len(a.input) > 0 {
		input, err := canon.ParseAny(a.input)
		if err != nil {
			input = canon.Any{Kind: canon.KindString, Text: string(a.input)}
		}
		block = block.With("input", input)
	}
	if len(a.citations) > 0 {
		all := append(get(block, "citations").Elems, a.citations...)
		block = block.With("citations", canon.ArrayOf(all...))
	}
	return block
}

func anthropicBody(a *Answer) canon.Any {
	in := a.Usage.In
	if in != nil { // what came from the cache or went to it does not count as input
		rest := *in
		for _, n := range []*int64{a.Usage.Cached, a.Usage.Written} {
			if n != nil {
				rest -= *n
			}
		}
		rest = max(rest, 0)
		in = &rest
	}
	stop := any(a.Finish)
	if a.Finish == "" && a.Failure != "" {
		stop = canon.Null.Any()
	}
	return canon.Fields("type", "message", "role", "assistant", "id", a.ID, "model", a.Model,
		"stop_reason", stop, "content", a.Content, "usage", objOrNone("input_tokens", in,
			"output_tokens", a.Usage.Out, "cache_read_input_tokens", a.Usage.Cached,
			"cache_creation_input_tokens", a.Usage.Written))
}
