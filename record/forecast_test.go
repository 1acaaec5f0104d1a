package record_test

import (
	"fmt"
	"math"
	"net/http"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/simulate"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tokens"
)

// A simulation of a recorded real run expects what a provider counts of the same run once it is managed: tokens sent, and
// money, within two hundredths. Both ask the same function.
func TestASimulationExpectsWhatManagingSends(t *testing.T) {
	if testrun.Raced {
		t.Skip("left out: TestManagedConversations has the detector watch the same goroutines")
	}
	counter, err := tokens.Named("o200k_base")
	must(t, err)
	prices := &record.Prices{AsOf: "2026-11-26", Currency: "USD", Models: []record.Price{
		{Model: "claude-sonnet-4-6", Input: 1e6, CacheRead: 1e5, CacheWrite: 1.25e6, CacheWrite1h: 2e6},
		{Model: "gpt-5.4", Input: 1e6, CacheRead: 1e5, CacheWrite: 1e6, CacheWrite1h: 1e6}}}
	policies := []string{
		`"rules":[{"select":"[kind='result'][bytes>4000]","head":2000,"tail":1000,"ttl":12,"stub":true},{"select":"[kind='result'][bytes>400]","ttl":8,"stub":true}]`,
		`"max_tokens":6000,"protect_task":true,"ranks":{"result":-40},"stub":"[left out]"`,
	}
	for form, path := range map[string]string{"anthropic": "/v1/messages", "openai": "/v1/chat/completions"} {
		for n, conversation := range sharedRuns(t) {
			bodies := requestsOf(t, form, conversation)
			s := pact.NewDB(store.NewMemory())
			plain := recorder(t, s, record.Options{Context: "chat", Strict: true})
			_, url := startProvider(t)
			sends(t, url+path, plain.Transport(http.DefaultTransport), bodies)
			plain.Close()
			for k, text := range policies {
				for _, when := range []string{"now", "pays"} {
					where := fmt.Sprintf("%s, run %d, policy %d, %s", form, n, k, when)
					policy := policyOf(t, `{"when":"`+when+`",`+text+`}`)
					would, err := simulate.Run(t.Context(), opened(t, s, "chat"), simulate.Options{Counter: counter, Prices: prices,
						Policies: []simulate.Named{{Name: "p", Policy: *policy}}})
					must(t, err)
					rec := recorder(t, pact.NewDB(store.NewMemory()), record.Options{Context: "chat", Policy: policy, Manage: true, Prices: prices, Strict: true})
					_, url := startProvider(t)
					sent, money := int64(0), 0.0
					for _, c := range sends(t, url+path, rec.Transport(nil), bodies) {
						sent, money = sent+c.sent, money+c.cost(0.1)
						if form == "openai" {
							money -= 0.25 * float64(c.written)
						}
					}
					rec.Close()
					got := rec.Stats().Managed
					if len(would.Outcomes) < 2 {
						t.Errorf("%s: %q", where, would.Sentences)
						continue
					}
					o := would.Outcomes[1]
					off := func(a, b float64) float64 { return 100 * (a/b - 1) }
					t.Logf("%s: %d sent, expected %+.2f %%; %.0f money, expected %+.2f %%; %d shaped, %d left; expected %d, %d", where,
						sent, off(float64(o.Sent), float64(sent)), money, off(*o.Cost, money), got.Shaped, got.Cut, o.Shaped, o.Removed)
					if math.Abs(off(float64(o.Sent), float64(sent))) > 2 || math.Abs(off(*o.Cost, money)) > 2 {
						t.Errorf("%s: expected %d tokens for %.0f, counted %d for %.0f", where, o.Sent, *o.Cost, sent, money)
					}
				}
			}
		}
	}
}
