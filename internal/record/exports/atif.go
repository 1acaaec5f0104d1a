package exports

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// atifVersion is that of the Agent Trajectory Interchange Format which ATIF writes: RFC 0001 in
// https://github.com/harbor-framework/harbor, whose page is https://harborframework.com/docs/trajectory-format.
const atifVersion = "ATIF-v1.8"

// trajectory collects the steps of a run.
type trajectory struct {
	losses
	steps           []*step
	calls           map[string]*step // of tools, by id: the step that made each
	last            *call
	model           string // of the first call
	in, out, cached *int64
	paid            *float64 // nil before a call with a price
	unpriced        bool     // the price of a call is not known, so that of all is not either
}

// step is a step of a trajectory.
type step struct {
	source, thought         string
	at                      int64
	content, calls, results []canon.Any
	more                    []any // names and values
}

// ATIF writes the calls of a context up to an address as one trajectory, and returns what it cannot carry. A call that
// does not go on with the one before begins the context anew, as agents note a compaction: what it repeats of earlier
// answers is marked as copied. Cost: that of reading the run, and of what each call brings.
func ATIF(ctx context.Context, w io.Writer, c *pact.Context, to pact.Address, progress func(done, total int)) ([]Lost, error) {
	t := &trajectory{calls: map[string]*step{}}
	unsent, err := walk(ctx, c, to, t.call, progress)
	if err != nil {
		return nil, err
	}
	t.messages(unsent, 0)
	t.list = append(t.list, Lost{What: "parameters of requests, markers for caches, ids of answers, when a call was begun"})
	_, err = w.Write(append(t.document(c.Info().Name).AppendTo(nil), '\n'))
	return t.list, err
}

// call adds what a call brought, and its answer.
func (t *trajectory) call(c *call) error {
	said := c.said
	switch {
	case t.last == nil:
		t.model = c.model
		for _, p := range c.system { // each is a step: a message would join them
			t.addStep("system", c.began, p)
		}
	case c.same < len(t.last.said):
		if last := t.last; len(last.answer) == 0 && last.failure == "" {
			t.add(1, "answer that no later call has")
			t.answer(last)
		}
		t.steps = append(t.steps, &step{source: "system", at: c.began, content: []canon.Any{text("The context begins anew.")},
			more: []any{"extra", canon.Fields("context_management", canon.Fields("type", "compaction", "boundary", "replace"))}})
		fallthrough
	default:
		if !slices.Equal(c.system, t.last.system) {
			t.add(1, "call with another system prompt than the first, which alone stands")
		}
		if !slices.Equal(c.tools, t.last.tools) {
			t.add(1, "call with other tools than the call before, of which the last stand")
		}
		if c.same == len(t.last.said) {
			said = slices.DeleteFunc(slices.Clone(c.said[c.same:]), func(p *part) bool { return slices.Contains(t.last.answer, p) })
		}
	}
	t.add(max(0, c.attempts-1), "attempt at a call before the last")
	if len(c.answer) == 0 && c.failure != "" {
		t.add(1, "call that failed")
	}
	t.messages(said, c.began)
	if t.last = c; len(c.answer) > 0 {
		t.answer(c)
	}
	return nil
}

// messages adds what is said beside the answers.
func (t *trajectory) messages(said []*part, at int64) {
	for side, some := range sides(said) {
		switch side {
		case "result":
			for _, p := range some {
				t.result(p, at)
			}
		case "agent":
			s := t.agent(some, at)
			s.more = append(s.more, "is_copied_context", canon.True.Any(), "llm_call_count", canon.Number(0))
		default:
			t.addStep(side, at, some...)
		}
	}
}

// answer adds the step of an answer.
func (t *trajectory) answer(c *call) {
	s := t.agent(c.answer, c.ended)
	s.more = append(s.more, "model_name", c.model, "llm_call_count", canon.Number(1), "metrics", t.metrics(c))
}

// addStep adds a step of the system or the user.
func (t *trajectory) addStep(source string, at int64, parts ...*part) {
	s := &step{source: source, at: at}
	for _, p := range parts {
		if p.field {
			t.add(1, fieldBeside)
		} else {
			s.content = append(s.content, t.content(p))
		}
	}
	if len(s.content) > 0 {
		t.steps = append(t.steps, s)
	}
}

// content writes a part of a message.
func (t *trajectory) content(p *part) canon.Any {
	switch {
	case (p.Kind == "text" || p.Kind == "refusal") && p.plain:
		if p.Content.Text == "" {
			t.add(1, "text without words")
		}
		return text(p.Content.Text)
	case p.Kind == "image" && p.plain:
		return image(p.Content.Text)
	}
	t.add(1, "part of another kind, written as JSON")
	return text(string(p.Content.Value()))
}

func text(said string) canon.Any { return canon.Fields("type", "text", "text", canon.Text(said)) }

// agent adds a step of the model: its thoughts, what it says, its calls.
func (t *trajectory) agent(parts []*part, at int64) *step {
	s := &step{source: "agent", at: at}
	rank, thoughts := 0, 0
	for _, p := range parts {
		now := 1
		switch {
		case p.field:
			t.add(1, fieldBeside)
			continue
		case p.Kind == "thinking" && !p.plain:
			t.add(1, "thought without words")
			continue
		case p.Kind == "thinking":
			if now = 0; thoughts > 0 {
				t.add(1, "thought joined to the one before")
				s.thought += "\n\n"
			}
			if _, signed := signatureOf(p); signed {
				t.add(1, "signature of thinking")
			}
			s.thought += p.Content.Text
			thoughts++
		case p.Kind == "call":
			now = 2
			arguments := p.Content
			if arguments.Kind != canon.KindObject {
				t.add(1, notAnObject)
				arguments = canon.Fields("arguments", arguments)
			}
			s.calls = append(s.calls, canon.Fields("tool_call_id", canon.Text(p.Call), "function_name", canon.Text(p.Name),
				"arguments", arguments))
			t.calls[p.Call] = s
		default:
			s.content = append(s.content, t.content(p))
		}
		if now < rank {
			t.add(1, "part at another place in its answer: thoughts come first, then texts, then calls")
		}
		rank = max(rank, now)
	}
	t.steps = append(t.steps, s)
	return s
}

