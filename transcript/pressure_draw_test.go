package transcript

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// Parallel calls, texts beside calls, results in another order, lists of parts:
// what a provider would have taken it takes under every policy as well.
func TestDrawnConversationsUnderPressure(t *testing.T) {
	testrun.OneGoroutine(t)
	done := map[string]int{}
	for i := range testrun.Size(t, 60, 150, 3000) {
		rng := rand.New(rand.NewSource(int64(i)))
		c := genConversation(t, rng, false, false)
		p := replay(t, rng, i, c, done)
		p.context(p.made(c))
	}
	t.Logf("what was seen, how often: %v", done)
	for _, what := range []string{"snapshots", "pruned", "stubs"} {
		if done[what] == 0 {
			t.Errorf("the policies never made a snapshot of this kind: %s", what)
		}
	}
}

func replay(t *testing.T, rng *rand.Rand, i int, c *Conversation, done map[string]int) *pressure {
	t.Helper()
	whole, err := Import(t.Context(), pact.NewDB(store.NewMemory()), "whole", c, nil)
	must(t, err)
	policy := genPolicy(rng, whole)
	return &pressure{t, fmt.Sprintf("draw %d under %+v", i, policy), policy, wordCounter{}, done}
}

func (p *pressure) made(c *Conversation) *pact.Context {
	p.Helper()
	made, err := Import(p.Context(), pact.NewDB(store.NewMemory()), "pruned", c,
		&ImportOptions{CreateOptions: pact.CreateOptions{OpenOptions: pact.OpenOptions{Counter: p.counter}},
			Policy: p.policy})
	if err != nil {
		p.Fatalf("%s: %v", p.what, err)
	}
	return made
}

// Where results are late, missing, or several, no policy that keeps pairs whole
// makes it worse: what has no other half had none in the conversation.
func TestOddConversationsUnderPressure(t *testing.T) {
	testrun.OneGoroutine(t)
	for i := range testrun.Size(t, 20, 100, 2000) {
		rng := rand.New(rand.NewSource(int64(i)))
		c := genConversation(t, rng, true, false)
		p := replay(t, rng, i, c, map[string]int{})
		p.policy.Orphans, p.policy.WholePairs = lifecycle.Keep, true
		made := p.made(c)
		for n, list := range sentLists(c) {
			text := sentAt(t, made, n+1)
			had := loneIDs(chatMessages(t, rawList(list)))
			for _, id := range loneIDs(chatMessages(t, text)) {
				if !slices.Contains(had, id) {
					t.Fatalf("%s: in snapshot %d %s is alone, which it was not\n%s", p.what, n+1, id, text)
				}
			}
		}
	}
}

// Where earlier messages are rewritten, what was said instead is there, whatever
// the policy protects or leaves stubs of.
func TestRewrittenConversationsUnderPressure(t *testing.T) {
	testrun.OneGoroutine(t)
	for i := range testrun.Size(t, 20, 100, 2000) {
		rng := rand.New(rand.NewSource(int64(i)))
		c := genConversation(t, rng, false, true)
		p := replay(t, rng, i, c, map[string]int{})
		p.policy.Orphans = lifecycle.Keep
		made := p.made(c)
		for n, list := range sentLists(c) {
			text := sentAt(t, made, n+1)
			if faults := pairingFaults(t, text); len(faults) > 0 {
				t.Fatalf("%s: snapshot %d: %q\n%s", p.what, n+1, faults, text)
			}
			p.partOf(n+1, text, list)
		}
	}
}

// partOf: the messages of a snapshot are those of the list, in order, some left
// out, some with fewer calls or parts or in two with a stub between, and stubs.
func (p *pressure) partOf(n int, text []byte, list []*message) {
	p.Helper()
	at := 0
	for _, m := range chatMessages(p.T, text) {
		said := string(m.Content)
		if p.policy.Stub != "" && said == string(canon.String(p.policy.Stub)) {
			continue
		}
		for at < len(list) && !partOfMessage(m, list[at]) {
			at++
		}
		if at == len(list) {
			p.Fatalf("%s: snapshot %d has the message %+v, which is not what was sent\n%s\n%s", p.what, n, m, text,
				rawList(list))
		}
	}
}

func partOfMessage(m chatMessage, of *message) bool {
	whole := string(of.Value())
	for _, c := range m.ToolCalls {
		if !strings.Contains(whole, `"`+c.ID+`"`) {
			return false
		}
	}
	said := strings.Trim(string(m.Content), "[]")
	return m.Role == of.role && strings.Contains(whole, `"`+m.answers()) &&
		(said == "null" || strings.Contains(whole, said))
}
