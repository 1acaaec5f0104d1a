package canon_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/testrun"
)

// TestWeightFollowsParsing: whatever a text is made of, parsing allocates about what its weight says.
// A list that grows allocates its elements two or three times, of which the weight counts one.
func TestWeightFollowsParsing(t *testing.T) {
	testrun.CountsAllocations(t)
	list := func(one string) string { return "[" + strings.Repeat(one+",", 9_999) + one + "]" }
	for name, text := range map[string]string{
		"messages": list(`{"role":"user","content":"a"}`),
		"numbers":  list(`1`),
		"lists":    list(`[]`),
		"objects":  list(`{}`),
		"nested":   list(`{"a":{"b":[{"c":null}]}}`),
		"texts":    list(`"` + strings.Repeat("word ", 50) + `"`),
		"one text": `"` + strings.Repeat("a,b[{", 100_000) + `"`,
		"escapes":  list(`"\"\\\n"`),
		"members":  `{"a":1` + strings.Repeat(`,"b":[true]`, 10_000) + `}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := canon.ParseAny([]byte(text)); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		took, weight := int64(after.TotalAlloc-before.TotalAlloc), canon.Weight([]byte(text))
		if 2*took > 5*weight || weight > 2*took {
			t.Errorf("%s: parsing allocates %d bytes, the weight is %d", name, took, weight)
		}
	}
}
