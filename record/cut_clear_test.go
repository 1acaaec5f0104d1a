package record_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// unnamed has results go after three calls, without a stub.
const unnamed = `{"when":"now","rules":[{"select":".cb[kind='result']","ttl":3}]}`

// clearsBut is the member that asks the provider to leave out all results but those of the last uses.
func clearsBut(uses int) string {
	return fmt.Sprintf(`"context_management":{"edits":[{"type":"clear_tool_uses_20250919","trigger":{"type":"tool_uses","value":1},`+
		`"keep":{"type":"tool_uses","value":%d}}]},`, uses)
}

// clearing returns an agent of a model that clears, and a recorder that manages it.
func clearing(t *testing.T, s *pact.DB, policy string, script ...providertest.Turn) (*providertest.Provider, *agent,
	*record.Recorder) {
	p, url := startProvider(t, script...)
	rec := recorder(t, s, record.Options{Context: "chat", Manage: true, Policy: policyOf(t, policy)})
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), false)
	a.body["model"] = "claude-opus-5"
	a.ask("Look.")
	a.call()
	return p, a, rec
}

// The provider is asked to leave out what goes without a stub: every request has all results as they came, and one member
// and a word in a header more. A later recorder asks the same. What the agent asked for comes back byte for byte.
func TestTheProviderLeavesResultsOut(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	p, a, rec := clearing(t, s, unnamed, callTurns(8)...)
	first := a.lastBody
	a.header.Set("Anthropic-Beta", "another-2026-01-01")
	asked := append([][]byte{first}, works(a, 0, 5)...)
	rec.Close()
	if got := rec.Stats(); got.Managed.Cut != 2 || got.Managed.Open+got.Managed.Ended != 0 || got.NotRecorded != 0 {
		t.Fatalf("%+v", got)
	}
	later := recorder(t, s, record.Options{Context: "chat", Manage: true, Policy: policyOf(t, unnamed)})
	a.client.Transport = later.Transport(nil)
	asked = append(asked, works(a, 5, 7)...)
	later.Close()
	for k, r := range p.Received() {
		want, betas := string(asked[k]), r.Header.Get("Anthropic-Beta")
		if k > 3 { // after call k there are k results, and three stay
			want = "{" + clearsBut(3) + want[1:]
		}
		if string(r.Body) != want || strings.Contains(betas, ",context-management-2025-06-27") != (k > 3) {
			t.Errorf("request %d, betas %q:\n%s, want\n%s", k, betas, r.Body, want)
		}
	}
	askedAndSent(t, s, p, asked)
}

// A provider that does not know the member refuses the request: it goes out as it came, managing ends for its conversation,
// also for a later recorder, and another conversation has notes.
func TestAProviderThatDoesNotClear(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	p, a, rec := clearing(t, s, unnamed, callTurns(20)...)
	p.KnowsNoEdits()
	asked := works(a, 0, 5)
	if got := rec.Stats().Managed; got.Ended != 1 || !strings.Contains(got.Why, "Extra inputs are not permitted") {
		t.Errorf("%+v", got)
	}
	other := newAgent(t, provider.Messages, strings.TrimSuffix(a.url, "/v1/messages?beta=true"), rec.Transport(nil), false)
	other.body["model"] = "claude-opus-5"
	other.ask("Another.")
	for n := 6; n < 12; n++ {
		other.call()
		other.result(fmt.Sprint("c", n), "ls", long(100+n))
	}
	other.call()
	rec.Close()
	received := p.Received()
	if last := received[len(received)-1]; last.Header.Get("Anthropic-Beta") != "" ||
		!bytes.Contains(last.Body, []byte("[Left out after")) {
		t.Errorf("another conversation: %s", last.Body)
	}
	later := recorder(t, s, record.Options{Context: "chat", Manage: true, Policy: policyOf(t, unnamed)})
	a.client.Transport = later.Transport(nil)
	p.Then(callTurns(9)[6:]...)
	asked = append(asked, works(a, 5, 6)...)
	later.Close()
	received = p.Received()
	if last := received[len(received)-1].Body; !bytes.Equal(last, asked[len(asked)-1]) || later.Stats().Managed.Cut > 0 {
		t.Errorf("later: %s", last)
	}
}

// What the agent asked for comes back also if the recorder asks the provider about its cache in the same requests.
func TestWhatWasAskedComesBackBesideAQuestion(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	p, url := startProvider(t, callTurns(8)...)
	rec := recorder(t, s, record.Options{Context: "chat", Manage: true, Diagnose: true, Policy: policyOf(t, unnamed)})
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), false)
	a.body["model"] = "claude-opus-5"
	a.ask("Look.")
	a.call()
	asked := append([][]byte{a.lastBody}, works(a, 0, 6)...)
	rec.Close()
	last := p.Received()[6].Body
	if !bytes.Contains(last, []byte(`"diagnostics":`)) || !bytes.Contains(last, []byte(`"context_management":`)) {
		t.Fatalf("sent %s", last)
	}
	c := opened(t, s, "chat")
	for k := 4; k < len(asked); k++ { // from then on results are cleared
		sent, err := record.Request(t.Context(), c, int64(k+1), 0)
		must(t, err)
		got, err := record.Asked(t.Context(), s, sent)
		if err != nil || !bytes.Equal(got.Bytes, asked[k]) {
			t.Errorf("cycle %d: %v", k+1, err)
		}
	}
}
