package provider

// Google documents that it caches prefixes and from which length on, but not
// which parameters count or how long a prefix stays.
var geminiCache = &CacheRules{
	Name:    "gemini",
	Sources: []string{"https://ai.google.dev/gemini-api/docs/caching"},
	Settings: []Setting{
		{Path: []string{"cachedContent"}, From: Tools},
	},
	Least: []Least{
		{[]string{"gemini-2.5"}, 2048},
		{[]string{"gemini-"}, 4096},
	},
}
