package providertest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Anthropic clears results of tools and thinking on its own servers, before the model reads a request
// (platform.claude.com/docs/en/build-with-claude/context-editing, read in November 2026). The page leaves open whether
// uses of excluded tools count among those that stay; here they do not.
const (
	clearingBeta   = "context-management-2025-06-27"
	compactionBeta = "compact-2026-01-12"
	placeholder    = "[Old tool result cleared]" // the page does not quote the provider's text
)

// The members that an edit may have, by its type.
var edits = map[string][]string{
	"clear_tool_uses_20250919": {"type", "trigger", "keep", "clear_at_least", "exclude_tools", "clear_tool_inputs"},
	"clear_thinking_20251015":  {"type", "keep"},
	"compact_20260112":         {"type", "trigger", "pause_after_compaction", "instructions"},
}

// checkEdits refuses what the page does not document.
func checkEdits(h http.Header, body object) *refusal {
	field, has := body["context_management"]
	if !has || field == nil {
		return nil
	}
	betas := strings.Join(h.Values("Anthropic-Beta"), ",")
	if !strings.Contains(betas, clearingBeta) && !strings.Contains(betas, compactionBeta) {
		return invalid("context_management: Extra inputs are not permitted")
	}
	if unknown := strangers(field, "edits"); unknown != "" {
		return invalid("context_management." + unknown + ": Extra inputs are not permitted")
	}
	for i, e := range list(member(field, "edits")) {
		where := fmt.Sprintf("context_management.edits.%d", i)
		kind := text(e, "type")
		if edits[kind] == nil {
			return invalid(where + ".type: Input tag '" + kind + "' is none of the expected tags")
		}
		if unknown := strangers(e, edits[kind]...); unknown != "" {
			return invalid(where + "." + unknown + ": Extra inputs are not permitted")
		}
		if kind == "clear_thinking_20251015" && i > 0 {
			return invalid(where + ": clear_thinking must be listed first")
		}
		if kind == "clear_thinking_20251015" && member(e, "keep") != "all" && member(e, "keep") != nil &&
			!counts(member(e, "keep"), 1, "thinking_turns") {
			return invalid(where + ".keep: Input should be 'all', or thinking_turns greater than 0")
		}
		if kind == "clear_tool_uses_20250919" {
			for _, number := range [][]string{{"trigger", "input_tokens", "tool_uses"}, {"keep", "tool_uses"},
				{"clear_at_least", "input_tokens"}} {
				name, units := number[0], number[1:]
				if v := member(e, name); v != nil && !counts(v, 0, units...) {
					return invalid(where + "." + name + ": Input should be a valid number of " + strings.Join(units, ", "))
				}
			}
		}
	}
	return nil
}

// strangers names a member that is none of the allowed ones, "" for none.
func strangers(v any, allowed ...string) string {
	o, _ := v.(object)
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(allowed, name) {
			return name
		}
	}
	return ""
}

// counts reports whether a value is a number in one of some units, and no less than the least.
func counts(v any, least float64, units ...string) bool {
	n, ok := member(v, "value").(float64)
	return ok && n >= least && n == float64(int(n)) && slices.Contains(units, text(v, "type")) &&
		strangers(v, "type", "value") == ""
}

// cleared returns a request as the model reads it, and what the answer says about that; nil if the request asks
// for nothing.
func cleared(body object) (object, []object) {
	var applied []object
	for _, e := range list(member(body["context_management"], "edits")) {
		if text(e, "type") != "clear_tool_uses_20250919" {
			continue
		}
		now, uses := clearUses(body, e)
		if uses == 0 {
			continue
		}
		less := size(body) - size(now)
		if floor, ok := member(member(e, "clear_at_least"), "value").(float64); ok && less < int(floor) {
			continue
		}
		body = now
		applied = append(applied, object{"type": text(e, "type"), "cleared_tool_uses": uses, "cleared_input_tokens": less})
	}
	return body, applied
}

// clearUses puts a placeholder in place of the results of the oldest uses, if the request exceeds the trigger, and
// says of how many.
func clearUses(body object, e any) (object, int) {
	var uses []any
	for _, s := range conversation(list(body["messages"])) {
		if s.kind == "tool_use" {
			uses = append(uses, s.block)
		}
	}
	limit, keep := 100000, 3
	if n, ok := member(member(e, "trigger"), "value").(float64); ok {
		limit = int(n)
	}
	if n, ok := member(member(e, "keep"), "value").(float64); ok {
		keep = int(n)
	}
	reached := size(body)
	if text(member(e, "trigger"), "type") == "tool_uses" {
		reached = len(uses)
	}
	if reached <= limit {
		return body, 0
	}
	uses = slices.DeleteFunc(uses, func(use any) bool {
		return slices.Contains(list(member(e, "exclude_tools")), any(text(use, "name")))
	})
	old := map[string]bool{}
	for _, use := range uses[:max(0, len(uses)-keep)] {
		old[text(use, "id")] = true
	}
	var messages []any
	for _, m := range list(body["messages"]) {
		parts, isList := member(m, "content").([]any)
		if isList {
			bare := without(m.(object), "content")
			bare["content"] = clearParts(parts, old, member(e, "clear_tool_inputs") == true)
			m = bare
		}
		messages = append(messages, m)
	}
	now := without(body, "messages")
	now["messages"] = messages
	return now, len(old)
}

func clearParts(parts []any, old map[string]bool, inputs bool) []any {
	now := slices.Clone(parts)
	for i, part := range parts {
		switch {
		case text(part, "type") == "tool_result" && old[text(part, "tool_use_id")]:
			bare := without(part.(object), "content")
			bare["content"] = placeholder
			now[i] = bare
		case text(part, "type") == "tool_use" && inputs && old[text(part, "id")]:
			bare := without(part.(object), "input")
			bare["input"] = object{}
			now[i] = bare
		}
	}
	return now
}

// size counts the tokens of a request.
func size(body object) (n int) {
	for _, b := range cachedBlocks(body) {
		n += tokens(b.text)
	}
	return n
}
