package record_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// byTheWay commits what somebody says between the calls of a recording; no call may take it out again.
func byTheWay(t *testing.T, s *pact.DB, name, said string) {
	t.Helper()
	_, err := opened(t, s, name).Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: said})
		return nil
	}})
	must(t, err)
}

// A log goes on in a fork if somebody committed by hand to the context of its calls: its requests lack that, and it stays.
func TestALogGoesOnBesideWhatSomebodyCommitted(t *testing.T) {
	for what, rewrites := range map[string]bool{"the log grew": false, "the agent compacted": true} {
		for after := 1; after < 4; after++ {
			c := newTalked(t)
			all := says("question 0")
			c.add(record.PastCall{}, 0, all...)
			for n := 1; n < 6; n++ {
				if n == after {
					byTheWay(t, c.store, "run", "By the way.")
				}
				all = append(all, says("", fmt.Sprint("answer ", n), fmt.Sprint("question ", n))[1:]...)
				again, err := record.NewImporter(t.Context(), c.store, record.ImportOptions{Context: "run"})
				must(t, err)
				c.importer = again
				if p := (record.PastCall{Rewrites: rewrites && n == after}); p.Rewrites {
					all = []string{`{"role":"user","content":"In short: much was said."}`}
					c.add(p, 0, all...)
				} else {
					c.add(p, 0, all...)
				}
			}
			if names := c.importer.Contexts(); !slices.Equal(names, []string{"run", "run-2"}) {
				t.Fatalf("%s after call %d: the contexts are %v\n%s", what, after, names, logOf(t, c.store, "run"))
			}
			for i, name := range []string{"run", "run-2"} {
				if got, want := callsOf(t, c.store, name), [][]string{c.sent[:after], c.sent[after:]}[i]; !slices.Equal(got, want) {
					t.Errorf("%s after call %d: %s has\n%q, want\n%q", what, after, name, got, want)
				}
			}
		}
	}
}

// callsOf returns the requests that were recorded in a context since it was made, in whichever cycle.
func callsOf(t *testing.T, s *pact.DB, name string) (bodies []string) {
	t.Helper()
	c := opened(t, s, name)
	first, last := c.Info().First, c.Info().Cycle
	origins, err := c.Origins(t.Context())
	must(t, err)
	if len(origins) > 0 {
		first = origins[0].Cycle + 1
	}
	attempts, err := c.Attempts(t.Context(), first, last+1)
	must(t, err)
	of, requests := map[int64]int64{}, record.NewRequests(c)
	for _, a := range attempts {
		if of[a.Cycle]++; a.Request == "" { // of a process that lost a race
			continue
		}
		body, err := requests.Of(t.Context(), a.Cycle, of[a.Cycle])
		must(t, err)
		bodies = append(bodies, string(body.Bytes))
	}
	return bodies
}

// So does an agent, whose recorder goes on with what it began: each of its requests comes back from one of two contexts.
func TestAnAgentGoesOnBesideWhatSomebodyCommitted(t *testing.T) {
	everyAPI(t, func(t *testing.T, name provider.API, stream bool) {
		p, url := startProvider(t)
		s := pact.NewDB(store.NewMemory())
		rec := recorder(t, s, record.Options{Context: "chat", Strict: true})
		a := newAgent(t, name, url, rec.Transport(nil), stream)
		for n := range 5 {
			if n == 2 {
				byTheWay(t, s, "chat", "By the way.")
			}
			a.ask(fmt.Sprint("question ", n))
			a.call()
		}
		rec.Close()
		if got := rec.Stats(); got.Calls != 5 || got.NotRecorded != 0 {
			t.Errorf("%+v", got)
		}
		var sent []string
		for _, r := range p.Received() {
			sent = append(sent, string(r.Body))
		}
		for i, name := range []string{"chat", "chat-2"} {
			if got, want := callsOf(t, s, name), [][]string{sent[:2], sent[2:]}[i]; !slices.Equal(got, want) {
				t.Errorf("%s has\n%q, want\n%q", name, got, want)
			}
		}
		if text := blocks(t, opened(t, s, "chat").Working()); !strings.Contains(text, "By the way.") {
			t.Errorf("what was committed by hand is gone:\n%s", text)
		}
	})
}

// A context that begins with a document has nothing before it to fork from: what lacks a part of the document begins anew.
func TestACallThatLacksAPartOfADocumentBeginsANewRecording(t *testing.T) {
	p, url := startProvider(t)
	first, later := pact.NewDB(store.NewMemory()), pact.NewDB(store.NewMemory())
	rec := recorder(t, first, record.Options{Context: "chat", Strict: true})
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), false)
	a.ask("question 0")
	a.call()
	rec.Close()
	byTheWay(t, first, "chat", "By the way.")
	s, err := opened(t, first, "chat").At(t.Context(), "@c2")
	must(t, err)
	var document strings.Builder
	must(t, s.Export(t.Context(), &document))
	_, _, err = pact.Import(t.Context(), later, "chat", []byte(document.String()), nil)
	must(t, err)

	rec = recorder(t, later, record.Options{Context: "chat", Strict: true})
	a.client.Transport = rec.Transport(nil)
	a.ask("question 1")
	a.call()
	rec.Close()
	if got := rec.Stats(); got.Calls != 1 || got.NotRecorded != 0 {
		t.Errorf("%+v", got)
	}
	if got, want := callsOf(t, later, "chat-2"), []string{string(p.Received()[1].Body)}; !slices.Equal(got, want) {
		t.Errorf("chat-2 has\n%q, want\n%q", got, want)
	}
	if text := blocks(t, opened(t, later, "chat").Working()); !strings.Contains(text, "By the way.") {
		t.Errorf("what was committed by hand is gone:\n%s", text)
	}
}
