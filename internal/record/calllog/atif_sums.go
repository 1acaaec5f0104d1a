package calllog

import (
	"strconv"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/sums"
)

// atifUsage reads the tokens of a step. What the format has no member for agents put into extra.
func atifUsage(metrics fields) provider.Usage {
	return usage(metrics, "prompt_tokens", "completion_tokens", "cached_tokens",
		"extra.cache_creation_input_tokens extra.cache_write_tokens extra.cache_creation_tokens",
		"extra.reasoning_tokens extra.reasoning_output_tokens extra.thoughts_tokens")
}

// compare adds a finding for each sum of a trajectory that its answers do not add up to.
func (a *atif) compare(all fields, made []Session) {
	var in, out, cached *int64
	for i := range a.turns {
		if t := &a.turns[i]; t.role == "assistant" && !t.copied {
			u := t.answer.Usage
			in, out, cached = sum(in, u.In), sum(out, u.Out), sum(cached, u.Cached)
		}
	}
	for _, c := range []struct {
		name string
		sum  *int64
	}{{"total_prompt_tokens", in}, {"total_completion_tokens", out}, {"total_cached_tokens", cached}} {
		said := all.count(c.name)
		if said == nil || c.sum != nil && *c.sum == *said || *said == 0 && c.sum == nil {
			continue
		}
		steps := "have none"
		if c.sum != nil {
			steps = "add up to " + strconv.FormatInt(*c.sum, 10)
		}
		a.found.add(0, "the trajectory says "+strconv.FormatInt(*said, 10)+" of "+c.name+", its steps "+steps)
	}
}

// countATIF counts a trajectory and those of its sub-agents.
func countATIF(e entry, b *sums.Book) { countTrajectory(e, b, 0) }

func countTrajectory(e entry, b *sums.Book, depth int) {
	f := e.fields()
	b.Note("about the agent")
	for _, r := range f["steps"].elems() {
		b.Record(e.line)
		step := r.fields()
		if step["extra"].fields()["context_management"] != nil {
			b.Note("context management")
			continue
		}
		b.Message(canon.Fields("content", step["message"].value(), "reasoning_content", step["reasoning_content"].value()),
			"media_type", "duration_sec")
		for _, c := range step["tool_calls"].elems() {
			b.Call(c.fields().text("tool_call_id"))
			b.Message(canon.Fields("arguments", c.fields()["arguments"].value()))
		}
		for _, o := range step["observation"].fields()["results"].elems() {
			result := o.fields()
			if id := result.text("source_call_id"); id != "" && step.text("source") == "agent" {
				b.Result(id)
			}
			b.Message(canon.Fields("content", result["content"].value()), "media_type", "duration_sec")
		}
		if metrics := step["metrics"].fields(); metrics != nil && !step["is_copied_context"].isTrue() {
			b.Tokens("", atifUsage(metrics))
			b.Money(metrics["cost_usd"].value().Text)
		}
	}
	for _, sub := range f["subagent_trajectories"].elems() {
		b.Record(e.line)
		if depth == deepestAgent {
			b.Note("sub-agent that is too deep")
			continue
		}
		countTrajectory(entry{sub, e.line}, b, depth+1)
	}
}
