package manage

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/lifecycle"
)

// What mayPay refuses, nothing would have paid for that is due: the whole question is asked beside it. It refuses nearly all of
// what does not pay, so that few calls make another form of their request.
func TestWhatMayNotPayDoesNot(t *testing.T) {
	var paid, refused, asked int
	for seed := range uint64(testrun.Size(t, 20, 60, 2000)) {
		r := rand.New(rand.NewPCG(11, seed))
		api := []provider.API{provider.Messages, provider.Chat, provider.Responses}[r.IntN(3)]
		model := map[provider.API]string{provider.Messages: "claude-opus-5", provider.Chat: "gpt-5", provider.Responses: "gpt-5"}[api]
		text := []string{`{"rules":[{"select":"[kind='result']","ttl":2,"stub":true},{"select":"[kind='thinking']","ttl":1}]}`,
			`{"rules":[{"select":"[kind='result']","ttl":3}]}`, `{"when":"cold","rules":[{"select":"[bytes>200]","ttl":1,"stub":true}]}`,
			`{"rules":[{"select":"[kind='thinking']","ttl":0}]}`}[r.IntN(4)]
		policy, err := lifecycle.ParsePolicy([]byte(text))
		must(t, err)
		c, err := Compile(&policy)
		must(t, err)
		priced := r.IntN(4) > 0
		m, l, b := NewMemory(), NewList(), NewLedger(func(string) (Price, bool) { return pricesOfTest, priced })
		said, at := []any{map[string]any{"role": "user", "content": strings.Repeat("Look at all of this. ", 400)}}, time.Unix(1e9, 0)
		for n := range 40 {
			for _, one := range message(r, api, n) {
				fields, _ := one.(map[string]any)
				if long := strings.Repeat("a line of a result\n", r.IntN(200)); fields["role"] == "tool" {
					fields["content"] = long
				} else if _, has := fields["output"]; has {
					fields["output"] = long
				} else if parts, _ := fields["content"].([]any); len(parts) > 0 {
					if of, _ := parts[0].(map[string]any); of["type"] == "tool_result" {
						of["content"] = long
					}
				}
				said = append(said, one)
			}
			body, _ := json.Marshal(map[string]any{"model": model, provider.ListOf(api): said,
				"cache_control": map[string]any{"type": "ephemeral"}})
			q, ok := m.Read(api, "", body, apart)
			if !ok {
				t.Fatal(string(body))
			}
			at = at.Add(time.Duration(1+r.IntN(8)*r.IntN(60)) * time.Second)
			must(t, q.Follow(l))
			b.Begin(q, at)
			g, err := c.treeOf(t.Context(), q, func() bool { return false })
			must(t, err)
			due := map[int]bool{}
			for _, i := range g.waits {
				due[i] = false
			}
			cleared, asks := c.clear(l, q, due)
			pays := c.pays(q, b, c.batch(l, q, c.pick(l, q, due), false)) || asks && c.pays(q, b, c.batch(l, q, cleared, true))
			switch may := c.mayPay(l, q, b, g.waits); {
			case pays && !may:
				t.Fatalf("seed %d, call %d, %s: it pays, and was refused", seed, n, text)
			case pays:
				paid++
			case may:
				asked++
			case len(g.waits) > 0:
				refused++
			}
			made, err := c.Decide(t.Context(), l, q, b, func() bool { return false })
			must(t, err)
			for _, d := range made {
				l.Add(d)
			}
			must(t, q.Follow(l))
			sending := b.End(q, len(made) > 0)
			told := int64(float64(sending.Expects.Sent) * (0.9 + r.Float64()/5))
			b.Learn(sending, provider.Usage{In: &told, Cached: &sending.Expects.Read, Written: &sending.Expects.Written})
		}
	}
	if paid == 0 || asked > refused/4 {
		t.Errorf("%d paid, %d were refused, %d asked in vain", paid, refused, asked)
	}
	t.Logf("%d paid, %d were refused, %d asked in vain", paid, refused, asked)
}

var pricesOfTest = Price{Read: func(tokens int64) float64 { return float64(tokens) * 0.5e-6 },
	Paid: func(u *inspect.ProviderCache) float64 {
		return (float64(*u.In-*u.Read-*u.Written)*5 + float64(*u.Read)*0.5 + float64(*u.Written)*6.25) / 1e6
	}}
