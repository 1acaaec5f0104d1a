package opened_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/simulate"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/opened"
	"github.com/contexttree/pact/internal/view/story"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tokens"
)

// session writes a transcript of Claude Code: a word asks, NAME=in,written,read,hour answers as a model of that name.
// +N passes minutes.
func session(words ...string) string {
	var b strings.Builder
	at, parent := 0, "null"
	for i, word := range words {
		if _, err := fmt.Sscanf(word, "+%d", &at); err == nil {
			continue
		}
		id, second := fmt.Sprintf("%q", fmt.Sprint("n", i)), i
		line := map[string]any{"sessionId": "s", "uuid": fmt.Sprint("n", i), "parentUuid": json.RawMessage(parent),
			"timestamp": fmt.Sprintf("2026-09-01T10:%02d:%02d.000Z", at, second)}
		if model, counts, ok := strings.Cut(word, "="); ok {
			usage := map[string]any{}
			n := make([]int, 4)
			if _, err := fmt.Sscanf(counts, "%d,%d,%d,%d", &n[0], &n[1], &n[2], &n[3]); err == nil {
				usage = map[string]any{"input_tokens": n[0], "cache_creation_input_tokens": n[1], "cache_read_input_tokens": n[2],
					"output_tokens": 1, "cache_creation": map[string]any{"ephemeral_1h_input_tokens": n[3], "ephemeral_5m_input_tokens": n[1] - n[3]}}
			} else if counts != "" { // alone, without what was read from the cache
				usage["input_tokens"], usage["output_tokens"] = json.Number(counts), 1
			}
			line["type"], line["requestId"] = "assistant", fmt.Sprint("r", i)
			line["message"] = map[string]any{"id": fmt.Sprint("m", i), "type": "message", "role": "assistant", "model": model,
				"content": []any{map[string]any{"type": "text", "text": "answer " + fmt.Sprint(i)}}, "stop_reason": "end_turn", "usage": usage}
		} else {
			line["type"], line["message"] = "user", map[string]any{"role": "user", "content": word}
		}
		text, _ := json.Marshal(line)
		b.Write(append(text, '\n'))
		parent = id
	}
	return b.String()
}

const opus, haiku = "claude-opus-4-8", "claude-haiku-4-5-20251001"

// Small sessions say what broke and what helps as somebody who reads them by hand would.
func TestASessionSaysWhatBroke(t *testing.T) {
	for name, c := range map[string]struct{ log, says, not string }{
		"idle over its lifetime": {session("hello", opus+"=500,60000,0,0", "+13", "go on", opus+"=500,60010,0,0"),
			"@c2 read 0 where @c1 had left 60000 tokens (counted), 60000 were sent again for 0.3450 USD: idle for 13 min, over the lifetime of 5 min (computed)", "pact diff"},
		"idle within an hour": {session("hello", opus+"=500,60000,0,60000", "+13", "go on", opus+"=500,60010,0,60010"),
			"60000 were sent again for 0.5700 USD: nothing that the log shows changed (unknown)", "idle"},
		"another model, whose diff shows nothing": {session("hello", opus+"=10,30000,0,0", "two", haiku+"=10,30020,0,0", "three", opus+"=10,50,30000,0"),
			"Broke: 1 of 3 calls: @c2 read 0 where @c1 had left 30000 tokens (counted), 30000 were sent again for 0.0345 USD: the model changed, claude-opus-4-8 → claude-haiku-4-5-20251001 (seen)", "pact diff"},
		"a compaction that leaves all that the log has": {`{"timestamp":"2026-08-20T10:00:01.000Z","type":"session_meta","payload":{"id":"d","timestamp":"2026-08-20T10:00:00Z","cwd":"/r"}}
{"timestamp":"2026-08-20T10:00:02.000Z","type":"turn_context","payload":{"model":"gpt-5.4"}}
{"timestamp":"2026-08-20T10:00:03.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"A"}]}}
{"timestamp":"2026-08-20T10:00:04.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}}
{"timestamp":"2026-08-20T10:00:05.000Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":30000,"cached_input_tokens":0,"output_tokens":10},"last_token_usage":{"input_tokens":30000,"cached_input_tokens":0,"output_tokens":10}}}}
{"timestamp":"2026-08-20T10:00:06.000Z","type":"compacted","payload":{"message":"Summary: A was asked."}}
{"timestamp":"2026-08-20T10:00:07.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"B"}]}}
{"timestamp":"2026-08-20T10:00:08.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"b"}]}}
{"timestamp":"2026-08-20T10:00:09.000Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":39000,"cached_input_tokens":0,"output_tokens":20},"last_token_usage":{"input_tokens":9000,"cached_input_tokens":0,"output_tokens":10}}}}
`, "9000 were sent again for 0.0203 USD: the agent compacted the conversation (seen)", "unknown"},
		"a changed message, without a count of reads": {`{"request":{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"yo"},{"role":"user","content":"now"}]},"response":{"id":"x1","object":"chat.completion","created":1756720000,"model":"gpt-4o","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5000,"completion_tokens":1}}}
{"request":{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"other"},{"role":"user","content":"now"},{"role":"assistant","content":"a"},{"role":"user","content":"more"}]},"response":{"id":"x2","object":"chat.completion","created":1756720010,"model":"gpt-4o","choices":[{"index":0,"message":{"role":"assistant","content":"b"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5050,"completion_tokens":1}}}
`, "Broke: 1 of 2 calls: @c2 does not repeat the call before: ", "counted"},
		"a compaction after which little is sent": {session("hello", opus+"=100,2000,0,0", "two", opus+"=100,20,2000,0", "three", opus+"=10,2,4,0"),
			"Broke: nothing; @c3 read 4 of the 2020 tokens that had been left (counted)", "every call"},
		"several calls with little": {session("hello", opus+"=100,2000,0,0", "two", opus+"=10,20,4,0", "three", opus+"=10,2,4,0"),
			"Broke: nothing; 2 of 3 calls read less than had been left, most is missing where @c2 read 4 of the 2000 tokens that had been left (counted)", "every call"},
		"nothing": {session("hello", opus+"=100,2000,0,0", "two", opus+"=100,20,2000,0"),
			"Broke: nothing; every call read what the call before had left, as the provider counted.", "(seen)"},
		// 9 tokens of input, 50,000 read, 81,200 written and 3 of output
		"a break and its cost": {session("go on", opus+"=3,40000,20000,0", "two", opus+"=3,500,60000,0", "three", opus+"=3,40700,20000,0"),
			"Cost: 0.5576 dollars", "(seen)"},
	} {
		t.Run(name, func(t *testing.T) {
			said := ""
			eachDoor(t, []byte(c.log), func(told *opened.Context) { said += strings.Join(told.Sentences, "\n") })
			if !strings.Contains(said, c.says) || strings.Contains(said, c.not) {
				t.Errorf("it lacks %q, or has %q:\n%s", c.says, c.not, said)
			}
		})
	}
}

