package provider

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/splice"
)

const (
	anthropicReference = "https://platform.claude.com/docs/en/api/messages"
	anthropicCalls     = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls"
	anthropicCaching   = "https://platform.claude.com/docs/en/build-with-claude/prompt-caching"
	anthropicThinking  = "https://platform.claude.com/docs/en/build-with-claude/extended-thinking"
	anthropicPreserved = "https://platform.claude.com/docs/en/build-with-claude/preserved-thinking"
	anthropicErrors    = "https://platform.claude.com/docs/en/api/errors"
)

// The models whose prefixes bind thinking.
var anthropicBound = []string{"claude-fable-5-1", "claude-opus-5-5"}

// The models that refuse an answer that the client began.
var anthropicNoPrefill = []string{"claude-opus-4-6", "claude-sonnet-4-6", "claude-opus-4-7", "claude-opus-4-8",
	"claude-opus-5", "claude-sonnet-5", "claude-haiku-5", "claude-fable", "claude-mythos"}

var anthropicRules = []Rule{
	{Name: "required", Source: anthropicReference, check: func(c *checker) {
		c.members("model", "max_tokens")
		c.inList("messages")
	}},
	{Name: "size", Source: anthropicErrors, check: func(c *checker) {
		if len(c.Body) > 32<<20 {
			c.report("", "the request has more than 32 MB", "send less", nil)
		}
		if n := len(c.root.Get("messages").Elems); n > 100_000 {
			c.report("messages", "the request has more than 100,000 messages", "send fewer", nil)
		}
	}},
	{Name: "tool-names", Source: anthropicReference, check: func(c *checker) {
		c.toolNames("tools", c.names("tools", "name"), "_-", 128)
	}},
	{Name: "roles", Source: anthropicReference, check: anthropicRoles},
	{Name: "call-ids", Source: anthropicReference, check: anthropicIDs},
	{Name: "pairs", Source: anthropicCalls, check: anthropicPairs},
	{Name: "results-first", Source: anthropicCalls, check: anthropicResultsFirst},
	{Name: "signatures", Source: anthropicThinking, check: func(c *checker) {
		anthropicEachThinking(c.root, func(place string, list splice.Value, i int) {
			needs := "signature"
			if list.Elems[i].Get("type").Text() == "redacted_thinking" {
				needs = "data"
			}
			if list.Elems[i].Get(needs).Text() == "" {
				c.report(place, "the thinking has no "+needs, "send thinking as it came, or leave it out",
					func(e *splice.Edits) { e.Remove(list, i) })
			}
		})
	}},
	{Name: "bound-prefix", Source: anthropicPreserved, Models: anthropicBound, check: func(c *checker) {
		c.boundPrefix("the provider refuses the request or drops it",
			func(visit func(string, splice.Value, int)) { anthropicEachThinking(c.root, visit) })
	}},
	{Name: "empty-text", Source: anthropicReference, check: anthropicEmptyTexts},
	{Name: "empty-message", Source: anthropicReference, check: anthropicEmptyMessages},
	{Name: "markers", Source: anthropicCaching, check: anthropicMarkers},
	{Name: "thinking-budget", Source: anthropicThinking, check: func(c *checker) {
		thinking := c.root.Get("thinking")
		if thinking.Get("type").Text() != "enabled" {
			return
		}
		if n, err := strconv.ParseInt(string(thinking.Get("budget_tokens").Raw), 10, 64); err != nil || n < 1024 {
			c.report("thinking.budget_tokens", "the budget is less than 1,024 tokens", "give at least 1024", nil)
		}
		if choice := c.root.Get("tool_choice", "type").Text(); choice == "any" || choice == "tool" {
			c.report("tool_choice", "the request thinks and forces a call", "let tool_choice be auto or none", nil)
		}
	}},
	{Name: "thinking-in-loop", Source: anthropicThinking, check: anthropicThinkingInLoop},
	{Name: "prefill", Source: anthropicErrors, Models: anthropicNoPrefill, check: func(c *checker) {
		messages := c.root.Get("messages").Elems
		if n := len(messages) - 1; n >= 0 && messages[n].Get("role").Text() == "assistant" {
			c.report(at("messages", n), "the last message is one of the model, which this model does not continue",
				"end with a message of the user", nil)
		}
	}},
}

