package record_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// ids returns the ids of the blocks of a snapshot in the order of its thread.
func ids(t *testing.T, s *pact.Snapshot) (list []string) {
	t.Helper()
	for n, err := range s.Nodes() {
		must(t, err)
		if n.Kind != "" {
			list = append(list, n.ID)
		}
	}
	return list
}

// From call k on the agent shortens old results of tools. Those are replaced in
// their places, and every other block keeps its id.
func TestAShortenedResultIsReplacedInItsPlace(t *testing.T) {
	for _, every := range []int{100, 3, 2} { // one, a third, half of the results
		const calls, k = 8, 5
		var script []providertest.Turn
		for i := range calls {
			id := fmt.Sprintf("c%d", i)
			script = append(script, providertest.Turn{Text: "t" + id, Calls: []providertest.Call{{ID: id, Name: "ls",
				Arguments: "{}"}}})
		}
		p, url := startProvider(t, script...)
		s := pact.NewDB(store.NewMemory())
		rec := recorder(t, s, record.Options{Context: "chat"})
		a := newAgent(t, provider.Chat, url, rec.Transport(nil), false)
		a.ask("Go on.")
		shortened := 0
		for i := range calls {
			if i == k {
				for j, n := 0, 0; j < len(a.said); j++ {
					m := a.said[j].(map[string]any)
					if m["role"] != "tool" {
						continue
					}
					if n%every == 0 {
						m["content"] = "(cut)"
						if n < k-1 {
							shortened++ // the last one was not sent before
						}
					}
					n++
				}
			}
			a.call()
			a.result(fmt.Sprintf("c%d", i), "ls", strings.Repeat(fmt.Sprintf("line %d\n", i), 50))
		}
		rec.Close()
		c := opened(t, s, "chat")
		sentAsReceived(t, c, p)
		before, err := c.At(t.Context(), pact.Cycle(k))
		must(t, err)
		after, err := c.At(t.Context(), pact.Cycle(k+1))
		must(t, err)
		old, now := ids(t, before), ids(t, after)
		changed := 0
		for i, id := range old {
			if now[i] == id {
				continue
			}
			changed++
			n, err := after.Node(now[i])
			must(t, err)
			if n.Attrs["wire:replaces"] != id {
				t.Errorf("every %d: %s stands for %v, want %s", every, now[i], n.Attrs["wire:replaces"], id)
			}
		}
		said := false
		for e, err := range c.Log(t.Context(), 0) {
			must(t, err)
			said = said || strings.Contains(e.Message, fmt.Sprintf("it changed %d of them", shortened))
		}
		if !said {
			t.Errorf("every %d: the log does not say that the agent changed %d blocks", every, shortened)
		}
		if changed != shortened {
			t.Errorf("every %d: %d blocks changed, %d were shortened", every, changed, shortened)
		}
	}
}

// Whatever an agent makes of its conversation between two calls, each call gives
// back what was sent, and what the longest common run has keeps its id.
func TestAnyRewritingGivesBackWhatWasSent(t *testing.T) {
	testrun.OneGoroutine(t)
	for seed := range uint64(testrun.Size(t, 6, 12, 100)) {
		random := rand.New(rand.NewPCG(seed, 13))
		p, url := startProvider(t)
		s := pact.NewDB(store.NewMemory())
		rec := recorder(t, s, record.Options{Context: "chat"})
		a := newAgent(t, provider.Chat, url, rec.Transport(nil), false)
		for i := range 25 {
			a.said = rewritten(random, a.said, i)
			if got, status, err := a.send(t.Context()); err != nil || status != 200 {
				t.Fatal(got, status, err)
			}
		}
		rec.Close()
		if got := rec.Stats(); got.NotRecorded > 0 {
			t.Fatal(got.LastError)
		}
		var bodies []string
		for _, r := range p.Received() {
			bodies = append(bodies, string(r.Body))
		}
		for _, name := range rec.Contexts() {
			for _, body := range ownBodies(t, s, name) {
				at := slices.Index(bodies, body)
				if at < 0 {
					t.Fatalf("seed %d: %s has a call that was not sent: %s", seed, name, body)
				}
				bodies = slices.Delete(bodies, at, at+1)
			}
		}
		if len(bodies) > 0 {
			t.Errorf("seed %d: %d requests come back from no cycle", seed, len(bodies))
		}
	}
}

// rewritten changes a conversation at random: at the end, in the middle, at the
// beginning, its order, its system prompt.
func rewritten(random *rand.Rand, said []any, n int) []any {
	said = slices.Clone(said)
	for range 1 + random.IntN(3) {
		at := random.IntN(len(said) + 1)
		role := []string{"user", "assistant", "system"}[random.IntN(3)]
		m := message(role, fmt.Sprintf("%d-%d", n, random.IntN(4)))
		switch random.IntN(6) {
		case 0, 1:
			said = append(said, m)
		case 2:
			said = slices.Insert(said, at, any(m))
		case 3:
			if at < len(said) && len(said) > 1 {
				said = slices.Delete(said, at, at+1)
			}
		case 4:
			if at < len(said) {
				said[at] = m
			}
		default:
			if at > 1 && at < len(said) {
				said[at], said[at-1] = said[at-1], said[at]
			}
		}
	}
	return append(said, any(message("user", fmt.Sprintf("go on %d", n))))
}
