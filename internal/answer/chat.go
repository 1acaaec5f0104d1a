package answer

import "github.com/contexttree/pact/internal/canon"

// chat reads OpenAI chat completions. Of several choices only the first counts:
// it is the one that the next request repeats.
type chat struct {
	id, model, finish string
	pieces            growing   // the message, from a stream
	message           canon.Any // the message, from an answer that is not a stream
	usage             canon.Any
}

func (c *chat) whole(body canon.Any) { c.event(body) }

func (c *chat) event(chunk canon.Any) {
	if id := text(chunk, "id"); id != "" {
		c.id = id
	}
	if model := text(chunk, "model"); model != "" {
		c.model = model
	}
	if usage := get(chunk, "usage"); usage.Kind == canon.KindObject {
		c.usage = usage
	}
	for _, choice := range get(chunk, "choices").Elems {
		if i, ok := get(choice, "index").Value().Int64(); ok && i != 0 {
			continue
		}
		c.pieces.add(get(choice, "delta"))
		if message := get(choice, "message"); message.Kind == canon.KindObject {
			c.message = message
		}
		if finish := text(choice, "finish_reason"); finish != "" {
			c.finish = finish
		}
	}
}

func (c *chat) fill(a *Answer) bool {
	a.ID, a.Model, a.Finish = c.id, c.model, c.finish
	a.Content = c.message
	if pieces := c.pieces.whole(); pieces.Kind == canon.KindObject {
		a.Content = pieces
	}
	a.Refusal = text(a.Content, "refusal")
	a.Usage = Usage{
		In: count(c.usage, "prompt_tokens"), Out: count(c.usage, "completion_tokens"),
		Cached:    count(c.usage, "prompt_tokens_details", "cached_tokens"),
		Written:   count(c.usage, "prompt_tokens_details", "cache_write_tokens"),
		Reasoning: count(c.usage, "completion_tokens_details", "reasoning_tokens"),
	}
	return c.finish != ""
}
