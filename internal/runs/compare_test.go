package runs_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/runs"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

func compared(t *testing.T, a, b *pact.Context) *runs.Comparison {
	t.Helper()
	list := &record.Prices{AsOf: "2026-11-01", Currency: "EUR", Models: []record.Price{{Model: "claude-", Input: 1e6, Output: 2e6, CacheRead: 5e5}}}
	r, err := runs.Compare(t.Context(), a, b, list, letters{}, silent)
	must(t, err)
	return r
}

// letters counts bytes.
type letters struct{}

func (letters) Name() string          { return "letters" }
func (letters) Count(text string) int { return len(text) }

// The runs part at the result of their second tool: the tokens and the money until there are those of the first two
// calls, and B has made one call more since. The turn that B puts in shifts nothing.
func TestCompareTwoRuns(t *testing.T) {
	first, end := []object{user("q")}, called("9", "done", ".", "bye")
	a := recorded(t, "a", growing(first, called("1", "ls", ".", "a"), end)...)
	b := recorded(t, "b", growing(first, called("7", "ls", ".", "a"), called("8", "cat", "a", "text"), end)...)
	r := compared(t, a, b)
	var only []string
	for _, o := range r.Only {
		only = append(only, fmt.Sprint(o.In, " ", o.Call, " ", o.What, " ", o.Tool))
	}
	if got, want := strings.Join(only, "; "), "b 3 call cat; b 3 result cat"; got != want || r.Same != 6 {
		t.Errorf("got %q and %d blocks, want %q and 6", got, r.Same, want)
	}
	p := r.Parts
	if p == nil || p.A != 3 || p.B != 3 || p.Cause != "call" || p.BlockA.Tool != "done" || p.BlockB.Tool != "cat" {
		t.Fatalf("they part at %+v", p)
	}
	for _, there := range []view.Totals{r.A.To, r.B.To} {
		if there.Calls != 2 || there.In != 30 || there.Out != 4 || *there.Paid != 10+10+5+2*4 {
			t.Errorf("to there %+v", there)
		}
	}
	if x, y := r.A.After, r.B.After; x.Calls != 1 || x.In != 30 || y.Calls != 2 || y.In != 30+40 {
		t.Errorf("after %+v and %+v", x, y)
	}
	want := `[{"tool":"cat","to_there":{"calls":0,"tokens":0},"after":{"a":{"calls":0,"tokens":0},"b":{"calls":1,"tokens":4}}},` +
		`{"tool":"done","to_there":{"calls":0,"tokens":0},"after":{"a":{"calls":1,"tokens":3},"b":{"calls":1,"tokens":3}}},` +
		`{"tool":"ls","to_there":{"calls":1,"tokens":1},"after":{"a":{"calls":0,"tokens":0},"b":{"calls":0,"tokens":0}}}]`
	if got := string(written(t, r.Tools)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Runs that send the same part at the answer to the last call, which no call has sent; one that goes on has sent it.
func TestRunsPartAtTheirLastAnswers(t *testing.T) {
	one := growing([]object{user("q")}, called("1", "ls", ".", "a"))
	ends := func(answer string, more ...asked) *pact.Context {
		calls := append(slices.Clone(one), more...)
		calls[len(one)-1].answer = answer
		return recorded(t, "run", calls...)
	}
	goesOn := asked{messages: append(slices.Clone(one[1].messages), assistant("no"), user("more")), answer: "bye"}
	for _, c := range []struct {
		a, b *pact.Context
		says string // "" if they do not part
		only int
	}{
		{ends("no"), ends("no"), "", 0},
		{ends("yes"), ends("no"), `it ends with the assistant message "yes", and it ends with the assistant message "no" in run`, 2},
		{ends(strings.Repeat("-", 99) + "yes"), ends(strings.Repeat("-", 99) + "no"),
			`it ends with the assistant message "…------------yes", and it ends with the assistant message "…------------no" in run`, 2},
		{ends("no"), ends("no", goesOn), "", 2}, // what it says more, and its last answer
		{ends("yes"), ends("no", goesOn), `it ends with the assistant message "yes", and it sends the assistant message "no" in run`, 4},
	} {
		r := compared(t, c.a, c.b)
		says := ""
		if r.Parts != nil {
			says = r.Parts.Says
		}
		if says != c.says || len(r.Only) != c.only || r.A.Blocks+r.B.Blocks-2*r.Same != c.only {
			t.Errorf("%q and %d blocks of %+v, want %q and %d", says, len(r.Only), r, c.says, c.only)
		}
	}
}

// That a call left blocks out is a remark and no block.
func TestARemarkIsNoBlock(t *testing.T) {
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "run", nil)
	for _, edit := range []func(*pact.Batch) error{
		func(b *pact.Batch) error {
			b.Add("^sys", pact.Spec{ID: "one", Role: "system", Kind: "text", Content: "one"})
			return nil
		},
		func(b *pact.Batch) error {
			b.Add("^sys", pact.Spec{ID: "two", Role: "system", Kind: "text", Content: "two"})
			return nil
		},
		func(b *pact.Batch) error { b.Remove("two"); return nil },
	} {
		if err == nil {
			_, err = c.Commit(t.Context(), &pact.CommitOptions{Edit: edit})
		}
	}
	must(t, err)
	if r := compared(t, c, c); r.A.Calls != 3 || r.Same != 2 || r.A.Blocks != 2 || r.B.Blocks != 2 {
		t.Errorf("%+v", r)
	}
}

// Of a run and one with turns put in at drawn places all blocks of the first are the same, whatever says the same
// besides, and no others stand in the second alone.
func TestInsertedTurnsShiftNothing(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 5))
		var kept, more [][]object
		inserted := 0
		for i := range 6 {
			pair := called(fmt.Sprint("k", i), "ls", fmt.Sprint(i), "ok") // all results say the same
			kept, more = append(kept, pair), append(more, pair)
			for range random.IntN(3) {
				inserted++
				more = append(more, called(fmt.Sprint("n", inserted), "cat", fmt.Sprint("new", inserted), fmt.Sprint("ok", random.IntN(2))))
			}
		}
		first := []object{user("q")}
		r := compared(t, recorded(t, "a", growing(first, kept...)...), recorded(t, "b", growing(first, more...)...))
		if r.Same != 1+2*6+1 || len(r.Only) != 2*inserted {
			t.Errorf("seed %d: %d blocks are the same and %d are not, want 14 and %d", seed, r.Same, len(r.Only), 2*inserted)
		}
	}
}

