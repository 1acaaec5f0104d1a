package runs_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/runs"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// words counts words.
type words struct{}

func (words) Name() string          { return "words" }
func (words) Count(text string) int { return len(strings.Fields(text)) }

// rewritesOf returns the rewrites of a context, with 10 for a million tokens of input, 1 to read them, 12 to write them and
// 50 for the answer.
func rewritesOf(t *testing.T, db *pact.DB, name string) *runs.Rewrites {
	t.Helper()
	prices := &record.Prices{AsOf: "2026-11-01", Currency: "EUR", Models: []record.Price{{Model: "claude-opus-4-8", Input: 10,
		Output: 50, CacheRead: 1, CacheWrite: 12, CacheWrite1h: 20}}}
	r, err := runs.RewritesOf(t.Context(), db, opened(t, db, name), prices, words{}, silent)
	must(t, err)
	return r
}

// is reports whether a number is known and what it should be.
func is(got *float64, want float64) bool { return got != nil && math.Abs(*got-want) < 1e-12 }

func count(n int64) *int64 { return &n }

func texts(list []runs.Line) (all []string) {
	for _, line := range list {
		all = append(all, line.Text)
	}
	return all
}

// An agent asks aside for a summary of 9000 tokens and goes on with 4000. The summary cost 9000 read and 100 written by the
// model, (9000 + 100·50) / 10⁶; 4000 were written to the cache and not read, 4000·(12-1) / 10⁶; and two calls did not read
// 5000 more each.
func TestACompactionSaysWhatItCostAndSavedAndWhatWent(t *testing.T) {
	db := pact.NewDB(store.NewMemory())
	first := []object{user("start")}
	one, two := called("1", "cat", "a", "text of a"), called("2", "cat", "b", "text of b")
	said := "The user wants: keep the names. Files a and b were read, and both look right so far; nothing has been changed in them yet."
	whole := slices.Concat(first, one, []object{assistant("started"), user("fix it\n\nkeep the names")}, two)
	tools := []string{"cat"}
	after := slices.Concat(first, []object{user(said), user("go on")})
	recordedIn(t, db, record.ImportOptions{Context: "run"},
		asked{tools: tools, messages: first, in: 1000, written: 1000},
		asked{tools: tools, messages: slices.Concat(first, one), in: 5000, cached: 1000, written: 4000, answer: "started"},
		asked{tools: tools, messages: whole, in: 9000, cached: 5000, written: 4000},
		asked{system: "You summarize conversations.", messages: whole, in: 9000, cached: 9000, out_: 100, answer: said},
		asked{tools: tools, messages: after, in: 4000, written: 4000},
		asked{tools: tools, messages: slices.Concat(after, called("3", "cat", "a", "text of a"), called("4", "cat", "c", "C")),
			in: 5000, cached: 4000, written: 1000})
	made := rewritesOf(t, db, "run")
	if len(made.List) != 1 || made.Calls != 5 || made.Currency != "EUR" {
		t.Fatalf("got %+v", made)
	}
	r := made.List[0]
	size := runs.RewriteTokens{Before: count(9000), After: count(4000), Evidence: "counted"}
	if r.Call != 4 || r.By != runs.ByAgent || !reflect.DeepEqual(r.Tokens, size) {
		t.Errorf("got %+v with %+v", r, r.Tokens)
	}
	if p := r.Price; !reflect.DeepEqual(p.Again, count(4000)) || !is(p.Cache, 0.044) || p.Evidence != "counted" ||
		!slices.Equal(p.Calls, []string{"run/summary-1"}) || !is(p.Summary, 0.014) {
		t.Errorf("the price is %+v", p)
	}
	if s := r.Saved; s.Calls != 2 || !reflect.DeepEqual(s.Tokens, count(10000)) || !is(s.Cost, 0.01) {
		t.Errorf("it saved %+v", s)
	}
	if l := r.Lines; l.Of != 3 || l.Survive != 2 || !slices.Equal(texts(l.Gone), []string{"fix it"}) ||
		!slices.Equal(texts(l.Surviving), []string{"start", "keep the names"}) {
		t.Errorf("of the user's lines %+v", l)
	}
	if len(r.Again) != 1 || r.Again[0].Call != 5 || r.Again[0].Tool != "cat" || !strings.Contains(r.Again[0].Begins, `"a"`) {
		t.Errorf("asked for again: %+v", r.Again)
	}
	if r.Summary == nil || r.Summary.Text != said {
		t.Errorf("the summary is %+v", r.Summary)
	}
}

