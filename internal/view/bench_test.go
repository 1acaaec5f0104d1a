package view

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/store"
)

// large is a context of 1,000 calls that each add 100 blocks, in memory. Every hundredth call
// changes the system prompt.
func large(b *testing.B) *pact.Context {
	b.Helper()
	s := pact.NewDB(store.NewMemory())
	c, err := pact.Create(b.Context(), s, "large", nil)
	if err != nil {
		b.Fatal(err)
	}
	for call := range 1000 {
		_, err := c.Commit(b.Context(), &pact.CommitOptions{Edit: func(e *pact.Batch) error {
			switch {
			case call == 0:
				e.Add("^sys", pact.Spec{ID: "system", Role: "system", Content: "Be brief."})
			case call%100 == 0:
				e.Update("system", func(s *pact.Spec) { s.Content = fmt.Sprint("Be brief. It is day ", call) })
			}
			for i := range 100 {
				e.Add("^ah", pact.Spec{ID: fmt.Sprintf("block:%d-%d", call, i), Role: []string{"user", "assistant"}[i%2],
					Kind: "text", Content: strings.Repeat("words ", 5+i)})
			}
			return nil
		}})
		if err != nil {
			b.Fatal(err)
		}
	}
	if c, err = pact.Open(b.Context(), s, "large", nil); err != nil {
		b.Fatal(err)
	}
	return c
}

func BenchmarkLarge(b *testing.B) {
	c := large(b)
	var calls []Call
	b.Run("calls", func(b *testing.B) {
		for b.Loop() {
			var err error
			if calls, err = Calls(b.Context(), c, pact.Cycle(1), pact.Latest(), Bytes); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("strata", func(b *testing.B) {
		for b.Loop() {
			p, err := Draw(b.Context(), c, calls, PictureOptions{Columns: 800, Rows: 300, Unit: Bytes})
			if err != nil {
				b.Fatal(err)
			}
			text, err := json.Marshal(p)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(len(text)), "bytes")
			b.ReportMetric(float64(p.Rows), "rows")
			b.ReportMetric(float64(len(p.Columns)), "columns")
		}
	})
	b.Run("scrub", func(b *testing.B) { // one call of a context that a reader has open
		r := NewReader(c, Bytes, nil, nil)
		if _, err := r.Calls(b.Context(), pact.Cycle(1), pact.Latest()); err != nil {
			b.Fatal(err)
		}
		cycle := int64(0)
		for b.Loop() {
			cycle = cycle%1000 + 1
			if _, err := r.Calls(b.Context(), pact.Cycle(cycle), pact.Cycle(cycle)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
