package calllog

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// isATIF reports whether a value is a trajectory in the Agent Trajectory Interchange Format of Harbor, or a list of
// them.
func isATIF(first raw) bool {
	if list, _ := first.fields().first("trajectories"); list != nil {
		first = list
	}
	if list := first.elems(); len(list) > 0 {
		first = list[0]
	}
	f := first.fields()
	return strings.HasPrefix(f.text("schema_version"), "ATIF-v") && f["steps"].kind() == canon.KindArray
}

// atif reads the steps of a trajectory.
type atif struct {
	spoken
	found  *findings
	begins map[string]string // the call that began the sub-agent with an id
	within map[string]bool   // the sessions of the sub-agents that the file has
	fresh  bool              // the next step begins the conversation anew
}

// readATIF reads trajectories. Each embedded trajectory of a sub-agent is a session of its own.
func readATIF(list []record, found *findings) (made []Session) {
	names := map[string]int{}
	for _, e := range list {
		if !isATIF(e.raw()) {
			found.add(e.line, "it is no trajectory, so it was left out")
			continue
		}
		made = append(made, trajectory(e, nil, names, found, 0)...)
	}
	return made
}

// deepestAgent is how deep sub-agents are read within sub-agents. Each level looks through all below it, and a file of
// levels alone would cost their square.
const deepestAgent = 16

// trajectory reads a trajectory and those of its sub-agents. depth is how many are around it.
func trajectory(e record, begun *ParentCall, names map[string]int, found *findings, depth int) []Session {
	f := e.fields()
	agent := f["agent"].fields()
	steps := e.under(f["steps"])
	a := atif{spoken: spoken{texts: found.texts, model: agent.text("model_name"), tools: agent["tool_definitions"].value()}, found: found,
		begins: map[string]string{}, within: map[string]bool{}}
	subs := e.under(f["subagent_trajectories"])
	for _, sub := range subs {
		a.within[sub.fields().text("session_id")] = true
	}
	for i := 0; i < len(steps) && a.model == ""; i++ {
		a.model = steps[i].fields().text("model_name")
	}
	a.model = cmp.Or(a.model, unknownModel)
	a.api = apiFor("", a.model)
	for _, s := range steps {
		a.step(s)
	}
	name := cmp.Or(f.text("trajectory_id"), f.text("session_id"), agent.text("name"), "trajectory")
	if names[name]++; names[name] > 1 {
		name += "-" + strconv.Itoa(names[name])
	}
	list := a.sessions()
	for i := range list {
		list[i].Name, list[i].BegunBy = name, begun
	}
	if next := f.text("continued_trajectory_ref"); next != "" {
		found.add(e.line, "the trajectory goes on in another file, "+strconv.Quote(next)+": import it too")
	}
	a.compare(f, f["final_metrics"].fields(), len(steps))
	for _, sub := range subs {
		if depth == deepestAgent {
			found.add(sub.line, "a sub-agent "+strconv.Itoa(deepestAgent+1)+" levels down was left out, with its own")
			continue
		}
		f := sub.fields()
		by := &ParentCall{Session: name, Call: cmp.Or(a.begins[f.text("trajectory_id")], a.begins[f.text("session_id")])}
		list = append(list, trajectory(sub, by, names, found, depth+1)...)
	}
	return list
}

// step adds the turns of a step.
func (a *atif) step(e record) {
	f := e.fields()
	extra := f["extra"].fields()
	t := turn{line: e.line, at: timeOf(f["timestamp"].value()), parts: a.content(f["message"]), id: f.text("step_id")}
	switch f.text("source") {
	case "user":
		t.role = "user"
	case "agent":
		t.role = "assistant"
		a.agent(&t, f)
	case "system":
		t.role = "system"
		if context := extra["context_management"].fields(); context != nil {
			a.fresh = a.fresh || context.text("boundary") == "replace"
			a.found.add(e.line, "what an agent notes about its context was left out: it is not sent")
			t.parts = nil
		}
	default:
		a.found.add(e.line, "a step of an unknown source was left out")
		return
	}
	results := a.results(f["observation"].fields(), &t)
	for _, said := range []turn{t, {role: "user", line: e.line, at: t.at, parts: results}} {
		if len(said.parts) > 0 || said.role == "assistant" {
			said.fresh = a.fresh && said.role != "assistant"
			a.fresh = a.fresh && !said.fresh
			a.turns = append(a.turns, said)
		}
	}
}

