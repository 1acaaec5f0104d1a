package record_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// Calls whose requests were rebuilt from a log are compared in work that grows with the calls: four times the calls
// take at most five times the allocations, although their requests together are sixteen times as long.
func TestRebuiltCallsAreComparedInLinearWork(t *testing.T) {
	testrun.CountsAllocations(t)
	var work []float64
	for _, calls := range []int{40, 160} {
		s := pact.NewDB(store.NewMemory())
		i, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: "chat", Source: map[string]any{"exact": "rebuilt"}})
		must(t, err)
		said := `{"role":"user","content":"a question"}`
		for n := range calls {
			_, err := i.Add(t.Context(), record.PastCall{API: "anthropic.messages", Path: "/v1/messages", Status: 200,
				Body: []byte(`{"model":"claude-opus-4-8","messages":[` + said + `]}`),
				Answer: []byte(fmt.Sprintf(`{"type":"message","role":"assistant","content":[{"type":"text","text":"a%d"}],"usage":{"input_tokens":1,`+
					`"cache_read_input_tokens":%d,"cache_creation_input_tokens":100,"output_tokens":1}}`, n, 100*n))})
			must(t, err)
			said += fmt.Sprintf(`,{"role":"assistant","content":[{"type":"text","text":"a%d"}]},{"role":"user","content":%q}`, n, strings.Repeat("more ", 50))
		}
		c := opened(t, s, "chat")
		work = append(work, testing.AllocsPerRun(1, func() {
			n := 0
			for p, err := range prefixesOf(t.Context(), c, "", nil) {
				must(t, err)
				if p.Cut != nil || p.Lost != nil {
					t.Fatalf("%+v", p)
				}
				n++
			}
			if n != calls {
				t.Fatalf("%d calls", n)
			}
		}))
	}
	if work[1] > 5*work[0] {
		t.Errorf("40 calls take %.0f allocations, 160 take %.0f", work[0], work[1])
	}
}
