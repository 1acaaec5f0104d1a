package simulate_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/simulate"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tokens"
	"github.com/contexttree/pact/transcript"
)

// wordCounter counts a word as a token.
type wordCounter struct{}

func (wordCounter) Name() string { return "words" }

func (wordCounter) Count(text string) int { return len(strings.Fields(text)) }

// policy parses a policy.
func policy(t testing.TB, text string) lifecycle.Policy {
	t.Helper()
	p, err := lifecycle.ParsePolicy([]byte(text))
	must(t, err)
	return p
}

// priced is a list with one model, whose input costs 1 a token.
func priced(read, write float64) *record.Prices {
	const million = 1e6
	return &record.Prices{AsOf: "2026-11-01", Currency: "units", Models: []record.Price{{Model: "m", Input: million,
		CacheRead: read * million, CacheWrite: write * million, CacheWrite1h: write * million}}}
}

func words(word string, n int) string { return strings.TrimSpace(strings.Repeat(word+" ", n)) }

// conversed returns a run of calls, each of which adds a call of a tool and its result.
func conversed(t testing.TB, results ...string) *pact.Context {
	t.Helper()
	ctx, now := context.Background(), int64(0)
	c, err := pact.Create(ctx, pact.NewDB(store.NewMemory()), "run", &pact.CreateOptions{OpenOptions: pact.OpenOptions{
		Clock: func() int64 { now++; return now }}})
	must(t, err)
	for i, text := range results {
		_, err := c.Commit(ctx, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{ID: fmt.Sprint("c", i), Role: "assistant", Kind: "call", Offset: 1,
				Content: map[string]any{"name": "read", "arguments": fmt.Sprint(i % 3)}})
			b.Add("^ah", pact.Spec{ID: fmt.Sprint("r", i), Role: "tool", Kind: "result", Offset: 1, Content: text,
				Refs: []string{fmt.Sprint("c", i)}})
			return nil
		}})
		must(t, err)
	}
	return c
}

// Of a run whose only call failed, the error names that call.
func TestARunOfAFailedCallHasNoneToReplay(t *testing.T) {
	c := conversed(t)
	a, err := c.StartAttempt(t.Context(), pact.ProviderCall{Provider: "p", Model: "m"}, io.Discard, nil)
	if err == nil {
		_, err = c.EndAttempt(t.Context(), pact.Outcome{ID: a.ID, Status: history.Failed, Err: io.ErrUnexpectedEOF})
	}
	must(t, err)
	_, err = simulate.Run(t.Context(), c, simulate.Options{Counter: wordCounter{}})
	if fault.CodeOf(err) != fault.DocumentInvalid || !strings.Contains(err.Error(), a.ID+", failed: unexpected EOF") {
		t.Error(err)
	}
}

