package transcript

import (
	"bytes"
	"fmt"
	"math/rand"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// TestKeptMessagesAgreeWithModel: whatever was rendered before, of whatever
// snapshot or fork, the messages are those that the tree gives by itself, and the
// SHA-256 that a thread is sent under is that of its bytes.
func TestKeptMessagesAgreeWithModel(t *testing.T) {
	testrun.OneGoroutine(t)
	ctx := t.Context()
	lives, joints := testrun.Size(t, 10, 60, 600), 0
	for seed := range int64(lives) {
		memory := pact.NewDB(store.NewMemory())
		c, err := pact.Create(ctx, memory, "life", nil)
		must(t, err)
		l := &randomContexts{T: t, Rand: rand.New(rand.NewSource(seed)), contexts: []*pact.Context{c}}
		for n := range 60 {
			l.editAtRandom()
			what := fmt.Sprintf("life %d, step %d", seed, n)
			for range 2 {
				c := l.contexts[l.Intn(len(l.contexts))]
				if err := c.Refresh(ctx); err != nil { // a fork may have erased what this one had read
					t.Fatal(err)
				}
				sameAsModel(t, what, tree.Of(c.Working()))
				if first, last := c.Info().First, c.Info().Cycle; last >= first {
					s, err := c.At(ctx, pact.Cycle(first+l.Int63n(last-first+1)))
					must(t, err)
					sameAsModel(t, what, tree.Of(s))
				}
			}
		}
		joints += resultsOfOtherTurns(l.contexts)
	}
	if joints < lives {
		t.Errorf("only %d results refer to a call of another turn", joints)
	}
}

// TestStraysUnderTheTurnsAreJoined: in a foreign tree, blocks that stand among
// the turns and follow each other are one message where there is a call among
// them, as elsewhere.
func TestStraysUnderTheTurnsAreJoined(t *testing.T) {
	node := func(id, nodeType, kind string, index int64) *tree.Node {
		n := tree.Node{ID: id, Type: nodeType, Index: index, Expiry: tree.Never}
		if kind != "" {
			n.Headers = []tree.Header{{Name: "role", Value: `"assistant"`}, {Name: "kind", Value: canon.String(kind)}}
			n.Content = tree.InMemory(canon.String(id))
		}
		return tree.NewNode(n, nil)
	}
	tr, err := tree.Build(1, []tree.Placed{{Node: node("root", "^root", "", 0), Parent: -1},
		{Node: node("seq", "^seq", "", 1)},
		{Node: node("a", "block", "text", 2), Parent: 1}, {Node: node("b", "block", "call", 3), Parent: 1},
		{Node: node("t", "seg", "", 4), Parent: 1}, {Node: node("c", "block", "text", 5), Parent: 4}})
	must(t, err)
	const want = `[{"content":"a","role":"assistant","tool_calls":[{"function":{"arguments":"b","name":"call"},"id":"b","type":"function"}]},{"content":"c","role":"assistant"}]`
	for range 2 {
		var got bytes.Buffer
		if err := tr.WriteAs(t.Context(), &got, openAIForm); err != nil || got.String() != want {
			t.Errorf("%v\n got %s\nwant %s", err, got.String(), want)
		}
	}
}
