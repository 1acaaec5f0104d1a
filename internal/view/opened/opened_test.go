package opened_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/simulate"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/opened"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tokens"
)

// collapse is a session whose third call reads 20,000 tokens where the second had left 60,500.
const collapse = `{"parentUuid":null,"sessionId":"s","type":"user","uuid":"u1","timestamp":"2026-09-01T10:00:00.000Z","message":{"role":"user","content":"go on"}}
{"parentUuid":"u1","sessionId":"s","type":"assistant","uuid":"a1","timestamp":"2026-09-01T10:00:02.000Z","requestId":"r1","message":{"id":"m1","type":"message","role":"assistant","model":"claude-opus-4-8","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"cache_creation_input_tokens":40000,"cache_read_input_tokens":20000,"output_tokens":20}}}
{"parentUuid":"a1","sessionId":"s","type":"user","uuid":"r1","timestamp":"2026-09-01T10:00:03.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a"}]}}
{"parentUuid":"r1","sessionId":"s","type":"assistant","uuid":"a2","timestamp":"2026-09-01T10:00:05.000Z","requestId":"r2","message":{"id":"m2","type":"message","role":"assistant","model":"claude-opus-4-8","content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"ls"}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"cache_creation_input_tokens":500,"cache_read_input_tokens":60000,"output_tokens":20}}}
{"parentUuid":"a2","sessionId":"s","type":"user","uuid":"r2","timestamp":"2026-09-01T10:00:06.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"b"}]}}
{"parentUuid":"r2","sessionId":"s","type":"assistant","uuid":"a3","timestamp":"2026-09-01T10:00:08.000Z","requestId":"r3","message":{"id":"m3","type":"message","role":"assistant","model":"claude-opus-4-8","content":[{"type":"text","text":"done"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"cache_creation_input_tokens":40700,"cache_read_input_tokens":20000,"output_tokens":20}}}
`

// logs are the logs of calls that the tests read: the one above, and the real ones where they are there.
func logs(t *testing.T) map[string][]byte {
	all := map[string][]byte{"collapse.jsonl": []byte(collapse)}
	for _, name := range testrun.FindShared("data", "*.json*", "agents/*/*.json*", "agents/*/*/*/*.jsonl", "cases/*/*.json*", "cases/*/*.traj") {
		var err error
		if all[name], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	if len(all) == 1 {
		t.Log("left out: the real sessions are not there")
	}
	return all
}

// A run has one cost: what open, findings and a walk over its calls say is the same, the sum of its calls, and no break
// cost more than its call.
func TestARunHasOneCost(t *testing.T) {
	counter, err := tokens.Named("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	equal := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	priced := 0
	for name, data := range logs(t) {
		log, err := calllog.Read(data)
		if err != nil || log.Sessions[0].Replay != nil {
			continue // no log of calls, or messages without what a provider counted: other tests read it
		}
		ctx, db := t.Context(), pact.NewDB(store.NewMemory())
		plan, err := intake.PlanLog(ctx, log, intake.Options{Name: "run"})
		if err != nil {
			t.Fatal(name, err)
		}
		made, err := plan.Import(ctx, db, func(int, int) {})
		if err != nil {
			t.Fatal(name, err)
		}
		for _, m := range made {
			c := m.Context
			first, last := c.Cycles()
			if last < first {
				continue
			}
			var sum, lost float64
			var walked []string
			for s, err := range view.Walk(ctx, c, pact.Cycle(first), pact.Cycle(last), view.WalkOptions{}) {
				if err != nil {
					t.Fatal(name, err)
				}
				walked = append(walked, asJSON(s))
				if s.Call != nil && s.Call.Lost != nil { // docs/providers.md says how many there are
					t.Logf("broke: %s, %s: %s", filepath.Base(name), c.Name(), s.Broke.InWords(&s.Prefix, ""))
				}
				if s.Call == nil || s.Call.Cost == nil {
					continue
				}
				sum += s.Call.Cost.Paid
				if l := s.Call.Cost.Lost; l != nil {
					if lost += *l; *l > s.Call.Cost.Paid {
						t.Errorf("%s, %s, cycle %d: lost %g of %g", name, c.Name(), s.Cycle, *l, s.Call.Cost.Paid)
					}
				}
			}
			for _, from := range []int64{last, last - 2, (first + last) / 2} { // a walk over the last calls says the same
				from = max(from, first)
				for s, err := range view.Walk(ctx, c, pact.Cycle(from), pact.Cycle(last), view.WalkOptions{}) {
					if want := walked[from-first]; err != nil || asJSON(s) != want {
						t.Fatalf("%s, %s, from the cycle %d: %v %s\nof all: %s", name, c.Name(), from, err, asJSON(s), want)
					}
					from++
				}
			}
			told, err := opened.Describe(ctx, c, func() {})
			if err == nil {
				if err = told.Tell(ctx, c); err == nil {
					err = told.Look(ctx, c, counter, opened.Commands{Diff: func(int64, int64) string { return "" }})
				}
			}
			if err != nil {
				t.Fatal(name, err)
			}
			report, err := simulate.Findings(ctx, c, simulate.Options{Counter: counter})
			if err != nil {
				t.Fatal(name, err)
			}
			if all := told.Story.Totals; all.Paid != nil {
				priced++
				if !equal(*all.Paid, sum) || !equal(all.Lost, lost) || !equal(*report.Spent.Cost, sum) || !equal(report.Spent.Lost, lost) {
					t.Errorf("%s, %s: paid %g, open %g, findings %g", name, c.Name(), sum, *all.Paid, *report.Spent.Cost)
				}
				if want := view.Money(sum) + " dollars"; told.Story.Cost == 0 && !strings.Contains(told.Sentences[1], want) {
					t.Errorf("%s, %s: %q lacks %s", name, c.Name(), told.Sentences[1], want)
				}
			} else if report.Spent.Evidence == "counted" && report.Spent.Cost != nil {
				t.Errorf("%s, %s: findings know a cost", name, c.Name())
			}
			if name == "collapse.jsonl" {
				says := strings.Join(told.Sentences, "\n")
				for _, want := range []string{"Broke: 1 of 3 calls: @c3 read 20000 where @c2 had left 60500 tokens (counted), 40500 were sent again for 0.2329 USD: nothing that the log shows changed (unknown)", "Cost: 0.5590 dollars"} {
					if !strings.Contains(says, want) {
						t.Errorf("open lacks %q:\n%s", want, says)
					}
				}
			}
		}
	}
	if priced == 0 {
		t.Error("nothing had a price")
	}
}