// A run of three calls of one word with results of 100, 10 and 10 words costs, at 1 a token, 1.25 to
// write and 0.1 to read: 101 written; 101 read, 11 written; 112 read, 11 written. A policy that takes
// the first result at the third call, and leaves 14 words of stub with its call, sends 1, 11, 14 and 11
// words and can read 1 of these.
func TestWhatARunCosts(t *testing.T) {
	c := conversed(t, words("a", 100), words("b", 10), words("c", 10))
	r, err := simulate.Run(context.Background(), c, simulate.Options{Counter: wordCounter{}, Prices: priced(0.1, 1.25),
		Model: "m", Dialect: "gemini", Calls: true, Policies: []simulate.Named{
			{"drop", policy(t, `{"when":"now","rules":[{"select":"[bytes>100]","ttl":2,"stub":true}],"stub":"one two three"}`)},
			{"cut", policy(t, `{"when":"now","rules":[{"select":"[bytes>100]","head":9,"tail":0}]}`)},
			{"limit", policy(t, `{"when":"now","max_tokens":123}`)}}})
	must(t, err)
	raw, drop, cut, limit := r.Outcomes[0], r.Outcomes[1], r.Outcomes[2], r.Outcomes[3]
	check := func(what string, got, want any) {
		t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	check("raw", []any{raw.Sent, raw.Read, raw.Written, raw.Breaks}, []any{101 + 112 + 123, 101 + 112, 101 + 11 + 11, 0})
	check("a limit that the last call meets", []any{limit.Sent, limit.Over, limit.Removed}, []any{raw.Sent, 0, 0})
	check("its cost", fmt.Sprintf("%.4f", *raw.Cost), fmt.Sprintf("%.4f", 0.1*213+1.25*123))
	// Third call: 1 + 1+10 + 1+10 + the stub of 3, which stands behind its call.
	check("drop", []any{drop.Sent, drop.Read, drop.Written, drop.Breaks, drop.Removed}, []any{101 + 112 + 26, 101 + 1, 101 + 11 + 25,
		1, 1})
	// It loses 0.1*102 + 1.25*137 - 175.05, and each call like the last reads 123 - 26 words less.
	if further := int64(math.Ceil((0.1*102 + 1.25*137 - 175.05) / (0.1 * (123 - 26)))); drop.Further == nil || *drop.Further != further {
		t.Errorf("it is even after %v calls, want %d", drop.Further, further)
	}
	check("its sentence", r.Sentences[0], "drop loses 6.4000 units on 175.0500, 4 %; it would be even after 1 call more that cut nothing.")
	// aaaaa, then the note: [183 bytes are left out here; c0 has them. Only pact writes such notes.]
	note := len(strings.Fields("[0 bytes are left out here; c0 has them. Only pact writes such notes.]"))
	check("cut", []any{cut.ByCall[0].Sent, cut.Breaks, cut.Shaped}, []any{1 + 5 + note, 0, 1})
	if !strings.Contains(strings.Join(r.Sentences, " "), "cut saves") || !strings.Contains(r.Sentences[len(r.Sentences)-1], "not simulated") {
		t.Errorf("it says %q", r.Sentences)
	}
}

// A log has no markers: where the provider cached, they are assumed. Requests that were recorded have their own, and one
// without any cannot have been cached.
func TestARunOfALogHasTheMarkersThatAgentsPut(t *testing.T) {
	for exact, outcomes := range map[string]int{"rebuilt": 2, "byte-exact": 1} {
		ctx := context.Background()
		run := imported(t, exact, false, func(n int) (in, read, written int) { return 0, 4000 * n, 4000 })
		r, err := simulate.Run(ctx, run, simulate.Options{Counter: wordCounter{}, Prices: priced(0.1, 1.25), Model: "m",
			Policies: []simulate.Named{{"all", policy(t, `{}`)}}})
		must(t, err)
		if len(r.Outcomes) != outcomes || exact == "rebuilt" && r.Outcomes[0].Read != 4000+8000+12000 {
			t.Errorf("%s: %+v, %q", exact, r.Outcomes, r.Sentences)
		}
		told, err := simulate.Findings(ctx, run, simulate.Options{Counter: wordCounter{}, Prices: priced(0.1, 1.25), Model: "m"})
		if err != nil || told.Spent.Cost == nil {
			t.Fatalf("%s: %+v, %v", exact, told, err)
		}
		paid := "Paid were " + view.Money(*told.Spent.Cost) + " " // beside what is computed, however far that is off
		if !strings.Contains(strings.Join(r.Sentences, " "), paid) {
			t.Errorf("%s: %q, want %s", exact, r.Sentences, paid)
		}
	}
}

// A policy is computed of a run whose cache the rules foretell within 2 % of what was sent, and of no other.
func TestAPolicyIsForetoldWhereTheRulesHold(t *testing.T) {
	for less, outcomes := range map[int]int{0: 2, 15: 2, 25: 1, -25: 1} { // thousandths of what was sent
		run := imported(t, "rebuilt", false, func(n int) (in, read, written int) {
			off := less * 4000 * (n + 1) / 1000
			if n == 0 {
				off = 0
			}
			return max(off, 0), 4000*n - off, 4000 + min(off, 0)
		})
		r, err := simulate.Run(t.Context(), run, simulate.Options{Counter: wordCounter{}, Prices: priced(0.1, 1.25), Model: "m",
			Policies: []simulate.Named{{"p", policy(t, `{"max_tokens":3000}`)}}})
		must(t, err)
		said := strings.Join(r.Sentences, " ")
		if len(r.Outcomes) != outcomes || (outcomes == 1) != strings.Contains(said, "cannot be computed") {
			t.Errorf("%d thousandths read less: %d outcomes, %s", less, len(r.Outcomes), said)
		}
	}
}

// A log has no requests: they are made of the thread, and their provider is asked to clear results where the model can be.
func TestTheProviderOfALogIsAskedToClear(t *testing.T) {
	results := []string{words("a", 100), words("b", 100), words("c", 100), words("d", 100)}
	for model, note := range map[string]int{"claude-opus-5": len(strings.Fields("[cleared by the provider]")),
		"claude-2": len(strings.Fields("[Left out after 2 calls; c0 is its id. Only pact writes such notes.]"))} {
		r, err := simulate.Run(t.Context(), conversed(t, results...), simulate.Options{Counter: wordCounter{}, Prices: priced(0.1, 1.25),
			Model: model, Dialect: "anthropic", Calls: true, Policies: []simulate.Named{{"p", policy(t, `{"when":"now","rules":[{"select":"[kind='result']","ttl":2}]}`)}}})
		must(t, err)
		raw, cut := r.Outcomes[0].ByCall[2], r.Outcomes[1].ByCall[2]
		if less := raw.Sent - cut.Sent; less != int64(100-note) || r.Outcomes[1].Removed != 2 {
			t.Errorf("%s: the third call sends %d words less, and %d blocks go", model, less, r.Outcomes[1].Removed)
		}
	}
}

// A call made again after its result went is a regret, and so is a line that stands nowhere else.
func TestRegrets(t *testing.T) {
	const line = "the line that the model quotes later, which is longer than the note in its place: about a hundred bytes"
	c := conversed(t, line, words("two", 40), words("three", 40), words("four", 40), words("five", 40))
	_, err := c.Commit(context.Background(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "says", Role: "assistant", Kind: "text", Offset: 1, Content: "As seen:\n" + line})
		return nil
	}})
	must(t, err)
	run := func(text string) []simulate.Regret {
		r, err := simulate.Run(context.Background(), c, simulate.Options{Counter: wordCounter{},
			Policies: []simulate.Named{{"p", policy(t, text)}}})
		must(t, err)
		return r.Outcomes[1].Regrets
	}
	// Results go at the second call after theirs. c3 repeats the arguments of c0 in the context of the
	// third call, which has lost r0; c4 those of c1 in that of the fourth.
	got := run(`{"when":"now","rules":[{"select":"[kind='result']","ttl":2,"stub":true}]}`)
	want := []simulate.Regret{{Cycle: 4, Node: "c3", Of: "r0", Tool: "read"}, {Cycle: 5, Node: "c4", Of: "r1", Tool: "read"},
		{Cycle: 6, Node: "says", Of: "r0", Text: line}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if got := run(`{"rules":[{"select":"[kind='result']","priority":3}]}`); got != nil {
		t.Errorf("nothing was taken, and it regrets %v", got)
	}
}

