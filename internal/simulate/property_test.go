package simulate_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/simulate"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/lifecycle"

	"pgregory.net/rapid"
)

// With when pays a policy has at no call cost more than no policy, whatever the run, the lifetimes, the
// prices and the limits, if nothing is asked for twice.
func TestPaysIsNeverDearer(t *testing.T) {
	testrun.OneGoroutine(t)
	t.Run("asks once", testAnAgentThatReadsOnce)
	t.Run("asks again", testAnAgentThatReadsAgain)
}

func testAnAgentThatReadsOnce(t *testing.T) {
	cut := 0
	defer func() {
		if cut == 0 && !testing.Short() { // of the few draws of a short run none may cut
			t.Error("no policy cut anything")
		}
	}()
	rapid.Check(t, func(rt *rapid.T) {
		var results []string
		for range rapid.IntRange(2, 60).Draw(rt, "calls") {
			n := rapid.IntRange(1, 1200).Draw(rt, "words") // no two are equal: nothing is asked for again
			results = append(results, words(fmt.Sprint("w", len(results)), n))
		}
		// The last two cache no prefix below 4,096 and 512 tokens.
		model := rapid.SampledFrom([]struct{ name, dialect string }{{"m", "anthropic"}, {"m", "gemini"},
			{"claude-haiku-4-5", "anthropic"}, {"claude-opus-5", "anthropic"}}).Draw(rt, "model")
		p := lifecycle.Policy{When: lifecycle.WhenPays}
		if rapid.Bool().Draw(rt, "caps") { // what it saves pays for what goes
			p.Rules = []lifecycle.Rule{{Select: "[bytes>2000]", Head: 100}}
		}
		for range rapid.IntRange(1, 3).Draw(rt, "rules") {
			ttl := rapid.Int64Range(0, 6).Draw(rt, "ttl")
			p.Rules = append(p.Rules, lifecycle.Rule{TTL: &ttl, Stub: rapid.Bool().Draw(rt, "stub"), Head: rapid.IntRange(0, 400).Draw(rt, "head"),
				Select: rapid.SampledFrom([]string{"[kind='result']", "[bytes>100]", "@t0 [kind='result'][age>2]"}).Draw(rt, "selector")})
		}
		if rapid.Bool().Draw(rt, "limited") {
			p.MaxTokens, p.Ranks = rapid.IntRange(50, 2000).Draw(rt, "limit"), map[string]int64{"result": -40}
		}
		prices := priced(rapid.SampledFrom([]float64{0.1, 0.05, 0.025}).Draw(rt, "read"), 1.25)
		prices.Models[0].Model = model.name
		r, err := simulate.Run(context.Background(), conversed(t, results...), simulate.Options{Counter: wordCounter{}, Model: model.name,
			Dialect: model.dialect, Calls: true, Prices: prices, Policies: []simulate.Named{{"p", p}}})
		must(rt, err)
		raw, pays := 0.0, 0.0
		cut += r.Outcomes[1].Removed
		for i, c := range r.Outcomes[1].ByCall {
			raw, pays = raw+*r.Outcomes[0].ByCall[i].Cost, pays+*c.Cost
			if pays > raw*(1+1e-9) {
				rt.Fatalf("up to call %d it cost %.2f, without the policy %.2f", i+1, pays, raw)
			}
		}
	})
}

// Haiku 4.5 caches no prefix below 4,096 tokens. The second call sends 4,202, of which a rule may take the first
// result. The 1,203 that stay would cost less at that call, and more at later ones, which then read nothing.
func TestPaysDoesNotEndCaching(t *testing.T) {
	results := []string{words("a", 3000), words("b", 1200)}
	for range 20 {
		results = append(results, "c")
	}
	prices := priced(0.1, 1.25)
	prices.Models[0].Model = "claude-haiku-4-5"
	r, err := simulate.Run(context.Background(), conversed(t, results...), simulate.Options{Counter: wordCounter{}, Prices: prices,
		Model: "claude-haiku-4-5", Policies: []simulate.Named{{"p", policy(t,
			`{"when":"pays","rules":[{"select":"[bytes>4000]","ttl":1,"stub":true}],"stub":"gone"}`)}}})
	must(t, err)
	if raw, pays := r.Outcomes[0], r.Outcomes[1]; *pays.Cost > *raw.Cost {
		t.Errorf("it cost %.1f, without the policy %.1f", *pays.Cost, *raw.Cost)
	}
}

