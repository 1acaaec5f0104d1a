package transcript

import (
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/tokens"
)

// In real runs the first message of the user is in every thread, however small the window,
// under the ready policies that protect it; age alone takes it away. The text to look for
// comes from the messages as they were read.
func TestTheTaskOfRealRunsStaysUnderLimits(t *testing.T) {
	testrun.OneGoroutine(t)
	counter, err := tokens.Named("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	lost, pruned := map[string]int{}, map[string]int{}
	runs := realConversations(t, 40)
	for _, c := range runs {
		task := firstUserText(c)
		if task == "" {
			t.Fatalf("%s %s has no message of the user", c.Shape(), c.Name)
		}
		for _, name := range lifecycle.ReadyNames() {
			for _, most := range []int{1000, 3000} {
				policy, err := lifecycle.Ready(name)
				if err != nil {
					t.Fatal(err)
				}
				policy.MaxTokens = most
				options := &ImportOptions{CreateOptions: pact.CreateOptions{OpenOptions: pact.OpenOptions{Counter: counter}},
					Policy: policy}
				made, err := Import(t.Context(), pact.NewDB(store.NewMemory()), "pruned", c, options)
				if err != nil {
					t.Fatal(err)
				}
				for s, err := range made.History(t.Context(), pact.Cycle(1), pact.Latest()) {
					if err != nil {
						t.Fatal(err)
					}
					text := openAI(t, s)
					if faults := pairingFaults(t, []byte(text)); len(faults) > 0 {
						t.Fatalf("%s %s under %s of %d, snapshot %d: %q", c.Shape(), c.Name, name, most, s.Cycle(), faults)
					}
					if !strings.Contains(text, task) {
						lost[name]++
					}
				}
				if n := len(prunedIn(t, made)); n > 0 {
					pruned[name]++
				}
			}
		}
	}
	t.Logf("%d runs; pruned under: %v; threads without the task: %v", len(runs), pruned, lost)
	for _, name := range lifecycle.ReadyNames() {
		if pruned[name] == 0 {
			t.Errorf("%s pruned nothing", name)
		}
		if strict := name == lifecycle.ReadyStrict; strict != (lost[name] > 0) {
			t.Errorf("%s: the task is missing in %d threads", name, lost[name])
		}
	}
}

// firstUserText returns the first message of the user in a conversation, as JSON has it
// between its quotes.
func firstUserText(c *Conversation) string {
	_, final := c.lists()
	for _, m := range final {
		content, _ := m.Get("content")
		if content.Kind == canon.KindArray && len(content.Elems) > 0 {
			content, _ = content.Elems[0].Get("text")
		}
		if m.role == "user" && content.Kind == canon.KindString {
			text := string(content.Value())
			return text[1 : len(text)-1]
		}
	}
	return ""
}

// prunedIn returns the ids that limits took from a context.
func prunedIn(t *testing.T, c *pact.Context) (ids []string) {
	log, err := logOf(c.Log(t.Context(), 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, report := range reportsOf(t, log) {
		for _, gone := range report.Removed {
			if strings.HasPrefix(gone.Rule, "max_") {
				ids = append(ids, gone.ID)
			}
		}
	}
	return ids
}
