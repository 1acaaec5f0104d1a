package provider

import (
	"maps"
	"slices"

	"github.com/contexttree/pact/internal/canon"
)

// chatAnswer reads OpenAI chat completions. Of several choices only the first counts:
// it is the one that the next request repeats.
type chatAnswer struct {
	id, model, finish string
	pieces            growingValue // the message, from a stream
	message           canon.Any    // the message, from an answer that is not a stream
	usage, tier       canon.Any
}

func (c *chatAnswer) wholeBody(body canon.Any) { c.event(body) }

func (c *chatAnswer) event(chunk canon.Any) {
	if id := text(chunk, "id"); id != "" {
		c.id = id
	}
	if model := text(chunk, "model"); model != "" {
		c.model = model
	}
	if usage := get(chunk, "usage"); usage.Kind == canon.KindObject {
		c.usage = usage
	}
	if tier := get(chunk, "service_tier"); tier.Kind == canon.KindString {
		c.tier = tier
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

func (c *chatAnswer) fill(a *Answer) {
	a.ID, a.Model, a.Finish = c.id, c.model, c.finish
	a.Content = c.message
	if pieces := c.pieces.joined(); pieces.Kind == canon.KindObject {
		a.Content = pieces
	}
	a.Refusal = text(a.Content, "refusal")
	a.Usage = Usage{
		In: count(c.usage, "prompt_tokens"), Out: count(c.usage, "completion_tokens"),
		Cached:    count(c.usage, "prompt_tokens_details", "cached_tokens"),
		Written:   count(c.usage, "prompt_tokens_details", "cache_write_tokens"),
		Reasoning: count(c.usage, "completion_tokens_details", "reasoning_tokens"),
		Terms:     openAITerms(c.tier),
	}
}

// growingValue is a message of a chat completion that arrives in pieces: it
// concatenates texts and merges objects and lists. Time is linear in the
// pieces.
type growingValue struct {
	value   canon.Any // a value of any other kind
	text    []byte
	members map[string]*growingValue
	elems   map[int64]*growingValue
	last    int64 // index of the last element that a piece added to
}

// add merges a piece. Null changes nothing.
func (g *growingValue) add(piece canon.Any) {
	switch piece.Kind {
	case canon.KindAbsent:
	case canon.KindString:
		g.value = canon.Any{Kind: canon.KindString}
		g.text = append(g.text, piece.Text...)
	case canon.KindObject:
		g.value = canon.Any{Kind: canon.KindObject}
		for _, m := range piece.Members {
			g.member(m.Name).addMember(m.Name, m.Value)
		}
	case canon.KindArray:
		g.value = canon.Any{Kind: canon.KindArray}
		for _, e := range piece.Elems {
			elem := g.elem(e)
			if get(e, "function").Kind == canon.KindObject || get(e, "custom").Kind == canon.KindObject {
				e = e.Without("index") // it says where a piece of a call belongs; the message has none
			}
			elem.add(e)
		}
	case canon.KindNull:
		if g.value.Kind == canon.KindAbsent {
			g.value = piece
		}
	default:
		g.value = piece
	}
}

// addMember merges a member. Some members, such as ids and names, arrive whole,
// and some servers repeat them in each piece.
func (g *growingValue) addMember(name string, piece canon.Any) {
	if piece.Kind == canon.KindString && slices.Contains([]string{"id", "type", "role", "name"}, name) {
		if piece.Text == "" || string(g.text) == piece.Text {
			piece = canon.Any{}
			if g.value.Kind == canon.KindAbsent {
				g.value = canon.Any{Kind: canon.KindString}
			}
		} else if name != "name" {
			g.text = nil
		}
	}
	g.add(piece)
}

func (g *growingValue) member(name string) *growingValue {
	if g.members == nil {
		g.members = make(map[string]*growingValue)
	}
	m := g.members[name]
	if m == nil {
		m = &growingValue{}
		g.members[name] = m
	}
	return m
}

// elem finds the element that a piece belongs to: the one with its index.
// Without an index, a piece of a call that has no id, or the id of the last
// call, continues that call.
func (g *growingValue) elem(piece canon.Any) *growingValue {
	at, ok := get(piece, "index").Value().Int64()
	if last := g.elems[g.last]; !ok && last != nil {
		at = g.last + 1
		id := text(piece, "id")
		if get(piece, "function").Kind == canon.KindObject && (id == "" || id == string(last.member("id").text)) {
			at = g.last
		}
	}
	if g.elems == nil {
		g.elems = make(map[int64]*growingValue)
	}
	if g.elems[at] == nil {
		g.elems[at] = &growingValue{}
	}
	g.last = at
	return g.elems[at]
}

// joined returns what has arrived; absent if nothing has.
func (g *growingValue) joined() canon.Any {
	switch g.value.Kind {
	case canon.KindString:
		return canon.Any{Kind: canon.KindString, Text: string(g.text)}
	case canon.KindObject:
		members := make([]canon.Member, 0, len(g.members))
		for name, m := range g.members {
			members = append(members, canon.Member{Name: name, Value: m.joined()})
		}
		return canon.Object(members...)
	case canon.KindArray:
		list := canon.Any{Kind: canon.KindArray}
		for _, i := range slices.Sorted(maps.Keys(g.elems)) {
			list.Elems = append(list.Elems, g.elems[i].joined())
		}
		return list
	}
	return g.value
}

// unknownFinish is the finish of an answer that does not say why it ended: without any it would count as
// broken off.
const unknownFinish = "unknown"

func chatBody(a *Answer) canon.Any {
	finish, u := a.Finish, &a.Usage
	if finish == "" && a.Failure == "" {
		finish = unknownFinish
	}
	return canon.Fields("object", "chat.completion", "id", a.ID, "model", a.Model,
		"choices", canon.ArrayOf(canon.Fields("index", canon.Int(0).Any(), "finish_reason", finish, "message", a.Content)),
		"usage", objOrNone("prompt_tokens", u.In, "completion_tokens", u.Out,
			"prompt_tokens_details", objOrNone("cached_tokens", u.Cached, "cache_write_tokens", u.Written),
			"completion_tokens_details", objOrNone("reasoning_tokens", u.Reasoning)))
}
