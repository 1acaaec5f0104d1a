package provider

import "time"

// OpenAI's models that cache at breakpoints of their own choice.
var breakpointModels = []string{"gpt-5.6", "gpt-6"}

// Beginnings of the names of OpenAI's models. Other servers use the same API
// with other models.
var openAIModels = []string{"gpt-", "chatgpt-", "codex-", "o1", "o3", "o4"}

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

var chatCache = &CacheRules{
	Name: "openai", Sources: openAISources,
	Settings: []Setting{
		{Path: []string{"reasoning_effort"}, From: Tools},
		{Path: []string{"verbosity"}, From: Tools},
		{Path: []string{"response_format"}, From: Tools},
		{Path: []string{"service_tier"}, From: Tools},
		{Path: []string{"prompt_cache_key"}, From: Tools},
	},
	Step:      128,
	Least:     []Least{{openAIModels, 1024}},
	Lifetimes: openAILifetimes,
}

var responsesCache = &CacheRules{
	Name: "responses", Sources: openAISources,
	Settings: []Setting{
		{Path: []string{"reasoning", "effort"}, From: Tools},
		{Path: []string{"text"}, From: Tools},
		{Path: []string{"service_tier"}, From: Tools},
		{Path: []string{"prompt_cache_key"}, From: Tools},
	},
	Step:      128,
	Least:     []Least{{openAIModels, 1024}},
	Lifetimes: openAILifetimes,
}

// asksResponses asks in the field prompt_cache_options. For models without breakpoints OpenAI refuses it.
func asksResponses(r *Request, previous string) string {
	if _, has := r.Parameters.Get("prompt_cache_options"); has || previous == "" || !matchesModel(r.Model, breakpointModels) {
		return ""
	}
	return `"prompt_cache_options":{"comparison_response_id":"` + previous + `"}`
}
