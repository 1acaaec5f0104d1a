package simulate_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/simulate"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// Twelve calls: the first result, of 400 words, stands in all of them, is never quoted, and comes a
// second time in the fourth call, which repeats the arguments of the first. A rule helps with each.
func TestFindings(t *testing.T) {
	big := words("abcdefghijklmnopqrstuvwxyz", 400)
	results := []string{big, "b", "c", big, "b"}
	for i := range 7 {
		results = append(results, fmt.Sprint("result ", i))
	}
	report, err := simulate.Findings(context.Background(), conversed(t, results...), simulate.Options{Counter: wordCounter{},
		Prices: priced(0.1, 1.25), Model: "m", Dialect: "gemini"})
	if err != nil {
		t.Fatal(err)
	}
	list := report.Findings
	check := func(f simulate.Finding, what, node string, tokens int64, cost float64) {
		t.Helper()
		if f.What != what || f.Node != node || f.Tokens != tokens || f.Cost == nil || fmt.Sprintf("%.3f", *f.Cost) != fmt.Sprintf("%.3f", cost) ||
			f.Helps == nil || *f.Saves <= 0 {
			t.Errorf("got %+v, cost %v", f, *f.Cost)
		}
	}
	if len(list) < 2 {
		t.Fatalf("got %+v", list)
	}
	check(list[0], simulate.CarriedLong, "r0", 400*12, 400*11*0.1+400*1.25)
	again := list[slices.IndexFunc(list, func(f simulate.Finding) bool { return f.What == simulate.CalledAgain })]
	check(again, simulate.CalledAgain, "c3", 400, 400*1.25)
	// c4 repeats c1. What the rule saves is that of the run, and is said once.
	helped := map[string]int{}
	for _, f := range list {
		if f.Helps != nil {
			helped[f.What]++
		}
	}
	twice := len(slices.DeleteFunc(slices.Clone(list), func(f simulate.Finding) bool { return f.What != simulate.CalledAgain }))
	if twice < 2 || helped[simulate.CalledAgain] != 1 || helped[simulate.CarriedLong] != 1 {
		t.Errorf("%d calls were repeated, and rules help %v times", twice, helped)
	}
}

// The run leaves out its first call and result, of 51 words, and sends the other 11 again, which it would have
// read for 0.1 each in place of 1.25. A summary of 20 words that comes instead is not sent again.
func TestFindingsOfACompaction(t *testing.T) {
	ctx := context.Background()
	c := conversed(t, words("a", 50), words("b", 10))
	q, err := selector.Parse("^seq .mt:depth(2)", c.Edition())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Commit(ctx, &pact.CommitOptions{Pruning: &pact.Pruning{Select: []*selector.Selector{q}},
		Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{ID: "summary", Role: "user", Kind: "text", Offset: 1, Content: words("s", 20)})
			return nil
		}}); err != nil {
		t.Fatal(err)
	}
	report, err := simulate.Findings(ctx, c, simulate.Options{Counter: wordCounter{}, Prices: priced(0.1, 1.25), Model: "m",
		Dialect: "gemini"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range report.Findings {
		got = append(got, fmt.Sprintf("%s %d %d %.2f", f.What, f.Cycle, f.Tokens, *f.Cost))
	}
	want := []string{"compaction 3 50 62.50", "prefix 3 11 12.65"} // the result alone counts as lost
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A provider that told of a write for an hour was sent markers for an hour: 100 words are written at 2.
func TestARunThatWroteForAnHour(t *testing.T) {
	ctx := context.Background()
	c, err := pact.Create(ctx, pact.NewDB(store.NewMemory()), "run", nil)
	if err != nil {
		t.Fatal(err)
	}
	told, err := history.PackRequest(`{"about":{"written":100,"written_1h":100}}`)
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.StartAttempt(ctx, pact.ProviderCall{Provider: "p", Model: "m", Edit: func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "says", Role: "user", Kind: "text", Offset: 1, Content: words("a", 100)})
		return nil
	}}, io.Discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.EndAttempt(ctx, a.ID, pact.Outcome{Status: history.Completed, Request: told}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Commit(ctx, nil); err != nil {
		t.Fatal(err)
	}
	prices := priced(0.1, 1.25)
	prices.Models[0].CacheWrite1h *= 2 / 1.25
	r, err := simulate.Run(ctx, c, simulate.Options{Counter: wordCounter{}, Prices: prices, Dialect: "anthropic"})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Outcomes[0]; got.Written != 100 || fmt.Sprintf("%.3f", *got.Cost) != "200.000" {
		t.Errorf("wrote %d tokens for %.3f, want 100 for 200", got.Written, *got.Cost)
	}
}
