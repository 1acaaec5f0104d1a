package provider

import (
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/splice"
)

const (
	chatReference = "https://developers.openai.com/api/reference/resources/chat/subresources/completions"
	openAICalls   = "https://developers.openai.com/api/docs/guides/function-calling"
)

var chatRules = []Rule{
	{Name: "required", Source: chatReference, check: func(c *checker) {
		c.members("model")
		c.inList("messages")
	}},
	{Name: "roles", Source: chatReference, check: func(c *checker) {
		c.roles("messages", true, "user", "assistant", "system", "developer", "tool", "function")
	}},
	{Name: "content", Source: chatReference, check: chatContent},
	{Name: "pairs", Source: openAICalls, check: chatPairs},
	{Name: "tools", Source: chatReference, check: func(c *checker) {
		names := c.names("tools", "function", "name")
		if len(names) > 128 {
			c.report("tools", "the request has more than 128 tools", "send fewer", nil)
		}
		c.toolNames("tools", names, "_-", 64)
	}},
	{Name: "limits", Source: chatReference, check: func(c *checker) {
		c.metadata()
		if n := len(c.root.Get("stop").Elems); n > 4 {
			c.report("stop", "the request has more than 4 stop sequences", "send fewer", nil)
		}
	}},
}

// chatContent requires a content of each message, except of one of the model that makes calls.
func chatContent(c *checker) {
	list := c.root.Get("messages")
	for i, m := range list.Elems {
		content, role := m.Get("content"), m.Get("role").Text()
		if content.Is() && content.Kind != canon.KindNull || role == "function" {
			continue
		}
		if role != "assistant" {
			c.report(at("messages", i), "the message has no content", "give it a content", nil)
			continue
		}
		says := false
		for _, name := range []string{"tool_calls", "function_call", "refusal", "audio"} {
			v := m.Get(name)
			says = says || v.Is() && v.Kind != canon.KindNull && (v.Kind != canon.KindArray || len(v.Elems) > 0)
		}
		if !says {
			mend := func(e *splice.Edits) { e.Remove(list, i) }
			if len(list.Elems) == 1 {
				mend = nil
			}
			c.report(at("messages", i), "the message of the model has neither content nor calls", "leave it out", mend)
		}
	}
}

// chatPairs requires that the messages after one with calls are those of its results, one for
// each call, and that there are no other results.
func chatPairs(c *checker) {
	list := c.root.Get("messages")
	messages := list.Elems
	taken := map[int]bool{}
	isTool := func(i int) bool { return i < len(messages) && messages[i].Get("role").Text() == "tool" }
	for i, m := range messages {
		if m.Get("role").Text() != "assistant" {
			continue
		}
		calls := m.Get("tool_calls").Elems
		if len(calls) == 0 {
			continue
		}
		behind, late := answersFor(taken), answersFor(taken)
		open, said := answersFor(taken), answersFor(taken) // results behind without tool_call_id
		end := i + 1                                       // of the results
		for ; isTool(end); end++ {
			id := messages[end].Get("tool_call_id").Text()
			if behind.add(id, list, end); id != "" {
				continue
			}
			names := messages[end].Get(answeredIDs).Elems
			for _, name := range names {
				said.add(name.Text(), list, end)
			}
			if len(names) == 0 {
				open.add("", list, end)
			}
		}
		for j := end; j < len(messages) && len(messages[j].Get("tool_calls").Elems) == 0; j++ {
			if isTool(j) {
				late.add(messages[j].Get("tool_call_id").Text(), list, j)
			}
		}
		for k, call := range calls {
			id := call.Get("id").Text()
			if _, found := behind.take(id); found {
				continue
			}
			if result, found := chatUnnamed(open, said, id); found {
				unnamed := result.value()
				c.report(at("messages", result.at), "the result of the call "+quoted(id)+" does not name it",
					"name the call in tool_call_id", func(e *splice.Edits) {
						e.RemoveMember(unnamed, "tool_call_id")
						e.Insert(unnamed, 0, []byte(`"tool_call_id":`+quoted(id)))
					})
				continue
			}
			place := at(at("messages", i)+".tool_calls", k)
			if result, found := late.take(id); found {
				c.report(place, "the result of the call "+quoted(id)+" stands behind another message",
					"put it behind the message with the call", func(e *splice.Edits) {
						e.Remove(list, result.at)
						e.Insert(list, end, result.value().Raw)
					})
				continue
			}
			c.report(place, "no result follows the call "+quoted(id), "add a message with a result", func(e *splice.Edits) {
				e.Insert(list, end, []byte(`{"role":"tool","tool_call_id":`+quoted(id)+`,"content":`+quoted(noResult)+`}`))
			})
		}
	}
	for i := range messages {
		if isTool(i) && !taken[messages[i].Start] {
			mend := func(e *splice.Edits) { e.Remove(list, i) }
			if len(messages) == 1 {
				mend = nil
			}
			c.report(at("messages", i), "the result answers no call of the message before: "+
				quoted(messages[i].Get("tool_call_id").Text()), "leave it out", mend)
		}
	}
}

// chatUnnamed takes the first result without tool_call_id that may be that of a call: said has those that
// name calls in the member of other logs, open those that name no call at all.
func chatUnnamed(open, said *answers, id string) (answer, bool) {
	first, found := open.first("")
	if other, has := said.first(id); has && (!found || other.at < first.at) {
		return said.take(id)
	}
	if !found {
		return first, false
	}
	return open.take("")
}
