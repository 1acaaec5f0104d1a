package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
)

// storyCalls is how many calls the story has.
const storyCalls = 12

// story makes the context that most tests look at: an agent of twelve calls, each with a
// text, a call of a tool and its result. Its prefix is cut twice: call 6 has another system
// prompt, and call 9 lacks the call of the tool in call 3 and its result, because the result
// was pruned by name and takes its call along. What call 7 called failed. It
// returns the open context, to which the test may commit as another process would.
func story(t testing.TB, db, name string) *pact.Context {
	t.Helper()
	return told(t, create(t, db, name))
}

// inEditions tries a journey over the story, which is named story, in the edition of new contexts and in 1.0.
func inEditions(t *testing.T, journey func(b *tab)) {
	for _, edition := range []selector.Edition{selector.Canonical, selector.V1} {
		t.Run(string(edition), func(t *testing.T) {
			db := sqliteFile(t)
			c, err := pact.Create(t.Context(), openStore(t, db), "story", &pact.CreateOptions{Edition: edition})
			if err != nil {
				t.Fatal(err)
			}
			told(t, c)
			b := newTab(t, serve(t, db))
			b.signIn()
			journey(b)
		})
	}
}

// told tells the story in an empty context.
func told(t testing.TB, c *pact.Context) *pact.Context {
	t.Helper()
	for cycle := 1; cycle <= storyCalls; cycle++ {
		o := &pact.CommitOptions{Note: pact.Note{Actor: "agent", Message: fmt.Sprint("step ", cycle)}}
		o.Edit = func(b *pact.Batch) error {
			switch cycle {
			case 1:
				b.Add("^sys", pact.Spec{ID: "rules", Role: "system", Kind: "text", Content: "You are a careful engineer."})
				b.Add("^ah", pact.Spec{ID: "task", Role: "user", Kind: "text", Content: "Please make the tests pass."})
			case 6:
				b.Update("rules", func(s *pact.Spec) { s.Content = "You are a careful engineer. It is Monday." })
			}
			storyStep(b, cycle)
			return nil
		}
		if cycle == 9 {
			o.Pruning = &pact.Pruning{IDs: []string{"result3"}, Policy: lifecycle.Policy{WholePairs: true}} // its call goes too
		}
		if _, err := c.Commit(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// storyStep adds what the call of one cycle brought.
func storyStep(b *pact.Batch, cycle int) {
	text, call, result := fmt.Sprint("text", cycle), fmt.Sprint("call", cycle), fmt.Sprint("result", cycle)
	b.Add("^ah", pact.Spec{ID: text, Role: "assistant", Kind: "text", Content: fmt.Sprintf("Step %d is next.", cycle)})
	b.Add("^ah", pact.Spec{ID: call, Role: "assistant", Kind: "call", Offset: 1,
		Content: map[string]any{"name": "bash", "arguments": fmt.Sprintf(`{"command":"make step%d"}`, cycle)}})
	spec := pact.Spec{ID: result, Role: "tool", Kind: "result", Offset: 1, Refs: []string{call},
		Content: fmt.Sprintf("what step %d printed\n", cycle) + strings.Repeat("a line of output\n", 10*cycle)}
	if cycle == 7 {
		spec.Attrs = map[string]any{"wire:failed": true}
	}
	b.Add("^ah", spec)
}
