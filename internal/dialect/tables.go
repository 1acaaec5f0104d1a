package dialect

import (
	"time"

	"github.com/contexttree/pact/internal/api"
)

var anthropic = &Dialect{
	Name: "anthropic",
	Sources: []string{
		"https://platform.claude.com/docs/en/build-with-claude/prompt-caching",
		"https://platform.claude.com/docs/en/build-with-claude/cache-diagnostics",
		"https://platform.claude.com/docs/en/build-with-claude/thinking",
		"https://github.com/anthropics/claude-code/issues/24168",
	},
	Settings: []Setting{
		{Path: []string{"speed"}, From: api.System},
		{Cites: true, From: api.System},
		{Path: []string{"tool_choice"}, From: api.Conversation},
		{Path: []string{"thinking"}, From: api.Conversation},
		{Path: []string{"output_config"}, From: api.Conversation},
		{Holds: "image", From: api.Conversation},
	},
	Apart: "x-anthropic-billing-header:",
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

// OpenAI's models that cache at breakpoints of their own choice.
var breakpointModels = []string{"gpt-5.6", "gpt-6"}

// Beginnings of the names of OpenAI's models. Other servers use the same API
// with other models.
var openAIModels = []string{"gpt-", "chatgpt-", "codex-", "o1", "o3", "o4"}

// Diagnoses reports whether OpenAI says, for calls of a model, why they did not
// read all of its cache. For other models it refuses the question.
func Diagnoses(model string) bool { return begins(model, breakpointModels) }

var openAISources = []string{
	"https://developers.openai.com/api/docs/guides/prompt-caching",
	"https://developers.openai.com/api/docs/guides/prompt-caching/diagnostics",
}

var openAILifetimes = []Lifetime{
	{Models: breakpointModels, Word: "12h", Sure: 12 * time.Hour},
	{Models: breakpointModels, Word: "30m", Sure: 30 * time.Minute},
	{Models: breakpointModels, Sure: 30 * time.Minute},
	{Models: openAIModels, Word: "24h", Sure: 5 * time.Minute, Most: 24 * time.Hour},
	{Models: []string{"gpt-5.5"}, Sure: 5 * time.Minute, Most: 24 * time.Hour},
	{Models: openAIModels, Word: "in_memory", Sure: 5 * time.Minute, Most: time.Hour},
	{Models: openAIModels, Sure: 5 * time.Minute, Most: time.Hour},
}

var openAIChat = &Dialect{
	Name: "openai-chat", Sources: openAISources,
	Settings: []Setting{
		{Path: []string{"reasoning_effort"}, From: api.Tools},
		{Path: []string{"verbosity"}, From: api.Tools},
		{Path: []string{"response_format"}, From: api.Tools},
		{Path: []string{"service_tier"}, From: api.Tools},
		{Path: []string{"prompt_cache_key"}, From: api.Tools},
	},
	Step:      128,
	Least:     []Least{{openAIModels, 1024}},
	Lifetimes: openAILifetimes,
}

var openAIResponses = &Dialect{
	Name: "openai-responses", Sources: openAISources,
	Settings: []Setting{
		{Path: []string{"reasoning", "effort"}, From: api.Tools},
		{Path: []string{"text"}, From: api.Tools},
		{Path: []string{"service_tier"}, From: api.Tools},
		{Path: []string{"prompt_cache_key"}, From: api.Tools},
	},
	Step:      128,
	Least:     []Least{{openAIModels, 1024}},
	Lifetimes: openAILifetimes,
}

// Google documents that it caches prefixes and from which length on, but not
// which parameters count or how long a prefix stays.
var gemini = &Dialect{
	Name:    "gemini",
	Sources: []string{"https://ai.google.dev/gemini-api/docs/caching"},
	Settings: []Setting{
		{Path: []string{"cachedContent"}, From: api.Tools},
	},
	Least: []Least{
		{[]string{"gemini-2.5"}, 2048},
		{[]string{"gemini-"}, 4096},
	},
}

var other = &Dialect{Name: "other", AsSent: true}
