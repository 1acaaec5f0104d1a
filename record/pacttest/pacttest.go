// Package pacttest holds the runs of a program to limits in Go tests, as the command pact assert does (docs/gate.md).
package pacttest

import (
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/runs"
	"github.com/contexttree/pact/record"
)

// Limit is what a run has to keep. The zero Limit asks nothing.
type Limit struct{ set func(*runs.Limits) }

// Breaks allows that at most n calls do not repeat the call before, or lose what it left in the cache.
func Breaks(n int) Limit { return Limit{func(l *runs.Limits) { l.Breaks = &n }} }

// MaxTokens allows n tokens in all calls, in and out, as providers count them.
func MaxTokens(n int64) Limit { return Limit{func(l *runs.Limits) { l.MaxTokens = &n }} }

// MaxCost allows an amount for all calls, in the currency of the prices: the built-in ones, in US dollars, or those of
// [Prices].
func MaxCost(amount float64) Limit { return Limit{func(l *runs.Limits) { l.MaxCost = &amount }} }

// PrefixOf asks that a run sends what another sends, block by block, as far as both go.
func PrefixOf(base *pact.Context) Limit { return Limit{func(l *runs.Limits) { l.PrefixOf = base }} }

// Check asks that every request keeps the rules of an API: openai, responses, anthropic or gemini. Recorded requests
// are checked as they were sent, those of other runs as their thread would be.
func Check(api string) Limit { return Limit{func(l *runs.Limits) { l.Check = api }} }

// NoOrphans asks that no call sends a result of a tool without its call, or a call without its result.
func NoOrphans() Limit { return Limit{func(l *runs.Limits) { l.NoOrphans = true }} }

// Prices takes a list of prices in place of the built-in one.
func Prices(list *record.Prices) Limit { return Limit{func(l *runs.Limits) { l.Prices = list }} }

// Assert fails the test with a line for each place at which a run does not keep a limit, with its cause, and goes on.
// What is unknown keeps no limit, such as the cost of a model without a price. It ends the test if the run cannot be
// read. Cost: that of a walk over the calls of the run.
func Assert(t testing.TB, run *pact.Context, limits ...Limit) {
	t.Helper()
	asked := runs.Limits{}
	for _, l := range limits {
		if l.set != nil {
			l.set(&asked)
		}
	}
	verdict, err := runs.Judge(t.Context(), run, asked, func(int, int) {})
	if err != nil {
		t.Fatalf("%s cannot be read: %v", run.Info().Name, err)
	}
	for _, limit := range verdict.Limits {
		for _, failure := range limit.Failures {
			t.Errorf("%s: %s: %s", failure.Place, limit.Name, failure.Cause)
		}
	}
}
