package calllog

import (
	"math"
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
func (a *atif) compare(f, all fields, steps int) {
	var in, out, cached *int64
	dollars := 0.0
	for i := range a.turns {
		if t := &a.turns[i]; t.role == "assistant" && !t.copied {
			u := t.answer.Usage
			in, out, cached = sum(in, u.In), sum(out, u.Out), sum(cached, u.Cached)
			dollars += sums.Amount((&Call{Attrs: t.attrs}).attribute(costAttr).Text)
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
		have := "have none"
		if c.sum != nil {
			have = "add up to " + strconv.FormatInt(*c.sum, 10)
		}
		a.found.add(0, "the trajectory says "+strconv.FormatInt(*said, 10)+" of "+c.name+", its steps "+have)
	}
	cost := all["total_cost_usd"].value().Text // with sub-agents it is that of all
	if len(a.within) == 0 && cost != "" && math.Abs(sums.Amount(cost)-dollars) > 1e-9 {
		a.found.add(0, "the trajectory says "+cost+" of total_cost_usd, its steps add up to "+strconv.FormatFloat(dollars, 'g', 6, 64))
	}
	if n := all.count("total_steps"); n != nil && *n != int64(steps) && f["notes"].empty() {
		a.found.add(0, "the trajectory says "+strconv.FormatInt(*n, 10)+" of total_steps, it has "+strconv.Itoa(steps))
	}
}

// countATIF counts a trajectory and those of its sub-agents.
func countATIF(e record, b *sums.Book) { countTrajectory(e, b, 0) }

func countTrajectory(e record, b *sums.Book, depth int) {
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
		countTrajectory(record{inMemory: sub, line: e.line}, b, depth+1)
	}
}
