package provider

import (
	"slices"

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
		for i, m := range c.root.Get("messages").Elems {
			if role := m.Get("role").Text(); !slices.Contains(chatRoles, role) {
				c.report(at("messages", i), "the role "+quoted(role)+" is none of this API", "send it as user or assistant", nil)
			}
		}
	}},
	{Name: "content", Source: chatReference, check: chatContent},
	{Name: "pairs", Source: openAICalls, check: chatPairs},
	{Name: "tools", Source: chatReference, check: func(c *checker) {
		tools := c.root.Get("tools").Elems
		if len(tools) > 128 {
			c.report("tools", "the request has more than 128 tools", "send fewer", nil)
		}
		var names []string
		for _, tool := range tools {
			names = append(names, tool.Get("function", "name").Text())
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

var chatRoles = []string{"system", "developer", "user", "assistant", "tool", "function"}

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
		calls := m.Get("tool_calls").Elems
		end := i + 1 // of the results
		for isTool(end) {
			end++
		}
		if m.Get("role").Text() != "assistant" {
			continue
		}
		for k, call := range calls {
			id := call.Get("id").Text()
			find := func(from, to int) int {
				for j := from; j < to; j++ {
					if isTool(j) && !taken[j] && messages[j].Get("tool_call_id").Text() == id {
						taken[j] = true
						return j
					}
				}
				return -1
			}
			if find(i+1, end) >= 0 {
				continue
			}
			if j := chatUnnamed(messages[:end], i+1, id, taken); j >= 0 {
				taken[j] = true
				c.report(at("messages", j), "the result of the call "+quoted(id)+" does not name it",
					"name the call in tool_call_id", func(e *splice.Edits) {
						e.RemoveMember(messages[j], "tool_call_id")
						e.Insert(messages[j], 0, []byte(`"tool_call_id":`+quoted(id)))
					})
				continue
			}
			place := at(at("messages", i)+".tool_calls", k)
			if late := find(end, nextWithCalls(messages, i)); late >= 0 {
				c.report(place, "the result of the call "+quoted(id)+" stands behind another message",
					"put it behind the message with the call", func(e *splice.Edits) {
						e.Remove(list, late)
						e.Insert(list, end, messages[late].Raw)
					})
				continue
			}
			c.report(place, "no result follows the call "+quoted(id), "add a message with a result", func(e *splice.Edits) {
				e.Insert(list, end, []byte(`{"role":"tool","tool_call_id":`+quoted(id)+`,"content":`+quoted(noResult)+`}`))
			})
		}
	}
	for i := range messages {
		if isTool(i) && !taken[i] {
			mend := func(e *splice.Edits) { e.Remove(list, i) }
			if len(messages) == 1 {
				mend = nil
			}
			c.report(at("messages", i), "the result answers no call of the message before: "+
				quoted(messages[i].Get("tool_call_id").Text()), "leave it out", mend)
		}
	}
}

// chatUnnamed finds the first result without tool_call_id that may be that of a call: it names the call in
// the member of other logs, or no call at all. It returns -1 for none.
func chatUnnamed(messages []splice.Value, from int, id string, taken map[int]bool) int {
	for j := from; j < len(messages); j++ {
		ids := messages[j].Get(answeredIDs).Elems
		names := func(v splice.Value) bool { return v.Text() == id }
		if !taken[j] && messages[j].Get("tool_call_id").Text() == "" && (len(ids) == 0 || slices.ContainsFunc(ids, names)) {
			return j
		}
	}
	return -1
}

// nextWithCalls returns the index of the next message with calls, or the number of messages.
func nextWithCalls(messages []splice.Value, i int) int {
	for i++; i < len(messages) && len(messages[i].Get("tool_calls").Elems) == 0; i++ {
	}
	return i
}
