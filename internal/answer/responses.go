package answer

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// responses reads OpenAI Responses. For a finished item it keeps the final
// form; for an unfinished one, what arrived.
type responses struct {
	response canon.Any // as the last event about the whole response gives it
	items    list
	content  map[*block]*list     // of unfinished items
	done     map[*block]canon.Any // finished items
	ended    bool
}

// itemDeltas says which member of an item an event adds to; partDeltas, which
// member of a part of an item.
var (
	itemDeltas = map[string]string{
		"response.function_call_arguments.delta": "arguments", "response.custom_tool_call_input.delta": "input",
	}
	partDeltas = map[string]string{"response.output_text.delta": "text", "response.refusal.delta": "refusal"}
	partTypes  = map[string]string{"text": "output_text", "refusal": "refusal"}
)

func (r *responses) event(event canon.Any) {
	kind := text(event, "type")
	if response := get(event, "response"); response.Kind == canon.KindObject {
		r.response = response
		switch strings.TrimPrefix(kind, "response.") {
		case "completed", "incomplete", "failed", "cancelled":
			r.ended = true
		}
		return
	}
	item := r.items.at(get(event, "output_index"))
	if item == nil {
		return
	}
	switch kind {
	case "response.output_item.added":
		item.begun = get(event, "item")
	case "response.output_item.done":
		if r.done == nil {
			r.done = make(map[*block]canon.Any)
		}
		r.done[item] = get(event, "item")
	}
	if field := itemDeltas[kind]; field != "" {
		item.add(field, text(event, "delta"))
	}
	if field := partDeltas[kind]; field != "" {
		r.part(item, event, field)
	}
}

// part adds to one part of an item.
func (r *responses) part(item *block, event canon.Any, field string) {
	if r.content == nil {
		r.content = make(map[*block]*list)
	}
	if r.content[item] == nil {
		r.content[item] = &list{}
	}
	if part := r.content[item].at(get(event, "content_index")); part != nil {
		part.begun = canon.Object(member("type", partTypes[field]))
		part.add(field, text(event, "delta"))
	}
}

func (r *responses) whole(body canon.Any) { r.response, r.ended = body, true }

// output returns the items: finished ones in their final form, others as far as
// they arrived.
func (r *responses) output() (all []canon.Any) {
	for _, item := range r.items.inOrder() {
		whole := r.done[item]
		if whole.Kind == canon.KindAbsent {
			whole = item.whole()
			if parts := r.content[item]; parts != nil && whole.Kind == canon.KindObject {
				var content []canon.Any
				for _, p := range parts.inOrder() {
					content = append(content, p.whole())
				}
				whole = canon.Object(append(without(whole).Members,
					canon.Member{Name: "content", Value: canon.ArrayOf(content...)})...)
			}
		}
		if whole.Kind == canon.KindObject {
			all = append(all, whole)
		}
	}
	return all
}

func (r *responses) fill(a *Answer) bool {
	a.ID, a.Model, a.Finish = text(r.response, "id"), text(r.response, "model"), text(r.response, "status")
	if reason := text(get(r.response, "incomplete_details"), "reason"); reason != "" {
		a.Finish = reason
	}
	items := r.output()
	if len(items) == 0 {
		items = get(r.response, "output").Elems
	}
	if len(items) > 0 {
		a.Content = canon.ArrayOf(items...)
	}
	for _, item := range items {
		for _, part := range get(item, "content").Elems {
			a.Refusal += text(part, "refusal")
		}
	}
	usage := get(r.response, "usage")
	a.Usage = Usage{
		In: count(usage, "input_tokens"), Out: count(usage, "output_tokens"),
		Cached:    count(usage, "input_tokens_details", "cached_tokens"),
		Written:   count(usage, "input_tokens_details", "cache_write_tokens"),
		Reasoning: count(usage, "output_tokens_details", "reasoning_tokens"),
	}
	a.CacheMiss, a.Changed = get(r.response, "prompt_cache_diagnostics"), compactions(items)
	if problem := get(r.response, "error"); problem.Kind == canon.KindObject && a.Failure == "" {
		a.Failure = problemText(problem)
	}
	return r.ended
}