// signatureOf returns what a provider signs a thought with.
func signatureOf(p *part) (canon.Any, bool) {
	for _, name := range []string{"signature", "encrypted_content", "thoughtSignature"} {
		if v, is := p.raw.Get(name); is && v.Kind == canon.KindString && v.Text != "" {
			return v, true
		}
	}
	return canon.Any{}, false
}

// result adds what a tool answered to the step that called it.
func (t *trajectory) result(p *part, at int64) {
	s := t.calls[p.Call]
	if s == nil || p.Call == "" {
		t.add(1, "result without a call, written as what a user says")
		t.addStep("user", at, &part{Part: provider.Part{Kind: "text", Content: canon.Text(resultText(p))}, plain: true})
		return
	}
	if s != t.steps[len(t.steps)-1] {
		t.add(1, "result moved to the call, in front of what stands between")
	}
	var extra canon.Any
	if p.Failed {
		extra = canon.Fields("is_error", canon.True.Any())
	}
	content := canon.Text(resultText(p))
	switch p.Content.Kind {
	case canon.KindString, canon.KindArray:
	default:
		t.add(1, "result in JSON, written as a text")
	}
	if list := p.Content; list.Kind == canon.KindArray && len(list.Elems) > 0 {
		var parts []canon.Any
		for _, e := range list.Elems {
			if said, ok := provider.Plain(p.from, provider.Part{Kind: provider.KindOf(e), Content: e}); ok && said.Kind == "image" {
				parts = append(parts, image(said.Content.Text))
			} else if ok && said.Kind == "text" {
				parts = append(parts, text(said.Content.Text))
			}
		}
		if len(parts) == len(list.Elems) {
			content = canon.ArrayOf(parts...)
		} else {
			t.add(1, "result with parts of other kinds, written as JSON")
		}
	}
	s.results = append(s.results, canon.Fields("source_call_id", canon.Text(p.Call), "content", content, "extra", extra))
}

// resultText returns the content of a result as a text.
func resultText(p *part) string {
	if p.Content.Kind == canon.KindString {
		return p.Content.Text
	}
	return string(p.Content.Value())
}

// metrics writes the tokens and the price of a call.
func (t *trajectory) metrics(c *call) canon.Any {
	u := c.usage
	for _, one := range []struct{ sum, n **int64 }{{&t.in, &u.In}, {&t.out, &u.Out}, {&t.cached, &u.Cached}} {
		if *one.n != nil {
			if *one.sum == nil {
				*one.sum = new(int64)
			}
			**one.sum += **one.n
		}
	}
	if u.Written1h != nil && *u.Written1h > 0 {
		t.add(1, "lifetime of an hour, of tokens written to a cache")
	}
	if c.paid == nil {
		t.unpriced = true
	} else if t.paid == nil {
		paid := *c.paid
		t.paid = &paid
	} else {
		*t.paid += *c.paid
	}
	extra := canon.Fields("cache_creation_input_tokens", u.Written, "reasoning_tokens", u.Reasoning)
	if len(extra.Members) == 0 {
		extra = canon.Any{}
	}
	made := canon.Fields("prompt_tokens", u.In, "completion_tokens", u.Out, "cached_tokens", u.Cached, "cost_usd", dollars(c.paid),
		"extra", extra)
	if len(made.Members) == 0 {
		return canon.Any{}
	}
	return made
}

// document writes the trajectory.
func (t *trajectory) document(name string) canon.Any {
	var tools, steps []canon.Any
	if t.last != nil {
		var left int
		if tools, left = toolsOf(t.last); left > 0 {
			t.add(left, "tool that its provider itself runs")
		}
	}
	for i, s := range t.steps {
		steps = append(steps, s.json(i+1))
	}
	if t.unpriced {
		t.paid = nil
	}
	return canon.Fields("schema_version", atifVersion, "session_id", canon.Text(name),
		"agent", canon.Fields("name", "unknown", "version", "unknown", "model_name", t.model, "tool_definitions", listOrAbsent(tools)),
		"steps", canon.ArrayOf(steps...),
		"final_metrics", canon.Fields("total_prompt_tokens", t.in, "total_completion_tokens", t.out, "total_cached_tokens", t.cached,
			"total_cost_usd", dollars(t.paid), "total_steps", canon.Number(int64(len(steps)))))
}

func (s *step) json(number int) canon.Any {
	message := canon.Text("")
	if len(s.content) == 1 {
		message, _ = s.content[0].Get("text")
	}
	if len(s.content) > 1 || message.Kind == canon.KindAbsent {
		message = canon.ArrayOf(s.content...)
	}
	var results canon.Any
	if len(s.results) > 0 {
		results = canon.Fields("results", canon.ArrayOf(s.results...))
	}
	at := ""
	if s.at > 0 {
		at = time.Unix(0, s.at).UTC().Format(time.RFC3339Nano)
	}
	return canon.Fields(append([]any{"step_id", canon.Number(int64(number)), "timestamp", at, "source", s.source, "message", message,
		"reasoning_content", s.thought, "tool_calls", listOrAbsent(s.calls), "observation", results}, s.more...)...)
}
