package provider

import "github.com/contexttree/pact/internal/canon"

// responsesAnswer reads OpenAI Responses. For a finished item it keeps the final
// form; for an unfinished one, what arrived.
type responsesAnswer struct {
	response canon.Any // as the last event about the whole response gives it
	items    answerBlocks
	content  map[*answerBlock]*answerBlocks // of unfinished items
	done     map[*answerBlock]canon.Any     // finished items
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

func (r *responsesAnswer) event(event canon.Any) {
	kind := text(event, "type")
	if response := get(event, "response"); response.Kind == canon.KindObject {
		r.response = response
		return
	}
	item := r.items.block(get(event, "output_index"))
	if item == nil {
		return
	}
	switch kind {
	case "response.output_item.added":
		item.begun = get(event, "item")
	case "response.output_item.done":
		if r.done == nil {
			r.done = make(map[*answerBlock]canon.Any)
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
func (r *responsesAnswer) part(item *answerBlock, event canon.Any, field string) {
	if r.content == nil {
		r.content = make(map[*answerBlock]*answerBlocks)
	}
	if r.content[item] == nil {
		r.content[item] = &answerBlocks{}
	}
	if part := r.content[item].block(get(event, "content_index")); part != nil {
		part.begun = canon.Object(textMember("type", partTypes[field]))
		part.add(field, text(event, "delta"))
	}
}

func (r *responsesAnswer) wholeBody(body canon.Any) { r.response = body }

// output returns the items: finished ones in their final form, others as far as
// they arrived.
func (r *responsesAnswer) output() (all []canon.Any) {
	for _, item := range r.items.inOrder() {
		whole := r.done[item]
		if whole.Kind == canon.KindAbsent {
			whole = item.value()
			if parts := r.content[item]; parts != nil && whole.Kind == canon.KindObject {
				var content []canon.Any
				for _, p := range parts.inOrder() {
					content = append(content, p.value())
				}
				whole = whole.With("content", canon.ArrayOf(content...))
			}
		}
		if whole.Kind == canon.KindObject {
			all = append(all, whole)
		}
	}
	return all
}

func (r *responsesAnswer) fill(a *Answer) {
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
		Terms:     openAITerms(get(r.response, "service_tier")),
	}
	a.CacheMiss, a.Changed = get(r.response, "prompt_cache_diagnostics"), compactions(items)
	if problem := get(r.response, "error"); problem.Kind == canon.KindObject && a.Failure == "" {
		a.Failure = problemText(problem)
	}
}

func responsesBody(a *Answer) canon.Any {
	u := &a.Usage
	return canon.Fields("object", "response", "id", a.ID, "model", a.Model, "status", "completed",
		"output", a.Content, "usage", objOrNone("input_tokens", u.In, "output_tokens", u.Out,
			"input_tokens_details", objOrNone("cached_tokens", u.Cached),
			"output_tokens_details", objOrNone("reasoning_tokens", u.Reasoning)))
}
