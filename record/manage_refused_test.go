package record_test

import (
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// Managing ends, and its call says so, if the provider takes the request as it came after it refused the managed one. A
// request that it refuses in both forms, or cannot answer now, ends nothing.
func TestManagingEndsOnlyIfTheRequestIsTakenAsItCame(t *testing.T) {
	for status, ended := range map[int]int{200: 1, 400: 0, 529: 0} {
		again := callTurns(2)[1]
		if status != 200 {
			again = providertest.Turn{Status: status}
		}
		_, url := startProvider(t, callTurns(1)[0], providertest.Turn{Status: 400}, again)
		s := pact.NewDB(store.NewMemory())
		rec := recorder(t, s, record.Options{Context: "chat", Policy: capped(t, ""), Manage: true})
		a := newAgent(t, provider.Messages, url, rec.Transport(nil), false)
		a.ask("Look.")
		a.call()
		a.result("c0", "ls", long(100))
		if _, got, err := a.send(t.Context()); err != nil || got != status {
			t.Fatalf("%d, %v", got, err)
		}
		rec.Close()
		said := 0
		for p, err := range prefixesOf(t.Context(), opened(t, s, "chat"), "", nil) {
			if must(t, err); p.ManagingEnded != "" {
				said++
			}
		}
		if got := rec.Stats().Managed; got.Shaped != 1 || got.Ended != ended || said != ended {
			t.Errorf("%d: the calls say %d times that it ended; %+v", status, said, got)
		}
	}
}
