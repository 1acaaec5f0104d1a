package prices_test

import (
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/prices"
)

// Each built-in price has a page where it was read.
func TestBuiltInPricesHaveSources(t *testing.T) {
	for _, m := range prices.BuiltIn().Models {
		if !strings.HasPrefix(m.Source, "https://") || strings.HasSuffix(m.Model, "-") {
			t.Errorf("%s: the source is %q", m.Model, m.Source)
		}
	}
}

// A model has the price of its maker under the names that programs write, and a router's has none.
func TestAModelHasOnePriceUnderItsNames(t *testing.T) {
	for name, input := range map[string]float64{"claude-opus-4-8": 5, "anthropic/claude-opus-4.8": 5, "anthropic/claude-opus-4-8-20260301": 5,
		"openai/gpt-5.4": 2.5, "google/gemini-3-pro-preview": 2, "qwen/qwen3-coder-plus": 1, "qwen3-coder-plus-2025-09-23": 1,
		"gemini/gemini-2.5-pro": 1.25, "models/gemini-2.5-pro": 1.25, "dashscope/qwen3-max": 1.2, "gemini/x/gemini-2.5-pro": 0,
		"openrouter/anthropic/claude-opus-4.8": 0, "openai/gpt-5.4/x": 0, "claude-opus-4.8": 0, "qwen3-coder": 0} {
		price, known := prices.BuiltIn().Model(name)
		if price.Input != input || known != (input > 0) {
			t.Errorf("%s costs %g, want %g", name, price.Input, input)
		}
	}
}