// Findings name a rule only if a simulation of that rule alone costs less than the run, by as much as they say, and
// misses no line that the run quotes; and no rule without a price.
func TestARuleOfFindingsHelps(t *testing.T) {
	named := 0
	defer func() {
		if named == 0 {
			t.Error("no finding named a rule")
		}
	}()
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		var results []string
		for i := range rapid.IntRange(2, 16).Draw(rt, "calls") {
			if i > 0 && rapid.Bool().Draw(rt, "repeats") {
				results = append(results, results[rapid.IntRange(0, i-1).Draw(rt, "which")])
				continue
			}
			results = append(results, words(rapid.SampledFrom([]string{"word", "another"}).Draw(rt, "word"), rapid.IntRange(1, 1500).Draw(rt, "words")))
		}
		c := conversed(t, results...)
		quoted := ""
		if rapid.Bool().Draw(rt, "quotes") {
			quoted = results[rapid.IntRange(0, len(results)-1).Draw(rt, "quoted")]
			_, err := c.Commit(ctx, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
				b.Add("^ah", pact.Spec{ID: "says", Role: "assistant", Kind: "text", Offset: 1, Content: quoted})
				return nil
			}})
			must(rt, err)
		}
		prices := priced(rapid.SampledFrom([]float64{0.1, 0.025}).Draw(rt, "read"), 1.25)
		o := simulate.Options{Counter: wordCounter{}, Model: "m", Dialect: rapid.SampledFrom([]string{"gemini", "anthropic"}).Draw(rt, "dialect"), Prices: prices}
		report, err := simulate.Findings(ctx, c, o)
		must(rt, err)
		kinds := map[string]bool{}
		for _, f := range report.Findings {
			if f.Helps == nil {
				continue
			}
			if named++; kinds[f.What] {
				rt.Fatalf("two findings about %s have a rule", f.What)
			}
			kinds[f.What] = true
			again := o
			again.Policies = []simulate.Named{{Name: "p", Policy: lifecycle.Policy{Rules: []lifecycle.Rule{*f.Helps}}}}
			r, err := simulate.Run(ctx, c, again)
			must(rt, err)
			if saves := *r.Outcomes[0].Cost - *r.Outcomes[1].Cost; saves <= 0 || math.Abs(saves-*f.Saves) > 1e-9*saves {
				rt.Fatalf("%s saves %.3f, not %.3f", f.Helps.Select, saves, *f.Saves)
			}
			for _, g := range r.Outcomes[1].Regrets {
				if g.Text != "" {
					rt.Fatalf("%s takes %q", f.Helps.Select, g.Text)
				}
			}
		}
		o.Model = "unknown"
		if report, err = simulate.Findings(ctx, c, o); err != nil {
			rt.Fatal(err)
		}
		for _, f := range report.Findings {
			if f.Helps != nil || f.Cost != nil {
				rt.Fatalf("without a price %+v", f)
			}
		}
	})
}

// A recorder does not manage by a policy that never changes a request, so the run under it is the run as it was, and
// simulating it costs nothing a call.
func TestAPolicyThatChangesNothingIsTheRunAsItWas(t *testing.T) {
	testrun.CountsAllocations(t)
	p := simulate.Named{Name: "ranks", Policy: policy(t, `{"when":"pays","protect_turns":4,"ranks":{"result":-40}}`)}
	more := map[int]float64{}
	for _, calls := range []int{10, 80} {
		var results []string
		for n := range calls {
			results = append(results, words(fmt.Sprint("w", n), 20))
		}
		c := conversed(t, results...)
		simulated := func(policies ...simulate.Named) float64 {
			var r *simulate.Result
			allocations := testing.AllocsPerRun(2, func() {
				var err error
				r, err = simulate.Run(context.Background(), c, simulate.Options{Counter: wordCounter{}, Prices: priced(0.1, 1.25),
					Model: "m", Dialect: "gemini", Calls: true, Policies: policies})
				must(t, err)
			})
			for i := range r.Outcomes[1:] {
				want := r.Outcomes[0]
				if want.Policy = p.Name; !reflect.DeepEqual(r.Outcomes[i+1], want) {
					t.Errorf("%d calls: %+v, want %+v", calls, r.Outcomes[i+1], want)
				}
			}
			return allocations
		}
		more[calls] = simulated(p) - simulated()
	}
	if more[80] > more[10]+70 {
		t.Errorf("the policy takes %v more allocations, by calls", more)
	}
}
