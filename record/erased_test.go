package record_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// An erasure of a question takes the bodies that hold it and leaves the others, and of every
// call its times, its tokens and so its price.
func TestAnErasureLeavesWhatDoesNotHoldTheText(t *testing.T) {
	tk := newTalk(t, provider.Messages)
	for _, text := range []string{"one", "two", "my name is Ada Lovelace", "four", "five"} {
		tk.turn(text)
	}
	tk.rec.Close()
	c := opened(t, tk.store, "chat")
	attempts, err := c.Attempts(t.Context(), 1, 5)
	must(t, err)
	paid, before := paidFor(t, c)
	restored(t, tk.store, 5)
	_, err = c.Erase(t.Context(), pact.Erasure{Texts: []string{"Ada Lovelace"}, Reason: "asked to", Random: rand.Reader})
	must(t, err)
	for cycle := int64(1); cycle <= 5; cycle++ {
		_, err := record.Request(t.Context(), c, cycle, 0)
		if holds := cycle >= 3; holds != errors.Is(err, fault.Conflict) || !holds && err != nil {
			t.Errorf("the request of cycle %d: %v", cycle, err)
		}
	}
	restored(t, tk.store, 2)
	left, err := c.Attempts(t.Context(), 1, 5)
	must(t, err)
	for i, a := range left {
		if a.Cycle >= 3 {
			if a.Thread != history.NoThread {
				t.Errorf("the hash of what %s sent is left", a.ID)
			}
			if a.Params != history.NoThread {
				t.Errorf("the hash of the parameters of %s is left", a.ID)
			}
			a.Thread, a.Request, a.Params = attempts[i].Thread, attempts[i].Request, attempts[i].Params
		}
		if !reflect.DeepEqual(a, attempts[i]) {
			t.Errorf("%+v became %+v", attempts[i], a)
		}
	}
	paidNow, after := paidFor(t, c)
	if paid != paidNow || paid == 0 || !reflect.DeepEqual(before, after) {
		t.Errorf("paid %v, now %v; the provider told %+v, now %+v", paid, paidNow, before, after)
	}
}

// A request that its record does not restore is said to be edited or erased only if it was.
func TestAnEditIsBlamedOnlyForWhatItChanged(t *testing.T) {
	db := pact.NewDB(store.NewMemory())
	c, err := pact.Create(t.Context(), db, "chat", nil)
	must(t, err)
	request, err := history.PackRequest(`{"api":"openai.chat","frame":{"model":"m"},"parameters":{},"sha256":"00"}`)
	must(t, err)
	_, err = c.StartAttempt(t.Context(), pact.ProviderCall{Provider: "p", Model: "m", Request: request}, io.Discard, nil)
	must(t, err)
	for _, want := range []string{"the request of attempt:1-1 cannot be restored", "an edit or an erasure changed it since"} {
		if _, err := record.Request(t.Context(), c, 1, 0); !errors.Is(err, fault.Conflict) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		restored(t, db, 0, "attempt:1-1")
		must(t, c.Edit(t.Context(), func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Role: "user", Content: "more"})
			return nil
		}, nil))
	}
}

// What another program recorded of a request, or less than a recorder does, is named like a request that was changed, and
// does not keep the rest from being verified.
func TestARecordWithoutItsPartsIsNamed(t *testing.T) {
	db := pact.NewDB(store.NewMemory())
	c, err := pact.Create(t.Context(), db, "chat", nil)
	must(t, err)
	for _, text := range []string{`{"sha256":"00"}`, `{"api":"openai.chat","parameters":{},"sha256":"00"}`,
		`{"api":"nobody","frame":{"of":"attempt:9-9"},"parameters":{},"sha256":"00"}`, `no record`} {
		request, err := history.PackRequest(text)
		must(t, err)
		_, err = c.StartAttempt(t.Context(), pact.ProviderCall{Provider: "p", Model: "m", Request: request}, io.Discard, nil)
		must(t, err)
	}
	restored(t, db, 0, "attempt:1-1", "attempt:1-2", "attempt:1-3", "attempt:1-4")
}

// restored verifies the context chat: so many of its requests are what was sent, and those of some attempts are not.
func restored(t *testing.T, db *pact.DB, requests int, not ...string) {
	t.Helper()
	v, err := pact.Verify(t.Context(), db, "chat", nil)
	must(t, err)
	must(t, record.VerifyRequests(t.Context(), db, v))
	if !v.Holds() || v.Attempts.Restored != requests || !slices.Equal(v.Attempts.Unrestored, not) {
		t.Errorf("%d requests are restored, not those of %v, want %d and %v; %+v", v.Attempts.Restored, v.Attempts.Unrestored,
			requests, not, v.Defect)
	}
}

// A conversation whose system prompt was erased goes on in its context, with the system prompt that its next request has.
func TestACallGoesOnAfterItsSystemPromptWasErased(t *testing.T) {
	everyAPI(t, func(t *testing.T, name provider.API, stream bool) {
		p, url := startProvider(t)
		s := pact.NewDB(store.NewMemory())
		rec := recorder(t, s, record.Options{Context: "chat", Strict: true})
		a := newAgent(t, name, url, rec.Transport(nil), stream)
		a.ask("question 1")
		a.call()
		c, before := opened(t, s, "chat"), ""
		for b, err := range tree.Of(c.Working()).Blocks(0) {
			must(t, err)
			if b.Region == tree.Sys && b.Node().Kind != "tool" {
				before += b.Node().ID
				_, err := c.Erase(t.Context(), dbtest.Erasure(b.Node().ID))
				must(t, err)
			}
		}
		for n := 2; n < 5; n++ {
			a.ask(fmt.Sprint("question ", n))
			a.call()
		}
		rec.Close()
		if names := rec.Contexts(); before == "" || !slices.Equal(names, []string{"chat"}) {
			t.Fatalf("after %s was erased the contexts are %q", before, names)
		}
		for n, r := range p.Received()[1:] {
			if body, err := record.Request(t.Context(), opened(t, s, "chat"), int64(n+2), 0); err != nil || !bytes.Equal(body.Bytes, r.Body) {
				t.Errorf("call %d gives %v, %v; sent was %s", n+2, body, err, r.Body)
			}
		}
	})
}

// paidFor adds up what the calls of a context cost.
func paidFor(t *testing.T, c *pact.Context) (paid float64, told []*inspect.ProviderCache) {
	t.Helper()
	prices := &record.Prices{Currency: "USD", Models: []record.Price{{Model: "claude-", Input: 3, Output: 15,
		CacheRead: 0.3, CacheWrite: 3.75}}}
	for p, err := range prefixesOf(t.Context(), c, "", nil) {
		must(t, err)
		if cost := prices.Cost(&p); cost != nil {
			paid += cost.Paid
		}
		told = append(told, p.Provider)
	}
	return paid, told
}
