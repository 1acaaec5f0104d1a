package record_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// counting counts the durable writes of a store.
type counting struct {
	engine.Contexts
	writes atomic.Int64
}

func (c *counting) Apply(ctx context.Context, key history.Key, g engine.Guard, changes ...engine.Change) error {
	c.writes.Add(1)
	return c.Contexts.Apply(ctx, key, g, changes...)
}

func (c *counting) PutAttempt(ctx context.Context, key history.Key, a history.Attempt) (history.Attempt, error) {
	c.writes.Add(1)
	return c.Contexts.PutAttempt(ctx, key, a)
}

// A call makes two durable writes, one before the request goes out and one before the answer is
// over; so does a retry, and so does an answer that breaks off.
func TestACallMakesTwoWrites(t *testing.T) {
	everyAPI(t, func(t *testing.T, name provider.API, stream bool) {
		p, url := startProvider(t, providertest.Turn{Text: "one"}, providertest.Turn{Status: 500},
			providertest.Turn{Text: "two", Calls: []providertest.Call{{ID: "c1", Name: "ls", Arguments: "{}"}}})
		s := &counting{Contexts: engine.InMemory()}
		rec := recorder(t, dbtest.Of(s), record.Options{Context: "chat", Strict: true})
		var out []int64 // writes when a request goes out
		a := newAgent(t, name, url, rec.Transport(atTheWire(func() { out = append(out, s.writes.Load()) })), stream)
		a.ask("Hello?")
		a.call()
		a.ask("And now?")
		_, _, _ = a.send(t.Context())
		a.call()
		a.result("c1", "ls", "a.txt")
		a.call()
		if got, want := fmt.Sprint(out, s.writes.Load()), "[1 3 5 7] 8"; got != want {
			t.Errorf("writes when the requests went out, and at the end: %s, want %s", got, want)
		}
		if len(p.Received()) != 4 || rec.Stats().NotRecorded > 0 {
			t.Errorf("%d requests, %+v", len(p.Received()), rec.Stats())
		}
	})
}

// atTheWire calls f whenever a request goes out.
type atTheWire func()

func (f atTheWire) RoundTrip(r *http.Request) (*http.Response, error) {
	f()
	return http.DefaultTransport.RoundTrip(r)
}

// A user may edit the context while an answer is under way: the answer is recorded all the same.
func TestAnEditWhileAnAnswerIsUnderWay(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	for _, commits := range []bool{false, true} {
		name := fmt.Sprint("chat ", commits)
		url := serving(t, func(w http.ResponseWriter, r *http.Request) {
			c := opened(t, s, name)
			if err := c.Edit(r.Context(), func(e *pact.Batch) error {
				e.Add("^ah", pact.Spec{Content: "a note", Offset: 9})
				return nil
			}, nil); err != nil {
				t.Error(err)
			}
			if commits {
				if _, err := c.Commit(r.Context(), nil); err != nil {
					t.Error(err)
				}
			}
			_, _ = fmt.Fprint(w, `{"choices":[{"message":{"role":"assistant","content":"the answer"},"finish_reason":"stop"}]}`)
		})
		rec := recorder(t, s, record.Options{Context: name, Strict: true})
		a := newAgent(t, provider.Chat, url, rec.Transport(nil), false)
		a.ask("Hello?")
		a.call()
		rec.Close()
		c := opened(t, s, name)
		attempts, err := c.Attempts(t.Context(), 1, 1)
		must(t, err)
		if rec.Stats().NotRecorded > 0 || len(attempts) != 1 || attempts[0].Status != history.Completed {
			t.Errorf("%s: %+v, %+v", name, rec.Stats(), attempts)
		}
		if there := strings.Contains(blocks(t, c.Working()), "the answer"); there == commits {
			t.Errorf("%s: the answer is in the working state: %t", name, there)
		}
	}
}