// TestHelpIsWhatWasTriedOrFound: a program without markers is told to set them, a rewriting agent not to keep what its
// calls begin with.
func TestHelpIsWhatWasTriedOrFound(t *testing.T) {
	long := strings.Repeat("word ", 3000)
	asked := func(calls, tokens int) string {
		var log, messages strings.Builder
		for i := range calls {
			fmt.Fprintf(&messages, `{"role":"user","content":"%s question %d"}`, long, i)
			fmt.Fprintf(&log, `{"request":{"model":"claude-opus-4-8","max_tokens":9,"messages":[%s]},"response":{"id":"m%d","type":"message",`+
				`"role":"assistant","model":"claude-opus-4-8","content":[{"type":"text","text":"answer %d"}],"stop_reason":"end_turn",`+
				`"usage":{"input_tokens":%d,"cache_read_input_tokens":0,"cache_creation_input_tokens":0,"output_tokens":1}}}`+"\n",
				messages.String(), i, i, tokens*(i+1))
			fmt.Fprintf(&messages, `,{"role":"assistant","content":"answer %d"},`, i)
			long = "short"
		}
		return log.String()
	}
	for name, c := range map[string]struct{ log, says string }{
		// 5,000 tokens and 10,000 again at 5 instead of 0.5 dollars a million; 15,000 written at 6.25 instead of 5
		"no markers": {asked(3, 5000), "Helps: to mark for the cache what calls repeat would have saved 0.0488 dollars (computed); pact findings says why."},
		"compacted":  {strings.Replace(session("hello", opus+"=", "two", opus+"="), `"uuid":"n2"`, `"isCompactSummary":true,"uuid":"n2"`, 1), "Helps: nothing"},
	} {
		said := ""
		eachDoor(t, []byte(c.log), func(told *opened.Context) { said += strings.Join(told.Sentences, "\n") })
		if !strings.Contains(said, c.says) {
			t.Errorf("%s lacks %q:\n%s", name, c.says, said)
		}
	}
}

