package provider

import (
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/splice"
)

const (
	responsesReference = "https://developers.openai.com/api/reference/resources/responses"
	responsesReasoning = "https://developers.openai.com/api/docs/guides/reasoning"
	responsesFollowing = "https://openai.github.io/openai-agents-python/running_agents/"
	openAIPrefix       = "https://developers.openai.com/api/docs/guides/keep-prefix-unchanged"
)

// The models that drop reasoning behind a changed prefix.
var openAIBound = []string{"gpt-6.2"}

var responsesRules = []Rule{
	{Name: "required", Source: responsesReference, check: func(c *checker) {
		if !c.root.Get("prompt").Is() {
			c.members("model")
		}
		if list := c.root.Get("input"); list.Kind == canon.KindArray && len(list.Elems) == 0 {
			c.report("input", "the list of items is empty", "send at least one", nil)
		}
		previous, conversation := c.root.Get("previous_response_id"), c.root.Get("conversation")
		if previous.Kind == canon.KindString && conversation.Is() && conversation.Kind != canon.KindNull {
			c.report("previous_response_id", "the request names an answer before and a conversation", "name one of them", nil)
		}
	}},
	{Name: "roles", Source: responsesReference, check: func(c *checker) {
		c.roles("input", false, "user", "assistant", "system", "developer")
	}},
	{Name: "pairs", Source: openAICalls, check: responsesPairs},
	{Name: "reasoning-stored", Source: responsesReasoning, check: func(c *checker) {
		list := c.root.Get("input")
		if string(c.root.Get("store").Raw) != "false" {
			return
		}
		for i, item := range list.Elems {
			if isOf("reasoning")(item) && item.Get("encrypted_content").Text() == "" {
				c.report(at("input", i), "nothing is stored, and the reasoning has no encrypted_content",
					"ask for reasoning.encrypted_content and send it back, or leave the item out",
					func(e *splice.Edits) { e.Remove(list, i) })
			}
		}
	}},
	{Name: "bound-prefix", Source: openAIPrefix, Models: openAIBound, check: func(c *checker) {
		list := c.root.Get("input")
		c.boundPrefix("the provider drops it", func(visit func(string, splice.Value, int)) {
			for i, item := range list.Elems {
				if isOf("reasoning")(item) {
					visit(at("input", i), list, i)
				}
			}
		})
	}},
	{Name: "reasoning-followed", Source: responsesFollowing, check: responsesFollowed},
	{Name: "tool-names", Source: responsesReference, check: func(c *checker) {
		var names []string
		for _, tool := range c.root.Get("tools").Elems {
			name := ""
			if isOf("function")(tool) {
				name = tool.Get("name").Text()
			}
			names = append(names, name)
		}
		c.toolNames("tools", names, "_-", 64)
	}},
	{Name: "limits", Source: responsesReference, check: func(c *checker) { c.metadata() }},
}

// answered names the items of calls that the client answers, with the items of their results.
var answered = map[string]string{
	"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output",
	"computer_call": "computer_call_output",
}

// responsesPairs requires an output behind each call, and a call before each output. The call of
// an output may be one that the provider stores.
func responsesPairs(c *checker) {
	list := c.root.Get("input")
	called, outputs, behind := map[string]bool{}, answersFor(map[int]bool{}), 0
	stored := c.root.Get("previous_response_id").Kind == canon.KindString
	if v := c.root.Get("conversation"); v.Is() && v.Kind != canon.KindNull {
		stored = true
	}
	stored = stored || slices.ContainsFunc(list.Elems, isOf("item_reference"))
	for i, item := range list.Elems {
		if strings.HasSuffix(item.Get("type").Text(), "_call_output") {
			outputs.add(item.Get("call_id").Text(), list, i)
		}
	}
	for i, item := range list.Elems {
		word, id := item.Get("type").Text(), item.Get("call_id").Text()
		if strings.HasSuffix(word, "_call_output") {
			outputs.taken[item.Start] = true // no later call has it
			if !called[id] && !stored {
				c.report(at("input", i), "the output answers no call before it: "+quoted(id), "leave it out",
					mendUnlessLast(list, i))
			}
			continue
		}
		if id == "" {
			continue
		}
		called[id] = true
		if answered[word] == "" || word == "computer_call" && stored {
			continue
		}
		if _, found := outputs.take(id); found {
			continue
		}
		if word == "computer_call" { // its output is an image
			c.report(at("input", i), "no output follows the call "+quoted(id), "add its output", nil)
			continue
		}
		if behind <= i {
			behind = behindCalls(list.Elems, i)
		}
		c.report(at("input", i), "no output follows the call "+quoted(id), "add an output", func(e *splice.Edits) {
			e.Insert(list, behind, []byte(`{"type":"`+answered[word]+`","call_id":`+quoted(id)+
				`,"output":`+quoted(noResult)+`}`))
		})
	}
}

// mendUnlessLast removes an element unless the list would be empty.
func mendUnlessLast(list splice.Value, i int) func(e *splice.Edits) {
	if len(list.Elems) == 1 {
		return nil
	}
	return func(e *splice.Edits) { e.Remove(list, i) }
}

// behindCalls returns the index behind the items of the model that begin with the i-th.
func behindCalls(items []splice.Value, i int) int {
	for i++; i < len(items); i++ {
		if word := items[i].Get("type").Text(); answered[word] == "" && word != "reasoning" {
			break
		}
	}
	return i
}

// responsesFollowed requires that reasoning with an id is followed by an item of the model.
func responsesFollowed(c *checker) {
	list := c.root.Get("input")
	for i, item := range list.Elems {
		if !isOf("reasoning")(item) || item.Get("id").Text() == "" {
			continue
		}
		next := splice.Value{}
		if i+1 < len(list.Elems) {
			next = list.Elems[i+1]
		}
		word, role := next.Get("type").Text(), next.Get("role").Text()
		said := role == "assistant" || role == "" && word != "" && !strings.HasSuffix(word, "_output")
		if !said {
			c.report(at("input", i), "reasoning with an id is followed by no item of the model",
				"send the item that came behind it, or leave the reasoning out", mendUnlessLast(list, i))
		}
	}
}
