package simulate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/record/manage"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/worth"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/lifecycle"
)

// rereader is an agent that works with texts, and reads a text whenever the request does not have it whole, under a
// policy that manages its requests. Its provider has a cache, and counts so many bytes as a token and so many tokens more
// for each part.
type rereader struct {
	t              testing.TB
	rules          *manage.Rules
	list           *manage.List
	ledger         *manage.Ledger
	memory         *manage.Memory
	cache          *provider.Cache
	tariff         worth.Tariff
	perToken, each float64
	at             time.Time

	messages     []any
	calls        int
	ended        int    // the call with which managing ended, 0 before
	sent         string // what the model read last
	cost, tokens float64
}

func newRereader(t testing.TB, p lifecycle.Policy, model string, read, perToken, each float64) *rereader {
	t.Helper()
	rules, err := manage.Compile(&p)
	must(t, err)
	a := &rereader{t: t, rules: rules, list: manage.NewList(), memory: manage.NewMemory(), perToken: perToken, each: each,
		cache: provider.CacheRulesOf(provider.Messages).NewCache(), at: time.Unix(1e9, 0)}
	price := manage.Price{Read: func(n int64) float64 { return read * float64(n) }, Paid: func(u *inspect.ProviderCache) float64 {
		return float64(*u.In-*u.Read-*u.Written) + read*float64(*u.Read) + 1.25*float64(*u.Written)
	}}
	a.tariff = worth.Tariff{Rules: provider.CacheRulesOf(provider.Messages), Model: model, Money: price.Paid, Read: price.Read}
	a.ledger = manage.NewLedger(func(string) (manage.Price, bool) { return price, true })
	a.messages = []any{map[string]any{"role": "user", "content": "Work."}}
	return a
}

// call sends what the agent has to say.
func (a *rereader) call() {
	body, err := json.Marshal(map[string]any{"model": a.tariff.Model, "max_tokens": 9, "messages": a.messages, "cache_control": map[string]any{"type": "ephemeral"},
		"system": strings.Repeat("Be kind. ", 500), "tools": []any{map[string]any{"name": "read", "input_schema": map[string]any{}}}})
	q, ok := a.memory.Read(provider.Messages, "", body, func(string, string) bool { return false })
	if err != nil || !ok {
		a.t.Fatal(err, ok)
	}
	must := func(err error) {
		if err != nil {
			a.t.Fatal(err)
		}
	}
	must(q.Follow(a.list))
	a.at = a.at.Add(time.Second)
	a.ledger.Begin(q, a.at)
	made, err := a.rules.Decide(context.Background(), a.list, q, a.ledger, func() bool { return false })
	must(err)
	cut := false
	for _, d := range made {
		a.list.Add(d)
		cut = cut || d.Since != ""
	}
	must(q.Follow(a.list))
	if q.Ended() && a.ended == 0 {
		a.ended = a.calls
	}
	sending := a.ledger.End(q, cut)
	var said strings.Builder
	tokens, read := 0.0, 0.0
	prompt := sending.Prompt()
	blocks, i := a.cache.Call(prompt, a.at).Blocks, 0
	for k := range q.Parts {
		if d := q.Parts[k].Form(); d != nil && d.Action == manage.Gone {
			continue
		}
		text := string(q.Parts[k].Content().Value())
		if tokens += float64(len(text))/a.perToken + a.each; i < blocks {
			read = tokens
		}
		i++
		said.WriteString(text)
	}
	a.sent = said.String()
	told := a.tariff.Call(int64(tokens), int64(read), worth.Ends{Cached: int64(tokens)})
	a.cost, a.tokens = a.cost+*told.Money, tokens
	a.ledger.Learn(sending, provider.Usage{In: &told.Sent, Cached: &told.Read, Written: &told.Written})
}

// uses calls a tool and gets an answer.
func (a *rereader) uses(tool, argument, says string) {
	a.calls++
	id := fmt.Sprint("c", a.calls)
	a.messages = append(a.messages,
		map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": map[string]any{"of": argument}}}},
		map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": says}}})
	a.call()
}

// works works with a text, which it reads before if the model has it not whole before it.
func (a *rereader) works(file, lines int) {
	if text := strings.Repeat(fmt.Sprint("line of file ", file, ": "), lines); !strings.Contains(a.sent, text) {
		a.uses("read", fmt.Sprint(file), text)
	}
	a.uses("write", fmt.Sprint(file, " ", a.calls), "written")
}

// An agent that asks again for all that it lacks costs with pays at no step of its work more than without a policy, but
// for three hundredths, and the call that asks with the note that it found, of less than 700 tokens. Whoever takes anything can
// promise no less than these: the agent may ask for it next. After managing ended, this holds for half as many calls as
// before, as docs/policies.md says: each reads the notes that stay.
func testAnAgentThatReadsAgain(t *testing.T) {
	policies := []string{
		`"rules":[{"select":"[kind='result'][bytes>4000]","head":500,"tail":500}]`,
		`"rules":[{"select":"[kind='result'][bytes>4000]","head":1000,"tail":500,"ttl":6,"stub":true},{"select":"[kind='result'][bytes>400]","ttl":6,"stub":true}]`,
		`"rules":[{"select":"[kind='result'][bytes>400]","ttl":10,"stub":true}]`,
		`"max_tokens":4000,"protect_task":true,"ranks":{"result":-40},"stub":"[left out]"`,
	}
	again, cheaper := 0, 0
	for seed := range uint64(testrun.Size(t, 8, 20, 300)) {
		r := rand.New(rand.NewPCG(34, seed))
		files, steps := 5+r.IntN(35), 20+r.IntN(60)
		model, read := []string{"claude-sonnet-4-6", "claude-haiku-4-5"}[r.IntN(2)], []float64{0.1, 0.05, 0.025}[r.IntN(3)]
		perToken, each, text := 3+2*r.Float64(), 10*r.Float64(), policies[seed%uint64(len(policies))]
		plain := newRereader(t, lifecycle.Policy{}, model, read, perToken, each)
		managed := newRereader(t, policy(t, `{"when":"pays",`+text+`}`), model, read, perToken, each)
		lines, works := 100+r.IntN(500), r.IntN(3)
		for i := range steps {
			file := r.IntN(files)
			if works == 0 || works == 1 && i < files { // with each once; with each once before
				file = i
			}
			plain.works(file, lines+file)
			managed.works(file, lines+file)
			if managed.ended > 0 && 2*managed.calls > 3*managed.ended {
				break
			}
			if more := managed.cost - plain.cost; more > 0.03*plain.cost+read*managed.tokens+1.25*700 {
				t.Fatalf("seed %d: up to step %d it cost %.0f, without the policy %.0f", seed, i, managed.cost, plain.cost)
			}
		}
		again += managed.calls - plain.calls
		if managed.cost < plain.cost {
			cheaper++
		}
	}
	if again == 0 || cheaper == 0 {
		t.Errorf("%d calls asked again, %d runs were cheaper", again, cheaper)
	}
}
