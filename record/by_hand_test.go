package record_test

import (
	"bytes"
	"testing"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// byHand decides about the result of a call in the last request of a context.
func byHand(t *testing.T, s *pact.DB, what record.ByHand, call string, dry bool) (*record.Handed, error) {
	t.Helper()
	c := opened(t, s, "chat")
	var ids []string
	for n, err := range c.Working().Nodes() {
		must(t, err)
		if of, _ := n.Attrs["wire:call"].(string); of == call && n.Kind == "result" {
			ids = append(ids, n.ID)
		}
	}
	return record.DecideByHand(t.Context(), s, c, what, ids, dry)
}

// managedByHand is a recorder whose policy takes what is older than some calls, and an agent that made one call.
func managedByHand(t *testing.T, name provider.API, s *pact.DB, ttl int64) (*providertest.Provider, *record.Recorder, *agent, record.Options) {
	t.Helper()
	record.SetPatience(time.Minute) // the machine may be busy
	p, url := startProvider(t, callTurns(9)...)
	options := record.Options{Context: "chat", Manage: true, Strict: true, Policy: &lifecycle.Policy{When: lifecycle.WhenNow,
		Rules: []lifecycle.Rule{{Select: ".cb[kind='result']", TTL: &ttl, Stub: true}}}}
	rec := recorder(t, s, options)
	a := newAgent(t, name, url, rec.Transport(nil), false)
	a.ask("Look.")
	a.call()
	return p, rec, a, options
}

// What is dropped by hand is out of the next request of a recorder that runs, with a note in its place, and stays out,
// also for a later recorder, until it is taken back. The provider refuses no request: each call keeps its result.
func TestAResultIsDroppedByHand(t *testing.T) {
	for _, name := range managedAPIs {
		t.Run(string(name), func(t *testing.T) {
			s := pact.NewDB(store.NewMemory())
			p, rec, a, options := managedByHand(t, name, s, 1000)
			sent := func(from, notes, less int) {
				t.Helper()
				asked := works(a, from, from+1)[0]
				all := p.Received()
				got := all[len(all)-1].Body
				if bytes.Count(got, []byte(commit.OnlyPact)) != notes || len(asked)-len(got) != less {
					t.Fatalf("request %d has %d bytes less, not %d: %s", from, len(asked)-len(got), less, got)
				}
			}
			works(a, 0, 2)
			plan, err := byHand(t, s, record.Drop, "c0", true)
			must(t, err)
			sent(2, 0, 0)
			made, err := byHand(t, s, record.Drop, "c0", false)
			must(t, err)
			// The note of the plan says "1 call", that of the next request "2 calls".
			if made.Bytes != plan.Bytes-1 || made.Bytes < 900 || made.Behind <= made.Bytes || made.Behind >= made.Of || len(made.Blocks) != 1 {
				t.Fatalf("%+v, planned %+v", made, plan)
			}
			sent(3, 1, made.Bytes)
			if _, err := byHand(t, s, record.Drop, "c0", false); fault.CodeOf(err) != fault.NodeNotFound {
				t.Errorf("dropped twice: %v", err)
			}
			rec.Close()
			later := recorder(t, s, options)
			a.client.Transport = later.Transport(nil)
			sent(4, 1, made.Bytes)
			back, err := byHand(t, s, record.Undo, "c0", false)
			must(t, err)
			if back.Bytes != -made.Bytes {
				t.Errorf("%+v", back)
			}
			sent(5, 0, 0)
			later.Close()
			for i, r := range p.Received() {
				if r.Refused != "" {
					t.Errorf("request %d was refused: %s", i, r.Refused)
				}
			}
		})
	}
}

// A policy takes all results of a time but the one that is pinned, until that is taken back.
func TestAPinnedResultStays(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	p, rec, a, _ := managedByHand(t, provider.Messages, s, 3)
	works(a, 0, 2)
	_, err := byHand(t, s, record.Pin, "c0", false)
	must(t, err)
	last := func() []byte { all := p.Received(); return all[len(all)-1].Body }
	works(a, 2, 6)
	if got := last(); bytes.Contains(got, []byte("c0 is its id")) || !bytes.Contains(got, []byte("c1 is its id")) {
		t.Errorf("the pinned result went, or the other stayed: %s", got)
	}
	_, err = byHand(t, s, record.Undo, "c0", false)
	must(t, err)
	works(a, 6, 8)
	if got := last(); !bytes.Contains(got, []byte("c0 is its id")) {
		t.Errorf("what is no longer pinned stayed: %s", got)
	}
	rec.Close()
}

// Without a recorder that manages there is nothing to decide, and of what is no result neither.
func TestWhatCannotBeDecidedByHand(t *testing.T) {
	_, url := startProvider(t, callTurns(2)...)
	s := pact.NewDB(store.NewMemory())
	rec := recorder(t, s, record.Options{Context: "chat", Strict: true})
	a := newAgent(t, provider.Chat, url, rec.Transport(nil), false)
	a.ask("Look.")
	a.call()
	works(a, 0, 1)
	rec.Close()
	if _, err := byHand(t, s, record.Drop, "c0", false); fault.CodeOf(err) != fault.ContextNotFound {
		t.Errorf("got %v", err)
	}
	s = pact.NewDB(store.NewMemory())
	_, rec, _, _ = managedByHand(t, provider.Chat, s, 9)
	rec.Close()
	if _, err := byHand(t, s, record.Pin, "c0", false); fault.CodeOf(err) != fault.NodeNotFound {
		t.Errorf("got %v", err)
	}
}