// The call behind the compaction asks another model, which has cached nothing: that the cache was not read has that cause.
func TestWhatAnotherModelCostsIsNoPriceOfACompaction(t *testing.T) {
	db := pact.NewDB(store.NewMemory())
	first := slices.Concat([]object{user("q")}, called("1", "cat", "a", "A"), called("2", "cat", "b", "B"))
	recordedIn(t, db, record.ImportOptions{Context: "run"}, asked{messages: first, in: 9000, written: 9000},
		asked{messages: []object{user("a and b"), user("go")}, in: 4000, written: 4000, model: "claude-sonnet-4-5", rewrites: true})
	r := rewritesOf(t, db, "run").List[0]
	if p := r.Price; p.Again != nil || p.Cache != nil || p.Evidence != "unknown" || p.Summary != nil {
		t.Errorf("the price is %+v", p)
	}
	if s := r.Saved; s.Calls != 1 || !reflect.DeepEqual(s.Tokens, count(5000)) || s.Cost != nil {
		t.Errorf("it saved %+v of a model without a price", s)
	}
}

// A provider says of two calls that it cleared 2000 tokens, of the next that it cleared 2500, and of the last nothing.
func TestWhatAProviderClearsIsARewriteWhenItChanges(t *testing.T) {
	db := pact.NewDB(store.NewMemory())
	calls := growing([]object{user("q")}, called("1", "cat", "a", "A"), called("2", "cat", "b", "B"), called("3", "cat", "c", "C"),
		called("4", "cat", "d", "D"))
	for i, cleared := range []int{0, 2000, 2000, 2500, 0} {
		calls[i].in, calls[i].cleared = 3000, cleared
	}
	recordedIn(t, db, record.ImportOptions{Context: "run"}, calls...)
	list := rewritesOf(t, db, "run").List
	if len(list) != 2 {
		t.Fatalf("got %+v", list)
	}
	for i, want := range []struct{ call, before, calls, saved int64 }{{2, 5000, 2, 4000}, {4, 5500, 1, 2500}} {
		r := list[i]
		if r.Call != want.call || r.By != runs.ByProvider || r.Again != nil || r.Summary != nil || r.Saved.Calls != int(want.calls) ||
			!reflect.DeepEqual(r.Tokens, runs.RewriteTokens{Before: &want.before, After: count(3000), Evidence: "counted"}) ||
			!reflect.DeepEqual(r.Saved.Tokens, &want.saved) || r.Lines.Of != 1 || r.Lines.Survive != 1 {
			t.Errorf("got %+v, want %+v", r, want)
		}
	}
}

// A message with a time to live of two calls goes at the third; nobody called a provider.
func TestWhatExpiresIsARewriteByAPolicy(t *testing.T) {
	db := pact.NewDB(store.NewMemory())
	c, err := pact.Create(t.Context(), db, "run", nil)
	must(t, err)
	for i, text := range []string{"look at it", "two words", "go on"} {
		_, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			spec := pact.Spec{Role: "user", Content: text}
			if i == 0 {
				spec.TTL = new(int64(2))
			}
			b.Add("^ah", spec)
			return nil
		}})
		must(t, err)
	}
	list := rewritesOf(t, db, "run").List
	if len(list) != 1 {
		t.Fatalf("got %+v", list)
	}
	r := list[0]
	if r.By != runs.ByPolicy || !slices.Equal(texts(r.Lines.Gone), []string{"look at it"}) || r.Price.Again != nil ||
		r.Price.Evidence != "unknown" || r.Tokens.Evidence != "computed" || r.Saved.Cost != nil || r.Summary != nil {
		t.Errorf("got %+v", r)
	}
}

// A fork whose first call has another message in the place of one, and answers behind it, goes on behind a compaction in its
// origin; one that a user began by another message does not, also with the beginning of its answer.
func TestAForkThatSendsAnswersBehindAnotherMessageIsACompaction(t *testing.T) {
	for _, c := range []struct {
		messages []object
		found    int
	}{
		{[]object{user("hello"), assistant("yes"), user("in short"), assistant("found it here"), user("go on")}, 1},
		{[]object{user("hello"), assistant("yes"), user("look there")}, 0},
		{[]object{user("hello"), assistant("yes"), user("look there"), assistant("{")}, 0},
	} {
		db := pact.NewDB(store.NewMemory())
		calls := growing([]object{user("hello")}, []object{assistant("yes"), user("look")}, []object{assistant("yes"), user("say it again")})
		recordedIn(t, db, record.ImportOptions{Context: "run"}, append(calls, asked{messages: c.messages})...)
		list := rewritesOf(t, db, "run-2").List
		if len(list) != c.found {
			t.Fatalf("%d messages: got %+v", len(c.messages), list)
		}
		for _, r := range list {
			if r.By != runs.ByAgent || !strings.HasPrefix(r.Says, "it goes on behind run@c3") || *r.Tokens.Before != 7 || *r.Tokens.After != 9 {
				t.Errorf("got %+v, %d → %d", r, *r.Tokens.Before, *r.Tokens.After)
			}
		}
	}
}

