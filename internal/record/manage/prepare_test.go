package manage

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/lifecycle"
)

// After a request that many parts left, the next one grows the tree of the conversation by its own call alone, however long it
// is, if what it needs was prepared meanwhile.
func TestWhatWasPreparedIsNotGrownAgain(t *testing.T) {
	policy, err := lifecycle.ParsePolicy([]byte(`{"when":"now","rules":[{"select":"[kind='result']","ttl":2,"stub":true}]}`))
	must(t, err)
	grows := map[int]int64{}
	for _, calls := range []int{10, 40} {
		c, err := Compile(&policy)
		must(t, err)
		m, l, b := NewMemory(), NewList(), NewLedger(func(string) (Price, bool) { return Price{}, false })
		said, r := []any{map[string]any{"role": "user", "content": "Look."}}, rand.New(rand.NewPCG(2, 2))
		for n := range calls {
			turn := message(r, provider.Chat, n)
			for len(turn) < 2 {
				turn = message(r, provider.Chat, n)
			}
			turn[1].(map[string]any)["content"] = "a long line that a note is shorter than " + string(make([]byte, 200))
			said = append(said, turn...)
			body, _ := json.Marshal(map[string]any{"model": "m", "messages": said})
			q, _ := m.Read(provider.Chat, "", body, apart)
			must(t, q.Follow(l))
			if n >= calls-2 { // before, nothing was decided
				b.Begin(q, time.Unix(int64(n), 0))
				before := c.ticks.Load()
				list, err := c.Decide(t.Context(), l, q, b, func() bool { return false })
				if grows[calls] = c.ticks.Load() - before; err != nil || n == calls-2 && len(list) < calls-4 {
					t.Fatal(list, err)
				}
				for _, d := range list {
					l.Add(d)
				}
				must(t, q.Follow(l))
			}
			must(t, c.Prepare(t.Context(), q))
		}
	}
	if grows[40] > grows[10] {
		t.Errorf("the request after a batch reads the clock of the tree %v times, by its calls", grows)
	}
}
