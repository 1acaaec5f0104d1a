package simulate_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/simulate"
	"github.com/contexttree/pact/internal/testrun"
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
	must(t, err)
	list := report.Findings
	check := func(f simulate.Finding, what, node string, tokens int64, cost float64) {
		t.Helper()
		if f.What != what || f.Node != node || f.Tokens == nil || *f.Tokens != tokens || f.Cost == nil || fmt.Sprintf("%.3f", *f.Cost) != fmt.Sprintf("%.3f", cost) ||
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
	_, err := c.Commit(ctx, &pact.CommitOptions{Pruning: &pact.Pruning{Select: []string{"^seq .mt:depth(2)"}},
		Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{ID: "summary", Role: "user", Kind: "text", Offset: 1, Content: words("s", 20)})
			return nil
		}})
	must(t, err)
	// The fourth call makes the first one again, and writes its result of 50 words.
	_, err = c.Commit(ctx, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "again", Role: "assistant", Kind: "call", Offset: 1, Content: map[string]any{"name": "read", "arguments": "0"}})
		b.Add("^ah", pact.Spec{ID: "result", Role: "tool", Kind: "result", Offset: 1, Content: words("a", 50), Refs: []string{"again"}})
		return nil
	}})
	must(t, err)
	report, err := simulate.Findings(ctx, c, simulate.Options{Counter: wordCounter{}, Prices: priced(0.1, 1.25), Model: "m",
		Dialect: "gemini"})
	must(t, err)
	var got []string
	for _, f := range report.Findings {
		got = append(got, fmt.Sprintf("%s %d %s %d %.2f: %s", f.What, f.Cycle, f.Node, *f.Tokens, *f.Cost, f.Says))
	}
	want := []string{ // the result alone counts as lost
		"compaction 3  50 62.50: call 3 left out 1 result of 50 tokens that the call before had sent; call 4 asked for r0 again",
		"prefix 3 c0 11 12.65: call 3 sent 11 tokens again (computed), because call c0 was pruned by name (seen)"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Two tools of 30 and 20 words are defined in three calls, and one of them is called. The other cost 1.25 for writing
// its 20 words, and twice 0.1 for reading them. No rule helps: managing takes no tool away. What moves to another place with the same
// words is sent again and is not new.
func TestFindingsOfTools(t *testing.T) {
	ctx := context.Background()
	c, err := pact.Create(ctx, pact.NewDB(store.NewMemory()), "run", nil)
	must(t, err)
	commit := func(edit func(b *pact.Batch) error) {
		t.Helper()
		_, err = c.Commit(ctx, &pact.CommitOptions{Edit: edit})
		must(t, err)
	}
	tool := func(name string, n int) map[string]any {
		return map[string]any{"name": name, "description": words("about", n)}
	}
	commit(func(b *pact.Batch) error {
		b.Add("^sys", pact.Spec{ID: "used", Role: "system", Kind: "tool", Content: tool("read", 30)})
		b.Add("^sys", pact.Spec{ID: "other", Role: "system", Kind: "tool", Content: tool("it's", 20)})
		b.Add("^ah", pact.Spec{ID: "q", Role: "user", Kind: "text", Content: "go"})
		return nil
	})
	commit(func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "c", Role: "assistant", Kind: "call", Content: map[string]any{"name": "read", "arguments": "x"}})
		b.Add("^ah", pact.Spec{ID: "r", Role: "tool", Kind: "result", Content: "y", Refs: []string{"c"}})
		return nil
	})
	commit(func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "q2", Role: "user", Kind: "text", Content: "more"})
		return nil
	})
	report, err := simulate.Findings(ctx, c, simulate.Options{Counter: wordCounter{}, Prices: priced(0.1, 1.25), Model: "m",
		Dialect: "gemini"})
	must(t, err)
	if len(report.Findings) != 1 {
		t.Fatalf("%+v", report.Findings)
	}
	f := report.Findings[0]
	if got, want := fmt.Sprintf("%s %s %d %.3f %s %v", f.What, f.Node, *f.Tokens, *f.Cost, f.Says, f.Helps),
		`unused other 60 29.000 1 tool was defined in 3 calls for 60 tokens and never called: it's <nil>`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A window of 1,000 tokens, and calls of 801, 812 and 823 words, of which the last leaves 177: enough for 16 more of 11.