func anthropicRoles(c *checker) {
	list := c.root.Get("messages")
	before := ""
	for i, m := range list.Elems {
		role := m.Get("role").Text()
		switch {
		case role != "user" && role != "assistant" && role != "system":
			c.report(at("messages", i), "the role "+quoted(role)+" is none of this API", "send it as user or assistant", nil)
		case role == "system" && before != "user":
			c.report(at("messages", i), "a message of the system follows none of the user",
				"put it behind a message of the user", nil)
		case i == 0 && role == "assistant":
			c.report(at("messages", i), "the first message is one of the model", "begin with a message of the user",
				func(e *splice.Edits) {
					e.Insert(list, 0, []byte(`{"role":"user","content":"(what was said before was left out)"}`))
				})
		}
		before = role
	}
}

// anthropicEachThinking calls a function for each block of thinking.
func anthropicEachThinking(root splice.Value, visit func(place string, list splice.Value, i int)) {
	for i, m := range root.Get("messages").Elems {
		content := m.Get("content")
		for k, block := range content.Elems {
			if word := block.Get("type").Text(); word == "thinking" || word == "redacted_thinking" {
				visit(at(at("messages", i)+".content", k), content, k)
			}
		}
	}
}

// anthropicEmptyTexts reports texts that say nothing. The API refuses them.
func anthropicEmptyTexts(c *checker) {
	look := func(place string, list splice.Value) {
		for k, block := range list.Elems {
			if block.Get("type").Text() == "text" && strings.TrimSpace(block.Get("text").Text()) == "" {
				c.report(at(place, k), "the text is empty", "leave it out", func(e *splice.Edits) { e.Remove(list, k) })
			}
		}
	}
	look("system", c.root.Get("system"))
	for i, m := range c.root.Get("messages").Elems {
		look(at("messages", i)+".content", m.Get("content"))
	}
}

// anthropicEmptyMessages reports messages without content; only the last one of the model may
// be such.
func anthropicEmptyMessages(c *checker) {
	list := c.root.Get("messages")
	for i, m := range list.Elems {
		content := m.Get("content")
		empty := content.Kind == canon.KindArray && len(content.Elems) == 0 ||
			content.Kind == canon.KindString && strings.TrimSpace(content.Text()) == ""
		if !empty || i == len(list.Elems)-1 && m.Get("role").Text() == "assistant" {
			continue
		}
		mend := func(e *splice.Edits) { e.Remove(list, i) }
		if len(list.Elems) == 1 {
			mend = nil
		}
		c.report(at("messages", i), "the message is empty", "leave it out", mend)
	}
}

// anthropicThinkingInLoop wants the thinking of an answer back while its calls are answered.
func anthropicThinkingInLoop(c *checker) {
	messages := c.root.Get("messages").Elems
	last := len(messages) - 1
	for last >= 0 && messages[last].Get("role").Text() == "system" {
		last--
	}
	if last < 1 || c.root.Get("thinking", "type").Text() != "enabled" || !slices.ContainsFunc(
		messages[last].Get("content").Elems, isOf("tool_result")) {
		return
	}
	// The calls of a turn may spread over several answers; the first one began with thinking.
	said := messages[last-1].Get("content").Elems
	if messages[last-1].Get("role").Text() != "assistant" || len(said) == 0 {
		return
	}
	if word := said[0].Get("type").Text(); word != "thinking" && word != "redacted_thinking" {
		c.report(at("messages", last-1), "an answer whose calls are under way begins without its thinking",
			"send the thinking with it, or turn thinking off", nil)
	}
}

// isOf returns a test for blocks of a type.
func isOf(word string) func(splice.Value) bool {
	return func(v splice.Value) bool { return v.Get("type").Text() == word }
}