// The two real sessions ask the same question of the same agent; the first message that differs, by their own lines, is
// where they part.
func TestTwoRealSessionsPartWhereTheirLinesDo(t *testing.T) {
	dbA, textA := shared(t, "agents/claude-code/0b549a55-cbb8-4a18-a71c-f4e90c8e271f.jsonl")
	dbB, textB := shared(t, "agents/claude-code/273fd95b-dcbe-4a5e-b07f-9336fd4b4aea.jsonl")
	a, b := saidIn(t, textA), saidIn(t, textB)
	differ := -1
	for i := 0; i < min(len(a), len(b)) && differ < 0; i++ {
		if a[i] != b[i] {
			differ = i
		}
	}
	r := compared(t, opened(t, dbA, "run"), opened(t, dbB, "run"))
	if (r.Parts == nil) != (differ < 0) {
		t.Fatalf("they part at %+v, their lines at %d: %q, %q", r.Parts, differ, a, b)
	}
	if r.Parts != nil && !strings.Contains(a[differ], strings.TrimSuffix(r.Parts.BlockA.Begins, "…")) {
		t.Errorf("they part at %q, their lines at %q", r.Parts.BlockA.Begins, a[differ])
	}
}

// saidIn returns what the messages of a session say, without ids: texts, the input of calls, results.
func saidIn(t *testing.T, text []byte) (list []string) {
	t.Helper()
	for line := range strings.Lines(string(text)) {
		var l struct {
			Type    string
			Message struct{ Content any }
		}
		if json.Unmarshal([]byte(line), &l) != nil || l.Type != "user" && l.Type != "assistant" {
			continue
		}
		if s, ok := l.Message.Content.(string); ok {
			list = append(list, s)
		}
		blocks, _ := l.Message.Content.([]any)
		for _, b := range blocks {
			m := b.(object)
			for _, name := range []string{"text", "input", "content"} {
				if m[name] != nil {
					list = append(list, string(written(t, m[name])))
				}
			}
		}
	}
	return list
}
