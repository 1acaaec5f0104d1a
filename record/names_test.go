package record_test

import (
	"slices"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// A recorder may have the name that another one gives to its second conversation, whichever comes first and also at the
// same time: each conversation has a context of its own, and each context the calls of one.
func TestANameThatAnotherRecorderNumbers(t *testing.T) {
	for name, order := range map[string][]string{"numbered first": {"chat-2", "chat", "chat"}, "numbered last": {"chat", "chat", "chat-2"},
		"between": {"chat", "chat-2", "chat"}, "twice": {"chat-2", "chat-2", "chat", "chat"}} {
		for _, together := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				s := pact.NewDB(store.NewMemory())
				rec := map[string]*record.Recorder{}
				for i, of := range order {
					if rec[of] == nil || !together {
						rec[of] = recorder(t, s, record.Options{Context: of, Strict: true})
					}
					_, url := startProvider(t, providertest.Turn{Text: "one"}, providertest.Turn{Text: "two"})
					a := newAgent(t, provider.Chat, url, rec[of].Transport(nil), false)
					a.ask("Question " + string(rune('A'+i)))
					a.call()
					a.ask("more")
					a.call()
					if !together {
						rec[of].Close()
					}
				}
				for _, r := range rec {
					r.Close()
				}
				list, err := pact.List(t.Context(), s)
				must(t, err)
				var names []string
				for _, i := range list {
					c := opened(t, s, i.Name)
					if last := c.Info().Cycle; last != 2 {
						t.Errorf("%s has %d calls: %s", i.Name, last, logOf(t, s, i.Name))
					}
					names = append(names, i.Name)
				}
				if len(names) != len(order) || !slices.Contains(names, "chat") || !slices.Contains(names, "chat-2") {
					t.Errorf("%q", names)
				}
			})
		}
	}
}
