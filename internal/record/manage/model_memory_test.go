package manage

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
)

func apart(string, string) bool { return false }

// message returns messages of a drawn turn in the form of an API, some of them odd.
func message(r *rand.Rand, name provider.API, n int) []any {
	text := strings.Repeat(fmt.Sprint("line \"é\" ", n, "\n"), r.IntN(20))
	id := fmt.Sprint("c", n)
	if r.IntN(12) == 0 {
		return []any{[]any{"odd", 7, map[string]any{"role": "system", "content": text}, map[string]any{}, nil}[r.IntN(5)]}
	}
	switch name {
	case provider.Messages:
		return []any{map[string]any{"role": "assistant", "content": []any{
			map[string]any{"type": "thinking", "thinking": text, "signature": id},
			map[string]any{"type": "tool_use", "id": id, "name": "read", "input": map[string]any{"n": n}}}},
			map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": text}}}}
	case provider.Responses:
		return []any{map[string]any{"type": "function_call", "call_id": id, "name": "read", "arguments": "{}"},
			map[string]any{"type": "function_call_output", "call_id": id, "output": text}}
	case provider.Gemini:
		return []any{map[string]any{"role": "model", "parts": []any{map[string]any{"functionCall": map[string]any{"id": id, "name": "read"}}}},
			map[string]any{"role": "user", "parts": []any{map[string]any{"functionResponse": map[string]any{"id": id, "name": "read",
				"response": map[string]any{"output": text}}}}}}
	}
	return []any{map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"id": id, "type": "function",
		"function": map[string]any{"name": "read", "arguments": "{}"}}}},
		map[string]any{"role": "tool", "tool_call_id": id, "content": text}}
}

// A memory that has read the bodies of several conversations, which grow, fork, change their last messages, what stands before and
// behind them, and whose bytes it may have forgotten, reads each as one that knows nothing.
func TestMemoryAgreesWithModel(t *testing.T) {
	defer func(n int) { mostHeld = n }(mostHeld)
	repeated := 0
	for seed := range uint64(testrun.Size(t, 60, 300, 5000)) {
		r := rand.New(rand.NewPCG(34, seed))
		mostHeld = []int{1, 20_000, 32 << 20}[r.IntN(3)]
		name := []provider.API{provider.Messages, provider.Chat, provider.Responses, provider.Gemini}[r.IntN(4)]
		m, all := NewMemory(), [][]any{{map[string]any{"role": "user", "content": "Look."}}}
		for n := range 25 {
			i := r.IntN(len(all))
			said := append([]any(nil), all[i]...)
			switch r.IntN(8) {
			case 0:
				said = said[:1+r.IntN(len(said))]
			case 1:
				said[len(said)-1-r.IntN(min(3, len(said)))] = map[string]any{"role": "user", "content": fmt.Sprint("Instead ", n)}
			}
			said = append(said, message(r, name, n)...)
			if r.IntN(4) == 0 {
				all = append(all, said)
			} else {
				all[i] = said
			}
			list, err := json.Marshal(said)
			must(t, err)
			body := []byte(`{"model":"m",` + []string{"", "", ` "odd":[{"role":"user","content":"Look."}], `}[r.IntN(3)] + `"` + provider.ListOf(name) + `":` +
				string(list) + []string{"", `,"tools":[{"name":"read"}],"stream":true`}[r.IntN(2)] + `}`)
			if before, n := m.repeated(name, body); before != nil && n > 1 {
				repeated++
			}
			got, ok := m.Read(name, "path", body, apart)
			want, also := NewMemory().Read(name, "path", body, apart)
			if ok != also || ok && !alikeRequests(t, got, want) {
				t.Fatalf("seed %d: %s is read as\n%+v\nwant\n%+v", seed, body, got, want)
			}
			if ok {
				for i := range got.Parts {
					got.Parts[i].form, got.Parts[i].again = &Decision{Action: Left}, true // it is the reader's
				}
			}
		}
	}
	t.Logf("%d bodies repeated another one", repeated)
	if repeated == 0 {
		t.Error("nothing was repeated")
	}
}

// alikeRequests reports whether two requests say the same.
func alikeRequests(t *testing.T, a, b *Request) bool {
	t.Helper()
	if !reflect.DeepEqual(a.Of, b.Of) || !reflect.DeepEqual(a.Root, b.Root) || len(a.Parts) != len(b.Parts) ||
		!reflect.DeepEqual(a.calls, b.calls) || !reflect.DeepEqual(a.results, b.results) || a.since != b.since {
		return false
	}
	for i := range a.Parts {
		p, q := a.Parts[i], b.Parts[i]
		if p.Said != nil && q.Said != nil {
			x, err := p.Said()
			y, also := q.Said()
			if err != nil || also != nil || x.Value() != y.Value() {
				return false
			}
		}
		if (p.Said == nil) != (q.Said == nil) || p.result() && a.Tool(&p) != b.Tool(&q) {
			return false
		}
		p.Said, q.Said = nil, nil
		if !reflect.DeepEqual(p, q) {
			return false
		}
	}
	return true
}

// Reading the next body of a conversation allocates what its new messages need and a slice of the parts, not what its bytes need.
func TestReadingTheNextBodyCostsWhatIsNew(t *testing.T) {
	testrun.CountsAllocations(t)
	costs := map[int]float64{}
	for _, size := range []int{1, 16} {
		var said []any
		r := rand.New(rand.NewPCG(1, 1))
		for n := range 40 {
			turn := message(r, provider.Chat, n)
			for len(turn) < 2 { // an odd one
				turn = message(r, provider.Chat, n)
			}
			for _, one := range turn {
				if of, is := one.(map[string]any); is && of["content"] != nil {
					of["content"] = strings.Repeat("word ", 200*size)
				}
				said = append(said, one)
			}
		}
		bodies := make([][]byte, 30)
		for n := range bodies {
			said = append(said, map[string]any{"role": "user", "content": fmt.Sprint("And ", n)})
			list, _ := json.Marshal(said)
			bodies[n] = []byte(`{"model":"m","messages":` + string(list) + `}`)
		}
		m, n := NewMemory(), 0
		m.Read(provider.Chat, "", bodies[0], apart)
		costs[size] = testing.AllocsPerRun(len(bodies)-3, func() {
			n++
			m.Read(provider.Chat, "", bodies[n], apart)
		})
	}
	if costs[16] > costs[1]+2 || costs[1] > 150 {
		t.Errorf("%v allocations", costs)
	}
}