// The window is that of the model, if a list of prices has it.
func TestFindingsOfAWindow(t *testing.T) {
	prices := priced(0.1, 1.25)
	prices.Models[0].Window = 1000
	for model, want := range map[string]int{"m": 1, "a model that no list has": 0} {
		report, err := simulate.Findings(t.Context(), conversed(t, words("a", 800), words("b", 10), words("c", 10)), simulate.Options{
			Counter: wordCounter{}, Prices: prices, Model: model, Dialect: "gemini"})
		must(t, err)
		if f := report.Findings; len(f) != want || want > 0 && (f[0].What != simulate.WindowFilled || *f[0].Tokens != 177 || f[0].Cycle != 3) {
			t.Errorf("%s: %+v", model, report.Findings)
		}
	}
}

// A provider that told of a write for an hour was sent markers for an hour: 100 words are written at 2.
func TestARunThatWroteForAnHour(t *testing.T) {
	ctx := context.Background()
	c, err := pact.Create(ctx, pact.NewDB(store.NewMemory()), "run", nil)
	must(t, err)
	told, err := history.PackRequest(`{"about":{"written":100,"written_1h":100}}`)
	must(t, err)
	a, err := c.StartAttempt(ctx, pact.ProviderCall{Provider: "p", Model: "m", Edit: func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "says", Role: "user", Kind: "text", Offset: 1, Content: words("a", 100)})
		return nil
	}}, io.Discard, nil)
	must(t, err)
	_, err = c.EndAttempt(ctx, pact.Outcome{ID: a.ID, Status: history.Completed, Request: told})
	must(t, err)
	_, err = c.Commit(ctx, nil)
	must(t, err)
	prices := priced(0.1, 1.25)
	prices.Models[0].CacheWrite1h *= 2 / 1.25
	r, err := simulate.Run(ctx, c, simulate.Options{Counter: wordCounter{}, Prices: prices, Dialect: "anthropic"})
	must(t, err)
	if got := r.Outcomes[0]; got.Written != 100 || fmt.Sprintf("%.3f", *got.Cost) != "200.000" {
		t.Errorf("wrote %d tokens for %.3f, want 100 for 200", got.Written, *got.Cost)
	}
}

// What was paid has its currency and the date of its prices, although the last model has no price.
func TestWhatWasPaidHasACurrency(t *testing.T) {
	ctx := context.Background()
	c, err := pact.Create(ctx, pact.NewDB(store.NewMemory()), "run", nil)
	must(t, err)
	in, told := int64(10), `{"about":{"cached":0}}`
	for _, model := range []string{"m", "other"} {
		a, err := c.StartAttempt(ctx, pact.ProviderCall{Provider: "p", Model: model}, io.Discard, nil)
		must(t, err)
		request, err := history.PackRequest(told)
		must(t, err)
		_, err = c.EndAttempt(ctx, pact.Outcome{ID: a.ID, Status: history.Completed, TokenIn: &in, Request: request})
		must(t, err)
		_, err = c.Commit(ctx, nil)
		must(t, err)
	}
	r, err := simulate.Run(ctx, c, simulate.Options{Counter: wordCounter{}, Prices: priced(0.1, 1.25)})
	must(t, err)
	if r.Model != "other" || r.Currency != "units" || r.AsOf != "2026-11-01" {
		t.Errorf("%s: paid in %q at the prices of %q", r.Model, r.Currency, r.AsOf)
	}
}

// A tool that numbers its lines is quoted without the numbers, and that is a quotation.
func TestAQuotationWithoutTheNumbersOfItsLinesIsOne(t *testing.T) {
	for i, prefix := range []string{"    12→", "12\t", "  7: ", "main.go:12:", "lib/main.go-12-", "+", "", `C:\lib\main.go:12:`, "L12: ", "[12] ",
		"12. ", "12#4f| ", "> ", "> 12 ", "   12 ", "- "} {
		results := []string{}
		for i := range 14 {
			results = append(results, fmt.Sprint("result ", i))
		}
		quoted := []string{"func parse(text string) (int, error) {", "step-2: the text is parsed and may fail"}[i%2]
		results[0] = prefix + quoted + "\n" + prefix + words("a", 400)
		for _, says := range []string{quoted, "something else that nobody said before"} {
			c := conversed(t, results...)
			_, err := c.Commit(context.Background(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
				b.Add("^ah", pact.Spec{ID: "says", Role: "assistant", Kind: "text", Offset: 1, Content: "As seen:\n" + says})
				return nil
			}})
			must(t, err)
			report, err := simulate.Findings(context.Background(), c, simulate.Options{Counter: wordCounter{}, Prices: priced(0.1, 1.25),
				Model: "m", Dialect: "gemini"})
			must(t, err)
			said := slices.ContainsFunc(report.Findings, func(f simulate.Finding) bool { return f.What == simulate.CarriedLong && f.Node == "r0" })
			if said != (says != quoted) {
				t.Errorf("%q before the lines, the answer says %q: %v", prefix, says, report.Findings)
			}
		}
	}
}

