package record_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/simulate"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tokens"
)

// kinds are made runs of other kinds: what becomes of each request of a run whose results have lines and quotes.
var kinds = map[string]struct {
	form string
	make func(body map[string]any)
}{
	"numbers":     {"responses", nil},
	"no tools":    {"openai", func(body map[string]any) { delete(body, "tools") }},
	"gemini":      {"gemini", func(map[string]any) {}},
	"no markers":  {"anthropic", func(body map[string]any) { delete(body, "cache_control") }},
	"for an hour": {"anthropic", func(body map[string]any) { body["cache_control"] = map[string]any{"type": "ephemeral", "ttl": "1h"} }},
	"lists, thinking": {"anthropic", func(body map[string]any) {
		for _, m := range body["messages"].([]any) {
			m := m.(map[string]any)
			parts, _ := m["content"].([]any)
			for _, p := range parts {
				p := p.(map[string]any)
				if text, ok := p["content"].(string); ok {
					p["content"] = []any{map[string]any{"type": "text", "text": text}}
				} else if p["type"] == "tool_use" {
					m["content"] = []any{map[string]any{"type": "thinking", "thinking": strings.Repeat("So it is. ", 40),
						"signature": "c2ln"}, p}
				}
			}
		}
	}},
	"compaction": {"anthropic", func(body map[string]any) {
		if list := body["messages"].([]any); len(list) > 40 {
			body["messages"] = append([]any{message("user", "What was done so far: "+strings.Repeat("much. ", 100))}, list[41:]...)
		}
	}},
}

// runsOf returns runs of a form, or of a kind of them.
func runsOf(t *testing.T, kind string) (form string, runs [][][]byte) {
	of, made := kinds[kind]
	if !made {
		for _, conversation := range sharedRuns(t) {
			runs = append(runs, requestsOf(t, kind, conversation))
		}
		return kind, runs
	}
	if kind == "numbers" {
		return of.form, [][][]byte{numbersRun(t)}
	}
	bodies := madeRun(t, of.form, testrun.Size(t, 25, 40, 40))
	for i, body := range bodies {
		var fields map[string]any
		must(t, json.Unmarshal(bytes.ReplaceAll(bytes.ReplaceAll(body, []byte("7 "), []byte(`7\n`)), []byte("4 "), []byte(`4\"`)), &fields))
		of.make(fields)
		var err error
		bodies[i], err = json.Marshal(fields)
		must(t, err)
	}
	return of.form, [][][]byte{bodies}
}

// numbersRun returns the requests of an agent that prints numbers, and then works with them. The counter finds half as many
// tokens again in numbers as the provider, and as many in words.
func numbersRun(t *testing.T) (bodies [][]byte) {
	t.Helper()
	a := newAgent(t, provider.Responses, "", nil, false)
	a.body["model"] = "gpt-5.4"
	a.body["instructions"] = strings.Repeat("You are an agent that works in a terminal, and says what it does.\n", 80)
	a.ask("Print the numbers.")
	const texts = 16
	for n := range 2 * texts {
		a.body[field[a.api]] = a.said
		body, err := json.Marshal(a.body)
		must(t, err)
		bodies = append(bodies, body)
		command, says := fmt.Sprint("echo wrote ", n), fmt.Sprintf("wrote %d\n", n)
		if n < texts {
			from := 100_000 + 10_000*n
			command, says = fmt.Sprint("seq ", from), ""
			for k := range 600 + n%3*1500 {
				says += fmt.Sprintln(from + k)
			}
		}
		id := fmt.Sprint("call_", n)
		a.said = append(a.said, map[string]any{"type": "function_call", "id": "fc_" + id, "call_id": id, "name": "bash",
			"arguments": fmt.Sprintf(`{"command":%q,"description":"work"}`, command), "status": "completed"})
		a.result(id, "bash", says)
	}
	return bodies
}

// A simulation of a recorded run expects what a provider counts of the same run once it is managed: tokens sent, and
// money, within two hundredths. Both ask the same function. Where other estimates decide otherwise it says nothing.
func TestASimulationExpectsWhatManagingSends(t *testing.T) {
	if testrun.Raced {
		t.Skip("left out: TestManagedConversations has the detector watch the same goroutines")
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		t.Run(kind, func(t *testing.T) { testASimulation(t, kind) })
	}
	for _, form := range []string{"anthropic", "openai"}[:testrun.Size(t, 1, 2, 2)] {
		t.Run("real runs, "+form, func(t *testing.T) { testASimulation(t, form) })
	}
}

