package record_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// byHand decides about the result of a call in the last request of a context.
func byHand(t *testing.T, s *pact.DB, what record.ByHand, call string, dry bool) (*record.DecidedByHand, error) {
	t.Helper()
	return byHandIn(t, s, "chat", what, call, dry)
}

func byHandIn(t *testing.T, s *pact.DB, name string, what record.ByHand, call string, dry bool) (*record.DecidedByHand, error) {
	t.Helper()
	c := opened(t, s, name)
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
	return managedWith(t, name, s, callTurns(9), lifecycle.Rule{Select: ".cb[kind='result']", TTL: &ttl, Stub: true})
}

func managedWith(t *testing.T, name provider.API, s *pact.DB, script []providertest.Turn, rule lifecycle.Rule) (*providertest.Provider,
	*record.Recorder, *agent, record.Options) {
	t.Helper()
	record.SetPatience(time.Minute) // the machine may be busy
	p, url := startProvider(t, script...)
	options := record.Options{Context: "chat", Manage: true, Strict: true, Policy: &lifecycle.Policy{When: lifecycle.WhenNow,
		Rules: []lifecycle.Rule{rule}}}
	rec := recorder(t, s, options)
	record.Warmed(rec) // it makes the context of the decisions beside the first requests
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
			if _, err := byHand(t, s, record.Drop, "c0", false); fault.CodeOf(err) != fault.NodeNotFound || !strings.Contains(err.Error(), "left out already") {
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

// The name of a conversation of another program may begin alike; a later recording and a question aside belong to the
// recorder that numbers its contexts so.
func TestADecisionByHandGoesToItsOwnRecorder(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	_, managed, a, _ := managedByHand(t, provider.Chat, s, 9)
	works(a, 0, 1)
	managed.Close()
	for name, in := range map[string]string{"chat-bot": "", "chat-02": "", "chat-2": "chat/originals", "chat/bot": "", "chat/summary-1": "chat/originals"} {
		_, url := startProvider(t, callTurns(2)...)
		rec := recorder(t, s, record.Options{Context: name, Strict: true})
		a := newAgent(t, provider.Chat, url, rec.Transport(nil), false)
		a.ask("Look.")
		a.call()
		works(a, 0, 1)
		rec.Close()
		made, err := byHandIn(t, s, name, record.Drop, "c0", true)
		if in == "" && fault.CodeOf(err) != fault.ContextNotFound || in != "" && (err != nil || made.In != in) {
			t.Errorf("%s: %+v, %v", name, made, err)
		}
	}
}

// Where managing has ended nothing is decided, and the error has the reason.
func TestNothingIsDecidedByHandOnceManagingEnded(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	_, rec, a, _ := managedWith(t, provider.Chat, s, slices.Insert(callTurns(9), 3, providertest.Turn{Status: 400}),
		lifecycle.Rule{Select: ".cb[kind='result']", TTL: new(int64(1000)), Stub: true})
	works(a, 0, 2)
	_, err := byHand(t, s, record.Drop, "c0", false)
	must(t, err)
	works(a, 2, 3)
	if rec.Stats().Managed.Ended != 1 {
		t.Fatalf("%+v", rec.Stats().Managed)
	}
	for _, what := range []record.ByHand{record.Drop, record.Pin, record.Undo} {
		_, err = byHand(t, s, what, "c1", false)
		if fault.CodeOf(err) != fault.Sealed || !strings.Contains(err.Error(), "refused") {
			t.Errorf("%s: %v", what, err)
		}
	}
	rec.Close()
}

// What a policy shortened is not left out too; the refusal says why, and the way that it names leads there.
func TestAShortenedResultIsLeftOutOncePinned(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	_, rec, a, _ := managedWith(t, provider.Chat, s, callTurns(5), lifecycle.Rule{Select: ".cb[kind='result']", Head: 40})
	works(a, 0, 2)
	_, err := byHand(t, s, record.Drop, "c0", false)
	if fault.CodeOf(err) != fault.NodeNotFound || !strings.Contains(err.Error(), "the policy shortened it") {
		t.Fatal(err)
	}
	_, err = byHand(t, s, record.Pin, "c0", false)
	must(t, err)
	made, err := byHand(t, s, record.Drop, "c0", false)
	if err != nil || len(made.Blocks) != 1 {
		t.Error(made, err)
	}
	rec.Close()
}

// loading counts how often the originals are loaded.
type loading struct {
	*held
	loads atomic.Int64
}

func (s *loading) Load(ctx context.Context, key history.Key) (*engine.State, error) {
	if s.originals(ctx) == key {
		s.loads.Add(1)
	}
	return s.held.Load(ctx, key)
}

// A request loads the decisions only if another process made one.
func TestDecisionsAreLoadedOnlyWhenTheyChange(t *testing.T) {
	s := &loading{held: holding()}
	_, rec, a, _ := managedByHand(t, provider.Chat, dbtest.Of(s), 1000)
	works(a, 0, 2)
	for round, most := range []int64{0, 1} {
		if round == 1 {
			_, err := byHand(t, dbtest.Of(s), record.Drop, "c0", false)
			must(t, err)
		}
		before := s.loads.Load()
		works(a, 2+3*round, 5+3*round)
		if n := s.loads.Load() - before; n != most {
			t.Errorf("3 requests loaded the decisions %d times, not %d", n, most)
		}
	}
	rec.Close()
	if open := rec.Stats().Managed.Open; open != 0 {
		t.Errorf("%d requests without a decision", open)
	}
}