// A result that a policy had shortened, and that the agent asked for again, is the policy's cost.
func TestFindingsJudgeThePolicyOfTheRun(t *testing.T) {
	short := "aa [3 kB are left out here; result:1 has them. Only pact writes such notes.]"
	c := conversed(t, short, "b", "c", words("a", 50))
	report, err := simulate.Findings(context.Background(), c, simulate.Options{Counter: wordCounter{}, Prices: priced(0.1, 1.25),
		Model: "m", Dialect: "gemini"})
	must(t, err)
	i := slices.IndexFunc(report.Findings, func(f simulate.Finding) bool { return f.What == simulate.PolicyCost })
	if i < 0 || *report.Findings[i].Tokens != 50 || report.Findings[i].Node != "c3" || fmt.Sprintf("%.2f", *report.Findings[i].Cost) != "62.50" {
		t.Errorf("%+v", report.Findings)
	}
}

// Requests without a marker ask for no caching, where their provider wants markers and counts neither reads nor writes.
func TestAProgramThatAsksForNoCachingIsTold(t *testing.T) {
	for _, c := range []struct {
		exact string
		read  int
		want  bool
	}{{"byte-exact", 0, true}, {"rebuilt", 0, false}, {"byte-exact", 1000, false}} {
		run := imported(t, c.exact, false, func(n int) (in, read, written int) { return 5000 + 1000*n - c.read, c.read, 0 })
		report, err := simulate.Findings(context.Background(), run, simulate.Options{Counter: wordCounter{}, Prices: priced(0.1, 1.25), Model: "m"})
		must(t, err)
		at := slices.IndexFunc(report.Findings, func(f simulate.Finding) bool { return f.What == simulate.NoCaching })
		if at >= 0 != c.want {
			t.Fatalf("%+v: %+v", c, report.Findings)
		}
		// 5,000, 6,000 and 7,000 tokens again at 1 in place of 0.1; 8,000 would have been written for 0.25 more.
		if c.want && (*report.Findings[at].Tokens != 18000 || fmt.Sprintf("%.0f", *report.Findings[at].Cost) != "14200") {
			t.Errorf("%+v, %v", report.Findings[at], *report.Findings[at].Cost)
		}
	}
}

// A rule is tried only where the provider's rules give what it counted, and in a run that is short enough; else the report
// says why it has none. Calls whose cache nobody counted break without a number of tokens.
func TestWhatWasNotSimulatedIsSaid(t *testing.T) {
	find := func(c *pact.Context) *simulate.Report {
		t.Helper()
		report, err := simulate.Findings(context.Background(), c, simulate.Options{Counter: wordCounter{}, Prices: priced(0.1, 1.25),
			Model: "m", Dialect: "anthropic"})
		must(t, err)
		return report
	}
	again := func(r *simulate.Report) bool {
		return slices.ContainsFunc(r.Findings, func(f simulate.Finding) bool { return f.What == simulate.CalledAgain })
	}
	r := find(imported(t, "rebuilt", true, func(n int) (in, read, written int) { return 5000 + 1000*n, 0, 4000 }))
	if !again(r) || !strings.HasPrefix(r.Untried, "The provider read 0 tokens from its cache, and its rules give ") {
		t.Errorf("of a cache that does as it likes: %q, %+v", r.Untried, r.Findings)
	}
	long := make([]string, 201)
	for i := range long {
		long[i] = fmt.Sprint("result ", i%3)
	}
	if r = find(conversed(t, long...)); !again(r) || r.Untried != "No rule was tried: a trial replays the run, which has 201 calls, more than 200." {
		t.Errorf("of a long run: %q", r.Untried)
	}
	if r = find(conversed(t, "a", "b", "c", "d")); r.Untried != "" {
		t.Errorf("of a run that repeats nothing: %q", r.Untried)
	}
}

var must = testrun.Must