// asInJSON counts tokens as the provider of the tests does.
type asInJSON struct{}

func (asInJSON) Name() string          { return "as in JSON" }
func (asInJSON) Count(text string) int { return (len(strconv.Quote(text)) + 3) / 4 }

func testASimulation(t *testing.T, kind string) {
	var counter tree.Counter = asInJSON{}
	policies := []string{
		`"rules":[{"select":"[kind='result'][bytes>4000]","head":2000,"tail":1000,"ttl":12,"stub":true},{"select":"[kind='result'][bytes>400]","ttl":8,"stub":true}]`,
		`"rules":[{"select":"[kind='thinking']","ttl":1},{"select":"[kind='result']","head":900}]`,
	}
	if _, made := kinds[kind]; !made || kind == "numbers" {
		var err error
		counter, err = tokens.Named("o200k_base")
		must(t, err)
		policies[1] = `"max_tokens":6000,"protect_task":true,"ranks":{"result":-40},"stub":"[left out]"`
	}
	prices := &record.Prices{AsOf: "2026-11-26", Currency: "USD", Models: []record.Price{
		{Model: "claude-sonnet-4-6", Input: 1e6, CacheRead: 1e5, CacheWrite: 1.25e6, CacheWrite1h: 2e6},
		{Model: "gpt-5.4", Input: 1e6, CacheRead: 1e5, CacheWrite: 1e6, CacheWrite1h: 1e6},
		{Model: "gemini-2.5-pro", Input: 1e6, CacheRead: 1e5, CacheWrite: 1e6, CacheWrite1h: 1e6}}}
	form, runs := runsOf(t, kind)
	path := map[string]string{"anthropic": "/v1/messages", "openai": "/v1/chat/completions", "responses": "/v1/responses",
		"gemini": "/v1beta/models/gemini-2.5-pro:generateContent"}[form]
	combination := 0
	for n, bodies := range runs {
		s := pact.NewDB(store.NewMemory())
		plain := recorder(t, s, record.Options{Context: "chat", Strict: true})
		_, url := startProvider(t)
		sends(t, url+path, plain.Transport(http.DefaultTransport), bodies)
		plain.Close()
		list, err := pact.List(t.Context(), s)
		must(t, err)
		for k, text := range policies {
			for _, when := range []string{"now", "pays"} {
				if combination++; testing.Short() && (combination+len(kind))%4 != n%4 {
					continue // one of the four for each run
				}
				where := fmt.Sprintf("run %d, policy %d, %s", n, k, when)
				policy := policyOf(t, `{"when":"`+when+`",`+text+`}`)
				sent, money, computed := 0.0, 0.0, true
				for _, c := range list {
					would, err := simulate.Run(t.Context(), opened(t, s, c.Name), simulate.Options{Counter: counter, Prices: prices,
						Policies: []simulate.Named{{Name: "p", Policy: *policy}}})
					must(t, err)
					if len(would.Outcomes) < 2 {
						t.Logf("%s: %s", where, would.Sentences[0])
						computed = false
						continue
					}
					sent, money = sent+float64(would.Outcomes[1].Sent), money+*would.Outcomes[1].Cost
				}
				if computed {
					_, url := startProvider(t)
					expects(t, where, sent, money, sends(t, url+path, recorder(t, pact.NewDB(store.NewMemory()), record.Options{
						Context: "chat", Policy: policy, Manage: true, Prices: prices, Strict: true}).Transport(nil), bodies), form)
				} else if when == "now" {
					t.Errorf("%s is not computed", where)
				}
			}
		}
	}
}

// expects checks what was expected of calls.
func expects(t *testing.T, where string, sent, money float64, calls []counts, form string) {
	t.Helper()
	counted, paid := 0.0, 0.0
	for _, c := range calls {
		if form != "anthropic" { // writes cost nothing more
			c.written = 0
		}
		counted, paid = counted+float64(c.sent), paid+c.cost(0.1)
	}
	if math.Abs(sent/counted-1) > 0.02 || math.Abs(money/paid-1) > 0.02 {
		t.Errorf("%s: expected %.0f tokens for %.0f, counted %.0f for %.0f", where, sent, money, counted, paid)
	}
}