// A rule that finds nothing, one that earlier rules leave nothing to, and one that shares what it finds.
func TestCheck(t *testing.T) {
	c := conversed(t, words("a", 100), words("b", 10), words("c", 10))
	list, err := simulate.Check(context.Background(), c, policy(t, `{"rules":[{"select":"[bytes>100]","ttl":9},
		{"select":"[bytes>150]","ttl":3},{"select":"[kind='result']","ttl":5},{"select":"+gone","keep":true},
		{"select":"^ah .cb","priority":4}]}`), wordCounter{})
	must(t, err)
	var got []string
	for _, r := range list {
		got = append(got, fmt.Sprint(r.Finds, r.Decides, r.Shadowed, r.Examples))
	}
	want := []string{"1 1 [] [r0]", "1 0 [1] []", "3 2 [1] [r1 r2]", "0 0 [] []", "6 3 [1 3] [c0 c1 c2]"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// shared returns the runs of ../shared/data, and what they were made of.
func shared(t testing.TB) (list []*pact.Context, of []*transcript.Conversation) {
	t.Helper()
	ctx := context.Background()
	for _, path := range testrun.Shared(t, "data", "swe-smith-*.traj", "tau-bench-gpt-4o-airline.json") {
		name := filepath.Base(path)
		data, err := os.ReadFile(path)
		must(t, err)
		all, err := transcript.Read(data)
		must(t, err)
		for i, conversation := range all {
			if i >= 20 {
				break // of 200
			}
			c, err := transcript.Import(ctx, pact.NewDB(store.NewMemory()), fmt.Sprint(strings.TrimSuffix(name, filepath.Ext(name)), "/", i), conversation, nil)
			must(t, err)
			list, of = append(list, c), append(of, conversation)
		}
	}
	return list, of
}

// table are the policies of docs/policies.md.
var table = []struct{ name, text string }{
	{"mask all but the last 10 results", `{"rules":[{"select":"@t0 ^seq .mt:depth(10-99999) .cb[kind='result']","ttl":0,"stub":true}]}`},
	{"clear tool uses over 100,000 tokens", `{"max_tokens":100000,"protect_turns":3,"ranks":{"result":-40,"call":-40},"stub":"[cleared]"}`},
	{"cap at entry", `{"rules":[{"select":"[kind='result'][bytes>4000]","head":2000,"tail":1000}]}`},
	{"mask when cold", `{"when":"cold","rules":[{"select":"@t0 ^seq .mt:depth(10-99999) .cb[kind='result']","ttl":0,"stub":true}]}`},
	{"cap and lifetimes, when it pays", `{"when":"pays","rules":[{"select":"[kind='result'][bytes>4000]","head":2000,"tail":1000,"ttl":12,"stub":true},
		{"select":"[kind='result'][bytes>400]","ttl":8,"stub":true}]}`},
}

// With when pays, no policy is dearer than the run as it was, on any real run at any price of reading.
// -v prints the table of docs/policies.md.
func TestTableOfPolicies(t *testing.T) {
	testrun.Long(t, "replays all real runs under five policies; TestPaysIsNeverDearer draws some")
	testrun.OneGoroutine(t)
	counter, err := tokens.Named("o200k_base")
	must(t, err)
	runs, _ := shared(t)
	var long []string
	for i := range testrun.Size(t, 120, 120, 200) {
		long = append(long, words(fmt.Sprint("word", i), 200+i*37%1500))
	}
	runs = append(runs, conversed(t, long...))
	for _, read := range []float64{0.1, 0.025, 0.05}[:testrun.Size(t, 2, 2, 3)] {
		costs := make(map[string]map[string]float64)
		for _, c := range runs {
			o := simulate.Options{Counter: counter, Prices: priced(read, 1.25), Model: "m", Dialect: "anthropic"}
			for _, p := range table {
				o.Policies = append(o.Policies, simulate.Named{Name: p.name, Policy: policy(t, p.text)})
			}
			r, err := simulate.Run(context.Background(), c, o)
			if err != nil {
				t.Fatal(c.Info().Name, err)
			}
			group, _, _ := strings.Cut(c.Info().Name, "/")
			if costs[group] == nil {
				costs[group] = map[string]float64{}
			}
			for i := range r.Outcomes {
				costs[group][r.Outcomes[i].Policy] += *r.Outcomes[i].Cost
			}
			raw, pays := *r.Outcomes[0].Cost, *r.Outcomes[len(table)].Cost
			if pays > raw*(1+1e-9) {
				t.Errorf("%s at a read price of %g: %.1f with when pays, %.1f without a policy", c.Info().Name, read, pays, raw)
			}
		}
		for group, of := range costs {
			for i, p := range table {
				if group == "run" && i == 1 {
					continue // a limit is no trigger: the provider would clear more at once, nearer to the end
				}
				t.Logf("| %s | %g | %s | %+.1f %% |", group, read, p.name, 100*(of[p.name]/of["none"]-1))
			}
		}
	}
}

// imported returns a run of four calls that ask on, with the tokens that the provider counted of each. With tools each
// answer calls the same one again, which says the same.
func imported(t *testing.T, exact string, tools bool, counted func(call int) (in, read, written int)) *pact.Context {
	t.Helper()
	ctx, s := context.Background(), pact.NewDB(store.NewMemory())
	i, err := record.NewImporter(ctx, s, record.ImportOptions{Context: "run", Source: map[string]any{"exact": exact}})
	must(t, err)
	said := `{"role":"user","content":"a question"}`
	for n := range 4 {
		in, read, written := counted(n)
		says, next := fmt.Sprintf(`{"type":"text","text":"a%d"}`, n), `"more"`
		if tools {
			says = fmt.Sprintf(`{"type":"tool_use","id":"t%d","name":"read","input":{"file":"a"}}`, n)
			next = fmt.Sprintf(`[{"type":"tool_result","tool_use_id":"t%d","content":"says the same"}]`, n)
		}
		answer := fmt.Sprintf(`{"type":"message","role":"assistant","content":[%s],"usage":{"input_tokens":%d,`+
			`"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"output_tokens":1}}`, says, in, read, written)
		_, err = i.Add(ctx, record.PastCall{API: "anthropic.messages", Path: "/v1/messages", Status: 200, Answer: []byte(answer),
			Body: []byte(`{"model":"m","max_tokens":9,"messages":[` + said + `]}`)})
		must(t, err)
		said += `,{"role":"assistant","content":[` + says + `]},{"role":"user","content":` + next + `}`
	}
	run, err := pact.Open(ctx, s, "run", nil)
	must(t, err)
	return run
}
