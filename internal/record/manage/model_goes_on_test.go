package manage

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
)

// A request that goes on from call to call, its forms and what a ledger says of them are what a new one of each call has that
// follows the whole list. Calls are repeated, answered late and twice, and messages go or change.
func TestARequestThatGoesOnAgreesWithModel(t *testing.T) {
	again, formed := 0, 0
	for seed := range uint64(testrun.Size(t, 50, 300, 10_000)) {
		r := rand.New(rand.NewPCG(9, seed))
		api := []provider.API{provider.Messages, provider.Chat, provider.Responses, provider.Gemini}[r.IntN(4)]
		model := map[provider.API]string{provider.Messages: []string{"claude-sonnet-4-5", "claude-opus-5"}[r.IntN(2)],
			provider.Chat: "gpt-5", provider.Responses: "gpt-5", provider.Gemini: "gemini-3-pro"}[api]
		price := func(string) (Price, bool) { return pricesOfTest, seed%4 > 0 }
		m, l, q, b, other := NewMemory(), NewList(), &Request{}, NewLedger(price), NewLedger(price)
		var before *Request
		said := []any{map[string]any{"role": "user", "content": "Look."}}
		for n := range 25 {
			if r.IntN(8) == 0 {
				said = slices.Clone(said[:1+r.IntN(len(said))])
			}
			said = append(said, message(r, api, n*r.IntN(3)/2)...)
			if r.IntN(3) == 0 {
				said = append(said, map[string]any{"role": "user", "content": fmt.Sprint("Question ", n)})
			}
			body, _ := json.Marshal(map[string]any{"model": model, provider.ListOf(api): said,
				"cache_control": map[string]any{"type": "ephemeral"}})
			came, ok := m.Read(api, "", body, apart)
			if !ok {
				t.Fatal(string(body))
			}
			same := 0
			if before != nil {
				same = came.CommonParts(before)
			}
			q.GoOn(came, same)
			follow := func() *Request {
				want := came.Clone()
				must(t, want.Follow(l))
				must(t, q.Follow(l))
				agree(t, fmt.Sprintf("seed %d, call %d", seed, n), q, want)
				return want
			}
			for range 1 + r.IntN(2) { // a call follows before and after it is decided about
				follow()
				if again += q.again; len(q.formed) > 0 {
					formed++
				}
				decide(r, l, q, n)
			}
			want := follow()
			at := time.Unix(int64(100*n), 0)
			b.Begin(q, at)
			other.Begin(want, at)
			if got, want := q.worstCost(), want.worstCost(); got != want {
				t.Fatalf("seed %d, call %d: what is lacking costs %v, not %v", seed, n, got, want)
			}
			sent, wanted := b.End(q, false), other.End(want, false)
			if !reflect.DeepEqual(sent.Expects, wanted.Expects) || !reflect.DeepEqual(b.Total(), other.Total()) ||
				!slices.Equal(sent.form.first, wanted.form.first) || !slices.Equal(sent.form.parts, wanted.form.parts) ||
				!reflect.DeepEqual(sent.form.prompt, wanted.form.prompt) || !slices.Equal(q.derived.asked.parts, want.derived.asked.parts) {
				t.Fatalf("seed %d, call %d: %+v, want %+v", seed, n, sent, wanted)
			}
			if told := sent.Expects.Sent + int64(r.IntN(30)); r.IntN(4) > 0 {
				u := provider.Usage{In: &told, Cached: &sent.Expects.Read, Written: &sent.Expects.Written}
				b.Learn(sent, u)
				other.Learn(wanted, u)
			}
			before = came
		}
	}
	if again == 0 || formed == 0 {
		t.Errorf("%d calls were made again, %d requests had forms", again, formed)
	}
}

// decide adds some decisions to a list.
func decide(r *rand.Rand, l *List, q *Request, n int) {
	for i := range q.Parts {
		p := &q.Parts[i]
		if p.Key == "" || r.IntN(12) > 0 {
			continue
		}
		d := Decision{Key: p.Key, Action: []Action{Left, Left, Shaped, Raw, Pinned, Same, Cleared}[r.IntN(7)], Text: canon.String(fmt.Sprint("short ", n))}
		if r.IntN(60) == 0 {
			d.Action, d.Text = []Action{Ended, Stopped}[r.IntN(2)], ""
		}
		if p.thinks() {
			d.Action, d.Text = Gone, ""
		}
		if r.IntN(3) > 0 {
			d.Since = q.since
		} else if r.IntN(3) == 0 {
			d.Since = fmt.Sprint("c", r.IntN(n+5))
		}
		if d.Action == Same {
			d.Of = q.Parts[r.IntN(i+1)].Key
		}
		l.Add(d)
	}
}

// agree checks that two requests have the same parts in the same forms.
func agree(t *testing.T, where string, q, want *Request) {
	t.Helper()
	for i := range want.Parts {
		a, b := &q.Parts[i], &want.Parts[i]
		if a.form != b.form || a.again != b.again || a.fresh != b.fresh || a.doubt != b.doubt || a.turn != b.turn {
			t.Fatalf("%s: part %d of %d is %+v, want %+v", where, i, len(q.Parts), a, b)
		}
		if q.again > 0 && a.again && a.Kind == "result" && q.refersTo(i) != nil != (want.refersTo(i) != nil) {
			t.Fatalf("%s: part %d refers elsewhere", where, i)
		}
	}
	if len(q.Parts) != len(want.Parts) || q.again != want.again || q.ended != want.ended || q.stopped != want.stopped ||
		q.why != want.why || q.since != want.since || !slices.Equal(q.formed, want.formed) || !slices.Equal(q.fresh, want.fresh) {
		t.Fatalf("%s: %d parts, %d again, %v, %v; want %d, %d, %v, %v", where, len(q.Parts), q.again, q.ended, q.stopped,
			len(want.Parts), want.again, want.ended, want.stopped)
	}
	q.derived.turns(q, false)
	if want.derived.turns(want, false); !slices.Equal(q.derived.chain, want.derived.chain) || !slices.Equal(q.derived.ends, want.derived.ends) {
		t.Fatalf("%s: the turns differ", where)
	}
}