// eachDoor imports a log and compares what breaks and costs by every door: a walk, one over the last calls, what open tells,
// the calls of the log, those of the server and inspector, the prefixes, the findings. The cost of a run is the sum of its
// calls, and no break cost more than its call. each gets what open tells of a context.
func eachDoor(t *testing.T, data []byte, each func(*opened.Context)) {
	ctx, db := t.Context(), pact.NewDB(store.NewMemory())
	log, err := calllog.Read(data)
	if err != nil {
		return // other tests say what of it is wrong
	}
	plan, err := intake.PlanLog(ctx, log, intake.Options{Name: "run"})
	must(t, err)
	made, err := plan.Import(ctx, db, func(int, int) {})
	must(t, err)
	counter, err := tokens.Named("o200k_base")
	must(t, err)
	for _, m := range made {
		c := m.Context
		first, last := c.Info().First, c.Info().Cycle
		if last < first {
			continue
		}
		from, to := pact.Cycle(first), pact.Cycle(last)
		says := map[string]string{}
		note := func(door string, cycle int64, b *view.CacheBreak, cost *float64) {
			paid := "?"
			if cost != nil {
				paid = fmt.Sprintf("%.9f", *cost)
			}
			says[door] += fmt.Sprintf("@c%d paid %s, broke %s\n", cycle, paid, asJSON(b))
		}
		var all view.Totals
		breaks := map[int64]bool{}
		var paid, lost float64
		var walked []string
		for s, err := range view.Walk(ctx, c, from, to, view.WalkOptions{}) {
			must(t, err)
			all.Add(s)
			walked = append(walked, asJSON(s))
			cost := (*float64)(nil)
			if s.Call != nil && s.Call.Cost != nil {
				cost = &s.Call.Cost.Paid
				paid += *cost
				if l := s.Call.Cost.BreakCost; l != nil {
					if lost += *l; *l > *cost {
						t.Errorf("%s, cycle %d: lost %g of %g", c.Info().Name, s.Cycle, *l, *cost)
					}
				}
			}
			if note("walk", s.Cycle, s.Broke, cost); s.Broke != nil {
				breaks[s.Cycle] = true
			}
		}
		for _, at := range []int64{last, max(last-2, first), (first + last) / 2} {
			for s, err := range view.Walk(ctx, c, pact.Cycle(at), to, view.WalkOptions{}) {
				if want := walked[at-first]; err != nil || asJSON(s) != want {
					t.Fatalf("%s, a walk over the cycle %d and later: %v %s\nof all: %s", c.Info().Name, at, err, asJSON(s), want)
				}
				at++
			}
		}
		list, err := view.NewReader(c, view.Bytes, nil, nil).Calls(ctx, from, to)
		must(t, err)
		logged, err := story.Calls(ctx, c, first, last)
		must(t, err)
		for i := range list {
			cost, l := (*float64)(nil), logged[list[i].Cycle]
			if list[i].Attempts != nil {
				cost = list[i].Attempts.Cost
			}
			note("server", list[i].Cycle, list[i].Broke, cost)
			note("log", list[i].Cycle, l.Broke, l.Cost)
		}
		r, err := story.Prefixes(ctx, c, from, to, view.WalkOptions{}, func(int, int) {})
		must(t, err)
		told, err := opened.Describe(ctx, c, func() {})
		if err == nil {
			if err = told.Tell(ctx, c); err == nil {
				err = told.Look(ctx, c, counter, opened.Commands{Findings: "pact findings", Diff: func(int64, int64) string { return "pact diff" }})
			}
		}
		must(t, err)
		report, err := simulate.Findings(ctx, c, simulate.Options{Counter: counter})
		must(t, err)
		found, broken := 0, 0.0
		for _, f := range report.Findings {
			if f.What == simulate.PrefixBroke {
				if f.Cost != nil {
					broken += *f.Cost
				}
				if found++; !breaks[f.Cycle] {
					t.Errorf("%s: the findings break at @c%d", c.Info().Name, f.Cycle)
				}
			}
		}
		if n := len(breaks); len(r.Breaks) != n || len(told.Story.Breaks) != n || found != min(n, 5) {
			t.Errorf("%s broke %d times; prefix %d, open %d, findings %d", c.Info().Name, n, len(r.Breaks), len(told.Story.Breaks), found)
		}
		if s := report.Spent; s.Breaks != len(breaks) || s.Evidence == "computed" && s.Breaks == found && !equal(s.BreakCost, broken) {
			t.Errorf("%s broke %d times, for %g; the findings say %+v", c.Info().Name, len(breaks), broken, s)
		}
		if fmt.Sprint(says["server"]) != says["walk"] || says["log"] != says["walk"] {
			t.Errorf("%s: the doors differ: %v", c.Info().Name, says)
		}
		if a, b, d := asJSON(all), asJSON(r.Totals), asJSON(told.Story.Totals); a != b || a != d {
			t.Errorf("%s: totals differ: %s, prefix %s, open %s", c.Info().Name, a, b, d)
		}
		if total := told.Story.Totals; total.Paid != nil && (!equal(*total.Paid, paid) || !equal(total.BreakCost, lost) ||
			!equal(*report.Spent.Cost, paid) || !equal(report.Spent.BreakCost, lost)) ||
			total.Paid == nil && report.Spent.Evidence == "counted" && report.Spent.Cost != nil {
			t.Errorf("%s: paid %g and lost %g, the findings say %+v", c.Info().Name, paid, lost, report.Spent)
		}
		each(&told)
	}
}

func equal(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// Every door says the same of every real log.
func TestEveryDoorSaysTheSame(t *testing.T) {
	for _, name := range testrun.Shared(t, "data", "*.json*", "agents/*/*.json*", "agents/*/*/*/*.jsonl", "cases/*/*.json*", "cases/*/*.traj") {
		data, err := os.ReadFile(name)
		must(t, err)
		if len(data) > 1<<20 && !testrun.Thorough() {
			continue // the same code, for longer
		}
		t.Run(name, func(t *testing.T) { eachDoor(t, data, func(*opened.Context) {}) })
	}
}

func asJSON(v any) string {
	s, err := json.Marshal(v)
	return string(s) + fmt.Sprint(err)
}

var must = testrun.Must
