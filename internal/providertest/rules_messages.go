package providertest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// What Anthropic documents of requests (platform.claude.com/docs, read in November 2026): the API reference of
// messages, "Handle tool calls", "Extended thinking", "Prompt caching", "Errors".
var (
	toolName  = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	callID    = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	noPrefill = regexp.MustCompile(`^claude-((opus|sonnet)-4-[6-9]|(opus|sonnet|haiku)-5|fable|mythos)`)
)

// spoken is one block of a conversation, with what stands around it.
type spoken struct {
	role, kind string
	message    int // index of its message
	block      any
}

// conversation lists the blocks of messages.
func conversation(messages []any) (all []spoken) {
	for i, m := range messages {
		switch content := member(m, "content").(type) {
		case string:
			all = append(all, spoken{text(m, "role"), "text", i, object{"type": "text", "text": content}})
		case []any:
			for _, block := range content {
				all = append(all, spoken{text(m, "role"), text(block, "type"), i, block})
			}
		}
	}
	return all
}

// checkForm requires what concerns messages and blocks one by one.
func checkForm(body object) *refusal {
	messages := list(body["messages"])
	names := map[string]bool{}
	for i, tool := range list(body["tools"]) {
		name := text(tool, "name")
		if name != "" && (!toolName.MatchString(name) || names[name]) {
			return invalid(fmt.Sprintf("tools.%d.name: names match %s and are unique", i, toolName))
		}
		names[name] = true
	}
	for i, m := range messages {
		content, isText := member(m, "content").(string)
		hollow := isText && strings.TrimSpace(content) == "" || !isText && len(list(member(m, "content"))) == 0
		if hollow && (i < len(messages)-1 || text(m, "role") != "assistant") {
			return invalid(fmt.Sprintf("messages.%d: all messages must have non-empty content except for the optional "+
				"final assistant message", i))
		}
		if text(m, "role") == "system" && (i == 0 || text(messages[i-1], "role") != "user") {
			return invalid(fmt.Sprintf("messages.%d: a system message must follow a user message", i))
		}
	}
	ids := map[string]bool{}
	for _, s := range conversation(messages) {
		where := fmt.Sprintf("messages.%d", s.message)
		switch s.kind {
		case "text":
			if _, whole := member(messages[s.message], "content").(string); !whole && blank(s.block) {
				return invalid(where + ": text content blocks must contain non-whitespace text")
			}
		case "tool_use":
			if s.role != "assistant" {
				return invalid(where + ": `tool_use` blocks can only be in `assistant` messages")
			}
			id := text(s.block, "id")
			if !callID.MatchString(id) || ids[id] {
				return invalid(where + ": `tool_use` ids must be unique and match " + callID.String())
			}
			ids[id] = true
		case "tool_result":
			if s.role != "user" {
				return invalid(where + ": `tool_result` blocks can only be in `user` messages")
			}
		case "thinking":
			if text(s.block, "signature") == "" {
				return invalid(where + ".thinking.signature: Field required")
			}
		case "redacted_thinking":
			if text(s.block, "data") == "" {
				return invalid(where + ".redacted_thinking.data: Field required")
			}
		}
	}
	if slices.ContainsFunc(list(body["system"]), func(v any) bool { return text(v, "type") == "text" && blank(v) }) {
		return invalid("system: text content blocks must contain non-whitespace text")
	}
	if noPrefill.MatchString(text(body, "model")) && text(messages[len(messages)-1], "role") == "assistant" {
		return invalid("This model does not support assistant message prefill. The conversation must end with a user " +
			"message.")
	}
	return nil
}

func blank(block any) bool { return strings.TrimSpace(text(block, "text")) == "" }

// checkThinking requires what concerns a request that thinks with a budget.
func checkThinking(body object) *refusal {
	if text(body["thinking"], "type") != "enabled" {
		return nil
	}
	if budget, _ := member(body["thinking"], "budget_tokens").(float64); budget < 1024 {
		return invalid("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
	}
	if forced := text(body["tool_choice"], "type"); forced == "any" || forced == "tool" {
		return invalid("Thinking may not be enabled when tool_choice forces tool use.")
	}
	all := conversation(list(body["messages"]))
	for len(all) > 0 && all[len(all)-1].role == "system" {
		all = all[:len(all)-1]
	}
	loop := false // the request ends with a message that has results
	for k := len(all) - 1; k >= 0 && all[k].message == all[len(all)-1].message; k-- {
		loop = loop || all[k].kind == "tool_result"
	}
	if !loop {
		return nil
	}
	answer := all[len(all)-1].message - 1
	first := slices.IndexFunc(all, func(s spoken) bool { return s.message == answer })
	if first >= 0 && all[first].role == "assistant" && !strings.HasSuffix(all[first].kind, "thinking") {
		return invalid("Expected `thinking` or `redacted_thinking`, but found `" + all[first].kind + "`. When `thinking` is " +
			"enabled, a final `assistant` message must start with a thinking block.")
	}
	return nil
}

// checkOrder requires that results stand before all else in a message.
func checkOrder(messages []any) *refusal {
	other := map[int]bool{}
	for _, s := range conversation(messages) {
		if s.kind == "tool_result" && other[s.message] {
			return invalid(fmt.Sprintf("messages.%d: `tool_result` blocks must come first", s.message))
		}
		other[s.message] = other[s.message] || s.kind != "tool_result"
	}
	return nil
}

// checkMarked refuses markers where none may be, and too many in all, those inside of results too.
func checkMarked(body object) *refusal {
	var hours []bool
	var last any
	bad := ""
	var each func(v any)
	each = func(v any) {
		for _, block := range list(v) {
			last = block
			if marker, ok := member(block, "cache_control").(object); ok {
				hours = append(hours, marker["ttl"] == "1h")
				if kind := text(block, "type"); strings.HasSuffix(kind, "thinking") || kind == "text" && blank(block) {
					bad = kind
				}
			}
			if text(block, "type") == "tool_result" {
				each(member(block, "content"))
			}
		}
	}
	each(body["tools"])
	each(body["system"])
	for _, m := range list(body["messages"]) {
		each(member(m, "content"))
	}
	count := len(hours)
	if _, whole := body["cache_control"].(object); whole {
		if _, marked := member(last, "cache_control").(object); !marked {
			count++
		}
	}
	switch {
	case bad != "":
		return invalid("cache_control cannot be set for " + bad + " blocks")
	case count > mostMarkers:
		return invalid(fmt.Sprintf("A maximum of 4 blocks with cache_control may be provided. Found %d.", count))
	}
	for i := 1; i < len(hours); i++ {
		if hours[i] && !hours[i-1] {
			return invalid("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.")
		}
	}
	return nil
}
