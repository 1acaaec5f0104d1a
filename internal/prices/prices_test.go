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
