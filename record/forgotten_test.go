package record_test

import (
	"testing"
	"time"

	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
)

// Older models of Anthropic see the thinking of the last turn alone: the next question ends what is cached at the
// first thinking of the turn before. Newer ones see all of it. The stand-in caches by the same rule.
func TestThinkingThatAModelForgets(t *testing.T) {
	for _, c := range []struct{ model, cause string }{{"claude-sonnet-4-5", "thinking"}, {"claude-opus-4-8", ""}} {
		tk := newTalk(t, provider.Messages,
			providertest.Turn{Thinking: "hm", Calls: []providertest.Call{{ID: "toolu_1", Name: "ls", Arguments: `{}`}}},
			providertest.Turn{Thinking: "well", Text: "two files"}, providertest.Turn{Thinking: "so", Text: "yes"},
			providertest.Turn{Text: "bye"})
		tk.body["model"] = c.model
		tk.body["cache_control"] = map[string]any{"type": "ephemeral"}
		say := func() {
			tk.now.Add(int64(time.Second))
			tk.call()
		}
		say()
		tk.result("toolu_1", "ls", "a b")
		say() // the turn goes on: its thinking stays
		tk.ask("sure?")
		say() // the turn is over
		tk.ask("bye")
		say()
		list := tk.prefixes("")
		if len(list) != 4 {
			t.Fatalf("%d calls", len(list))
		}
		agreed(t, list)
		for i, p := range list {
			want := ""
			if i == 2 {
				want = c.cause
			}
			got := ""
			if p.Cut != nil {
				got = p.Cut.Cause
			}
			if got != want || got != "" && p.Cut.Node == "" {
				t.Errorf("%s@c%d: %+v, want %q", c.model, p.Cycle, p.Cut, want)
			}
		}
	}
}
