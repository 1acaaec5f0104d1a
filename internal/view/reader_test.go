package view

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/testrun"
)

// TestReadersAgreeWithModel asks readers that follow a growing context, with attempts that
// begin and end, what a fresh look says.
func TestReadersAgreeWithModel(t *testing.T) {
	for seed := range testrun.Size(t, 20, 60, 600) {
		random := rand.New(rand.NewPCG(uint64(seed), 16))
		c := shape{calls: 3, blocks: 5, comb: seed%2 == 0}.make(t)
		r := NewReader(c, Bytes, nil, nil)
		var running string
		for range 12 {
			switch random.IntN(4) {
			case 0:
				_, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
					b.Add("^ah", pact.Spec{Role: "user", Content: "more", TTL: new(int64(3))})
					return nil
				}})
				must(t, err)
				r = NewReader(c, Bytes, nil, r)
			case 1:
				if running == "" {
					a, err := c.StartAttempt(t.Context(), pact.ProviderCall{Provider: "p", Model: "m"}, io.Discard, nil)
					must(t, err)
					running = a.ID
				}
			case 2:
				if running != "" {
					in := random.Int64N(100)
					_, err := c.EndAttempt(t.Context(), pact.Outcome{ID: running, Status: history.Completed, TokenIn: &in})
					must(t, err)
					running = ""
				}
			}
			last := c.Info().Cycle
			from := 1 + random.Int64N(last)
			got, err := r.Calls(t.Context(), pact.Cycle(from), "latest")
			must(t, err)
			want, err := NewReader(c, Bytes, nil, nil).Calls(t.Context(), pact.Cycle(from), "latest")
			must(t, err)
			compareJSON(t, got, want)
			o := PictureOptions{Columns: 1 + random.IntN(3), Rows: 20, Unit: Bytes}
			picture, err := r.Draw(t.Context(), pact.Cycle(from), "latest", o)
			must(t, err)
			fresh, err := Draw(t.Context(), c, want, o)
			must(t, err)
			compareJSON(t, picture, fresh)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func compareJSON(t *testing.T, got, want any) {
	t.Helper()
	a, err := json.Marshal(got)
	must(t, err)
	b, err := json.Marshal(want)
	must(t, err)
	if string(a) != string(b) {
		t.Errorf("%s\nwant %s", a, b)
	}
}