// Words within others do not count as quoted, whatever stands in the place of what went.
func TestALineSurvivesAsWholeWords(t *testing.T) {
	for summary, survives := range map[string]bool{"it took long": false, "say ok.": true, "ok": true, "okay": false,
		"ökök ok": true, "-": false} {
		db := pact.NewDB(store.NewMemory())
		first := slices.Concat([]object{user("ok")}, called("1", "cat", "a", "A"), called("2", "cat", "b", "B"))
		recordedIn(t, db, record.ImportOptions{Context: "run"}, asked{messages: first},
			asked{messages: []object{user(summary + "!"), assistant("yes"), user("go")}, rewrites: true})
		list := rewritesOf(t, db, "run").List
		if len(list) != 1 || list[0].Lines.Of != 1 || (list[0].Lines.Survive == 1) != survives {
			t.Errorf("%q: got %+v", summary, list)
		}
	}
}

// What a real session of Claude Code and one of Codex say of their compactions is what their lines have, read here without an
// importer.
func TestTheCompactionsOfRealSessionsAreWhatTheirLinesHave(t *testing.T) {
	type line struct {
		Type             string
		Subtype          string
		IsCompactSummary bool
		Message          struct {
			Content any
			Usage   map[string]any
		}
		Payload struct {
			Type, Role, Message string
			Content             any
			Replacement         []any `json:"replacement_history"`
			Info                struct {
				Last struct {
					In *int64 `json:"input_tokens"`
				} `json:"last_token_usage"`
			}
		}
	}
	// how many counts behind the last call before are those of the call for the summary
	for file, summaries := range map[string]int{"agents/claude-code/c1d3b534-314a-47c1-89e6-e46b2f54cc7e.jsonl": 0,
		"agents/codex/rollout-2026-11-22T08-26-32-01a2025d-3599-7713-9bb1-a58b32bb6c16.jsonl": 1} {
		db, text := shared(t, file)
		var counts [2][]int64 // before the compaction and behind it
		var said, sent []string
		behind := 0
		for raw := range strings.Lines(string(text)) {
			var l line
			must(t, json.Unmarshal([]byte(raw), &l))
			if l.Subtype == "compact_boundary" || l.Type == "compacted" {
				behind = 1
			}
			switch u := l.Message.Usage; {
			case u != nil:
				in, _ := u["input_tokens"].(float64)
				read, _ := u["cache_read_input_tokens"].(float64)
				wrote, _ := u["cache_creation_input_tokens"].(float64)
				if in+read+wrote > 0 {
					counts[behind] = append(counts[behind], int64(in+read+wrote))
				}
			case l.Payload.Type == "token_count" && l.Payload.Info.Last.In != nil && *l.Payload.Info.Last.In > 0:
				counts[behind] = append(counts[behind], *l.Payload.Info.Last.In)
			}
			if words, ok := l.Message.Content.(string); ok && l.Type == "user" && behind == 0 {
				said = append(said, words)
			}
			if l.Payload.Role == "user" && behind == 0 {
				said = append(said, textsIn(l.Payload.Content)...)
			}
			if behind == 1 {
				sent = slices.Concat(sent, textsIn(l.Message.Content), textsIn(l.Payload.Content), textsIn(l.Payload.Replacement))
			}
		}
		var gone []string
		for _, text := range said {
			for line := range strings.Lines(text) {
				line = strings.TrimSpace(line)
				has := func(text string) bool { return strings.Contains(text, line) }
				if line != "" && !slices.ContainsFunc(sent, has) {
					gone = append(gone, line)
				}
			}
		}
		before := counts[0][len(counts[0])-1-summaries]
		list := rewritesOf(t, db, "run").List
		if len(list) != 1 {
			t.Fatalf("%s: got %+v", file, list)
		}
		r := list[0]
		if want := (runs.RewriteTokens{Before: &before, After: &counts[1][0], Evidence: "counted"}); !reflect.DeepEqual(r.Tokens, want) {
			t.Errorf("%s: got %+v, want %+v", file, r.Tokens, want)
		}
		if !slices.Equal(texts(r.Lines.Gone), gone) || r.Lines.Of != r.Lines.Survive+len(gone) || r.Summary == nil {
			t.Errorf("%s: got %+v, want %q", file, r.Lines, gone)
		}
	}
}

// textsIn returns the texts of a content.
func textsIn(v any) (list []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, e := range v {
			list = append(list, textsIn(e)...)
		}
	case map[string]any:
		list = append(textsIn(v["text"]), textsIn(v["content"])...)
	}
	return list
}