// agent completes the turn of an agent. A step without numbers that follows another one with nothing between is the
// rest of its answer, unless the file says that each is a call.
func (a *atif) agent(t *turn, f fields) {
	if text := f.text("reasoning_content"); text != "" {
		t.parts = append([]provider.Part{thoughtPart(canon.Text(text))}, t.parts...)
	}
	for _, r := range f["tool_calls"].elems() {
		call := r.fields()
		t.parts = append(t.parts, callPart(call.text("tool_call_id"), call.text("function_name"), call["arguments"].value()))
	}
	calls := f.count("llm_call_count")
	t.copied = f["is_copied_context"].isTrue() || calls != nil && *calls == 0
	t.answer.Model = cmp.Or(f.text("model_name"), a.model)
	metrics := f["metrics"].fields()
	t.answer.Usage = atifUsage(metrics)
	attr := Call{}
	attr.price(metrics["cost_usd"].value())
	attr.attr("reasoning_effort", f["reasoning_effort"].value())
	if calls != nil && *calls > 1 {
		attr.attr("llm_call_count", f["llm_call_count"].value())
	}
	if extra := f["extra"]; !extra.empty() && len(extra) <= longestAttr {
		attr.attr("extra", extra.value())
	}
	for _, name := range []string{"prompt_token_ids", "completion_token_ids", "logprobs"} {
		if !metrics[name].empty() {
			a.found.add(t.line, "the ids and probabilities of tokens were left out")
		}
	}
	t.attrs = attr.Attrs
	n := len(a.turns) - 1
	if n >= 0 && a.turns[n].role == "assistant" && calls == nil && !t.copied && !a.turns[n].copied &&
		(metrics == nil || a.turns[n].answer.Usage == provider.Usage{}) {
		whole := a.turns[n]
		whole.parts = append(whole.parts, t.parts...)
		if metrics != nil {
			whole.answer.Usage, whole.attrs = t.answer.Usage, t.attrs
		}
		whole.at = t.at
		a.turns, *t = a.turns[:n], whole
	}
}

// content reads a message or what a tool gave: a text, or parts.
func (a *atif) content(content raw) (parts []provider.Part) {
	if text := content.text(); text != "" {
		return []provider.Part{textPart(text)}
	}
	for _, e := range content.elems() {
		p := e.fields()
		switch source := p["source"].fields(); p.text("type") {
		case "text":
			parts = append(parts, textPart(p.text("text")))
		case "image":
			parts = append(parts, imagePart(source.text("path")))
		default:
			parts = append(parts, otherPart(e.value()))
		}
	}
	return parts
}

// results reads what the environment answered to a step. Without the id of a call it is what a user would say.
func (a *atif) results(observation fields, of *turn) (parts []provider.Part) {
	tools := map[string]string{}
	for i := range of.parts {
		tools[of.parts[i].Call] = of.parts[i].Name
	}
	for _, e := range observation["results"].elems() {
		r := e.fields()
		id := r.text("source_call_id")
		for _, ref := range r["subagent_trajectory_ref"].elems() {
			ref := ref.fields()
			if sub := ref.text("trajectory_id"); sub != "" {
				a.begins[sub] = id
			} else if session := ref.text("session_id"); session != "" && a.within[session] {
				a.begins[session] = id
			} else {
				a.found.add(of.line, "the trajectory of a sub-agent is in another file: import it too")
			}
		}
		content := a.content(r["content"])
		if id == "" || of.role != "assistant" {
			parts = append(parts, content...)
			continue
		}
		said := r["content"].value()
		if said.Kind == canon.KindArray {
			said = canon.ArrayOf(writer{a.api}.parts(&turn{parts: content})...)
		}
		parts = append(parts, resultPart(id, tools[id], said, failedResult(r["extra"].fields())))
	}
	return parts
}

// failedResult reports whether agents note of a result that the call failed.
func failedResult(extra fields) bool {
	status := extra.text("status")
	return extra["is_error"].isTrue() || extra["tool_result_is_error"].isTrue() || status == "error" ||
		status == "failed" || !extra["error"].empty() && string(extra["error"]) != string(canon.False)
}
