package calllog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/sums"
)

// isMiniSWE reports whether a value is a trajectory of mini-swe-agent.
func isMiniSWE(first raw) bool {
	f := first.fields()
	return strings.HasPrefix(f.text("trajectory_format"), "mini-swe-agent") && f["messages"].kind() == canon.KindArray
}

// miniSWE rebuilds the calls of a trajectory of mini-swe-agent. Its messages are those that were sent, each with what
// else is known of it in extra.
type miniSWE struct {
	conversationBuilder
	model  string
	before int64
}

// readMiniSWE reads trajectories of mini-swe-agent, with chat completions or with Responses.
func readMiniSWE(list []record, found *findings) (made []Session) {
	for _, e := range list {
		if !isMiniSWE(e.raw()) {
			found.add(e.line, "it is no trajectory of mini-swe-agent, so it was left out")
			continue
		}
		f := e.fields()
		info := f["info"].fields()
		m := miniSWE{conversationBuilder: conversationBuilder{api: provider.Chat, texts: found.texts}}
		m.model = cmp.Or(info["config"].fields()["model"].fields().text("model_name"), unknownModel)
		messages := e.under(f["messages"])
		for _, r := range messages {
			if f := r.fields(); f.text("object") == "response" || f.text("type") == "function_call_output" {
				m.conversationBuilder.api = provider.Responses
			}
		}
		for _, r := range messages {
			m.message(r, found)
		}
		for _, s := range m.sessions(m.model) {
			s.Name = f.text("instance_id")
			made = append(made, s)
		}
	}
	return made
}

// message adds a message. One with the role exit is the end of the run, and was not sent.
func (m *miniSWE) message(e record, found *findings) {
	f := e.fields()
	extra := f["extra"].fields()
	role := f.text("role")
	switch {
	case f.text("object") == "response":
		m.call(m.about(f, extra, e.line), cmp.Or(f.text("model"), m.model), e.value().Without("extra"))
		m.answer(f["output"].value().Elems...)
	case role == "exit":
		if n := len(m.made.Calls) - 1; n >= 0 && extra != nil {
			m.made.Calls[n].attr("exit_status", extra["exit_status"].value())
		}
		if text := f.text("content"); text != "" && text != extra.text("submission") {
			found.add(e.line, "the end of the run was left out: it is not sent")
		}
	case role == "assistant":
		said := e.value().Without("extra")
		a := m.answerFacts(extra["response"].fields())
		a.Content = said
		m.call(m.about(f, extra, e.line), a.Model, a.Body())
		m.answer(said)
	case role != "" || f["type"] != nil:
		if extra["response"].kind() == canon.KindObject { // the answer broke the form that the agent wants
			m.refused(f, extra, e.line)
		}
		said := e.value().Without("extra")
		if !extra["exception_info"].empty() && role == "tool" {
			said = said.With("is_error", canon.True.Any())
		}
		m.addMessages(said)
	default:
		found.add(e.line, "it is no message, so it was left out")
		return
	}
	if at := timeOf(extra["timestamp"].value()); at > 0 {
		m.before = at
	}
}

// about returns the id, the times and the price of the call that a message answers.
func (m *miniSWE) about(f, extra fields, line int) Call {
	c := Call{ID: cmp.Or(extra["response"].fields().text("id"), f.text("id")), Line: line, Started: m.before,
		Ended: timeOf(extra["timestamp"].value())}
	c.price(extra["cost"].value())
	return c
}

// refused adds a call whose answer the agent could not use: no later request has it, only the complaint.
func (m *miniSWE) refused(f, extra fields, line int) {
	response := extra["response"].fields()
	c := m.about(f, extra, line)
	if m.api == provider.Responses {
		m.call(c, cmp.Or(response.text("model"), m.model), extra["response"].value())
		return
	}
	a := m.answerFacts(response)
	if choices := response["choices"].elems(); len(choices) > 0 {
		a.Content = choices[0].fields()["message"].value()
	}
	m.call(c, a.Model, a.Body())
}

// answerFacts reads what the log has of an answer of a chat completion besides its message.
func (m *miniSWE) answerFacts(response fields) provider.Answer {
	m.model = cmp.Or(response.text("model"), m.model)
	a := provider.Answer{API: provider.Chat, ID: response.text("id"), Model: m.model, Usage: litellmUsage(response)}
	if choices := response["choices"].elems(); len(choices) > 0 {
		a.Finish = choices[0].fields().text("finish_reason")
	}
	return a
}

// litellmUsage reads the tokens of a response of LiteLLM, which knows the counts of several providers.
func litellmUsage(response fields) provider.Usage {
	return usage(response["usage"].fields(), "prompt_tokens input_tokens", "completion_tokens output_tokens",
		"prompt_tokens_details.cached_tokens cache_read_input_tokens input_tokens_details.cached_tokens",
		"cache_creation_input_tokens prompt_tokens_details.cache_creation_tokens prompt_tokens_details.cache_write_tokens",
		"completion_tokens_details.reasoning_tokens output_tokens_details.reasoning_tokens")
}

// price notes what an answer cost in dollars, if that is a number or its text.
func (c *Call) price(v canon.Any) {
	if v.Kind == canon.KindNumber || sums.Amount(v.Text) != 0 {
		c.attr(costAttr, v)
	}
}

// attr sets an attribute of a call that the log has.
func (c *Call) attr(name string, v canon.Any) {
	if v.Kind == canon.KindAbsent || v.Kind == canon.KindNull {
		return
	}
	if i := slices.IndexFunc(c.Attrs, func(m canon.Member) bool { return m.Name == name }); i >= 0 {
		c.Attrs[i].Value = v
		return
	}
	c.Attrs = append(c.Attrs, canon.Member{Name: name, Value: v})
}

// attribute returns an attribute of a call, absent if the log has none of the name.
func (c *Call) attribute(name string) (v canon.Any) {
	for i := range c.Attrs {
		if c.Attrs[i].Name == name {
			v = c.Attrs[i].Value
		}
	}
	return v
}

// countMiniSWE counts a trajectory of mini-swe-agent.
func countMiniSWE(e record, b *sums.Book) {
	b.Note("settings")
	for _, r := range e.fields()["messages"].elems() {
		b.Record(e.line)
		f := r.fields()
		extra := f["extra"].fields()
		switch {
		case f.text("role") == "exit":
			b.Note("exit")
		case f.text("object") == "response":
			b.Message(f["output"].value())
		default:
			b.Message(r.value(), "extra")
		}
		response := extra["response"].fields()
		if f.text("object") == "response" {
			response = f
		}
		if response["usage"] != nil {
			b.Tokens("", litellmUsage(response))
		}
		b.Money(extra["cost"].value().Text)
	}
	totalOf(e.fields(), b)
}
