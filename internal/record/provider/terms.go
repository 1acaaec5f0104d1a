package provider

import (
	"cmp"
	"slices"

	"github.com/contexttree/pact/internal/canon"
)

// terms returns the word of an answer for its terms, "" if it is none or one of the ordinary.
func terms(word canon.Any, ordinary ...string) string {
	if word.Kind != canon.KindString || slices.Contains(ordinary, word.Text) {
		return ""
	}
	return word.Text
}

// openAITerms are the terms of an answer of OpenAI: another tier than the one that a project has without asking.
func openAITerms(tier canon.Any) string { return terms(tier, "default", "auto", "standard") }

// anthropicTerms are the terms of an answer of Anthropic: another speed, tier or place, searches, or models that it asked
// besides, whose tokens the sums of its usage lack.
func anthropicTerms(usage map[string]canon.Any) string {
	special := cmp.Or(terms(usage["speed"], "standard"), terms(usage["service_tier"], "standard"),
		terms(usage["inference_geo"], "global", "not_available"))
	for _, i := range usage["iterations"].Elems {
		special = cmp.Or(special, terms(get(i, "type"), "message"))
	}
	if n := count(usage["server_tool_use"], "web_search_requests"); n != nil && *n > 0 {
		special = cmp.Or(special, "web_search")
	}
	return special
}
