package record_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// capped shapes results of more than 400 bytes before they are first sent.
func capped(t testing.TB, more string) *lifecycle.Policy {
	t.Helper()
	record.SetPatience(time.Minute) // the machine may be busy
	p, err := lifecycle.ParsePolicy([]byte(`{"when":"now","rules":[` + more + `{"select":".cb[kind='result'][bytes>400]","head":30,"tail":20}]}`))
	must(t, err)
	return &p
}

// long is a result with quotes, characters of several bytes and a line break, n times.
func long(n int) string { return strings.Repeat("\"é\"\n<x>", n) }

// managedAPIs are those whose results a recorder shapes.
var managedAPIs = []provider.API{provider.Messages, provider.Chat, provider.Responses, provider.Gemini}

// said returns the members of the conversation in a body, as they are written.
func said(t *testing.T, name provider.API, body []byte) (list []json.RawMessage) {
	t.Helper()
	var fields map[string]json.RawMessage
	must(t, json.Unmarshal(body, &fields))
	must(t, json.Unmarshal(fields[field[name]], &list))
	return list
}

// repeats checks that each request repeats what the one before sent, byte for byte.
func repeats(t *testing.T, name provider.API, received []providertest.Received) {
	t.Helper()
	var before []json.RawMessage
	for k, r := range received {
		now := said(t, name, r.Body)
		for i := range before {
			if i >= len(now) || !bytes.Equal(before[i], now[i]) {
				t.Fatalf("request %d changed what was sent at %d:\n%s\n%s", k, i, before[i], now[min(i, len(now)-1)])
			}
		}
		before = now
	}
}

// askedAndSent checks that each cycle has what was received, and what the agent asked for.
func askedAndSent(t *testing.T, s *pact.DB, p *providertest.Provider, asked [][]byte) {
	t.Helper()
	c := opened(t, s, "chat")
	sentAsReceived(t, c, p)
	for i, want := range asked {
		sent, err := record.Request(t.Context(), c, int64(i+1), 0)
		must(t, err)
		got, err := record.Asked(t.Context(), s, sent)
		if err != nil || !bytes.Equal(got.Bytes, want) {
			t.Errorf("cycle %d: asked\n%s, want\n%s (%v)", i+1, got.Bytes, want, err)
		}
	}
}

// works makes calls with results until the script ends, and returns the bodies that it asked for.
func works(a *agent, from, to int) (asked [][]byte) {
	for n := from; n < to; n++ {
		a.result(fmt.Sprint("c", n), "ls", long(100+n))
		a.call()
		asked = append(asked, a.lastBody)
	}
	return asked
}

func callTurns(n int) (script []providertest.Turn) {
	for i := range n {
		script = append(script, providertest.Turn{Text: fmt.Sprint("step ", i),
			Calls: []providertest.Call{{ID: fmt.Sprint("c", i), Name: "ls", Arguments: "{}"}}})
	}
	return script
}

// By default a recorder changes nothing and keeps what would have been sent less.
func TestManageObservesByDefault(t *testing.T) {
	p, url := startProvider(t, callTurns(2)...)
	s := pact.NewDB(store.NewMemory())
	rec := recorder(t, s, record.Options{Context: "chat", Policy: capped(t, "")})
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), false)
	a.ask("Look.")
	a.call()
	works(a, 0, 1)
	rec.Close()
	if got := p.Received()[1].Body; !bytes.Equal(got, a.lastBody) {
		t.Fatalf("observing changed a request: %s", got)
	}
	sent, err := record.Request(t.Context(), opened(t, s, "chat"), 2, 0)
	must(t, err)
	if shaped, _, saved, would := sent.WasManaged(); shaped != 1 || saved < 600 || !would {
		t.Errorf("%d results, %d bytes, would: %v", shaped, saved, would)
	}
	if _, err := s.Find(t.Context(), "chat/originals"); err == nil {
		t.Error("observing kept originals")
	}
}

// What a model has seen stays as it was sent: by an earlier recorder without a policy, beside the work, or where a rule
// before keeps it.
func TestManageLeavesAlone(t *testing.T) {
	name := provider.Messages
	p, url := startProvider(t, callTurns(9)...)
	s := pact.NewDB(store.NewMemory())
	plain := recorder(t, s, record.Options{Context: "chat"})
	a := newAgent(t, name, url, plain.Transport(nil), false)
	a.ask("Look.")
	a.call()
	asked := works(a, 0, 1)
	plain.Close()
	rec := recorder(t, s, record.Options{Context: "chat", Manage: true,
		Policy: capped(t, `{"select":".cb[kind='result'][tool='read']","keep":true},`)})
	a.client.Transport = rec.Transport(nil)
	a.result("c1", "ls", long(90)) // the model has not seen it, but the request offers no tools
	tools := a.body["tools"]
	delete(a.body, "tools")
	must(t, second(a.send(t.Context())))
	if got := p.Received()[2].Body; !bytes.Equal(got, a.lastBody) {
		t.Errorf("a question beside the work was changed: %s", got)
	}
	a.body["tools"] = tools
	a.call() // now it is shaped
	got := said(t, name, p.Received()[3].Body)
	if first := said(t, name, asked[0]); !bytes.Equal(got[2], first[2]) || bytes.Equal(got[4], said(t, name, a.lastBody)[4]) {
		t.Errorf("sent %s", got)
	}
	rec.Close()
	if got := rec.Stats().Managed; got.Shaped != 1 || got.Open != 0 {
		t.Errorf("%+v", got)
	}
}

// A store that is too slow or broken holds up no request: it goes out as it came, and what it has stays so.
func TestManageFailsOpen(t *testing.T) {
	p, url := startProvider(t, callTurns(3)...)
	s := holding()
	rec := recorder(t, dbtest.Of(s), record.Options{Context: "chat", Policy: capped(t, ""), Manage: true})
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), false)
	a.ask("Look.")
	a.call()
	record.SetPatience(10 * time.Millisecond)
	record.SetMostPatience(20 * time.Millisecond)
	s.stop.Lock()
	s.armed.Store(true)
	works(a, 0, 1)
	record.SetPatience(time.Minute)
	record.SetMostPatience(5 * time.Second)
	s.armed.Store(false)
	s.stop.Unlock()
	for range 6000 { // until the late decision is there, and taken back
		if c, err := pact.Open(t.Context(), dbtest.Of(s), "chat/originals", nil); err == nil {
			if last := c.Info().Cycle; last == 2 {
				break
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	works(a, 1, 2)
	rec.Close()
	repeats(t, provider.Messages, p.Received())
	if got := rec.Stats().Managed; got.Open != 1 || got.Shaped != 1 {
		t.Errorf("%+v", got)
	}
	if got := decidedIn(t, dbtest.Of(s), "c0", long(100)); got != "" {
		t.Errorf("what was sent as it came is decided anew: %q", got)
	}
}
