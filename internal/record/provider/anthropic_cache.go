package provider

import "time"

var anthropicCache = &CacheRules{
	Name: "anthropic",
	Sources: []string{
		"https://platform.claude.com/docs/en/build-with-claude/prompt-caching",
		"https://platform.claude.com/docs/en/build-with-claude/cache-diagnostics",
		"https://platform.claude.com/docs/en/build-with-claude/thinking",
		"https://github.com/anthropics/claude-code/issues/24168",
	},
	Settings: []Setting{
		{Path: []string{"speed"}, From: System},
		{Cites: true, From: System},
		{Path: []string{"tool_choice"}, From: Conversation},
		{Path: []string{"thinking"}, From: Conversation},
		{Path: []string{"output_config"}, From: Conversation},
		{Holds: "image", From: Conversation},
	},
	Stripped: "x-anthropic-billing-header:",
	// Opus before 4.5, Sonnet before 4.6, and Haiku up to 4.5.
	Forgets: []string{"claude-3", "claude-opus-4-0", "claude-opus-4-1", "claude-opus-4-2025", "claude-sonnet-4-0",
		"claude-sonnet-4-2025", "claude-sonnet-4-5", "claude-haiku-4-5"},
	Marked:   true,
	LookBack: 20,
	Step:     1,
	Least: []Least{
		{[]string{"claude-opus-5", "claude-fable-5", "claude-mythos-5"}, 512},
		{[]string{"claude-opus-4-5", "claude-opus-4-6", "claude-haiku-4-5"}, 4096},
		{[]string{"claude-opus-4-7", "claude-3-5-haiku", "claude-3-haiku"}, 2048},
		{[]string{"claude"}, 1024},
	},
	Lifetimes: []Lifetime{
		{Word: "1h", Sure: time.Hour, Most: time.Hour},
		{Word: "5m", Sure: 5 * time.Minute, Most: 5 * time.Minute},
		{Sure: 5 * time.Minute, Most: 5 * time.Minute},
	},
}

// asksAnthropic asks in the field diagnostics.
func asksAnthropic(r *Request, previous string) string {
	if _, has := r.Parameters.Get("diagnostics"); has {
		return ""
	}
	if previous == "" {
		return `"diagnostics":{"previous_message_id":null}`
	}
	return `"diagnostics":{"previous_message_id":"` + previous + `"}`
}
