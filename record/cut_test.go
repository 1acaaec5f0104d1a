package record_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// policyOf parses a policy, and gives requests the time that a busy machine needs.
func policyOf(t testing.TB, text string) *lifecycle.Policy {
	t.Helper()
	record.SetPatience(time.Minute)
	p, err := lifecycle.ParsePolicy([]byte(text))
	must(t, err)
	return &p
}

// Managing ends for a conversation too whose refused request lacked nothing but thinking, and for a later recorder.
func TestCutsOfThinkingEndAtARefusal(t *testing.T) {
	script := callTurns(7)
	for n := range script {
		script[n].Thinking = strings.Repeat("thought ", 20) + fmt.Sprint(n)
	}
	const first = 3 // the first request that lacks thinking
	script = append(script[:first], append([]providertest.Turn{{Status: 400}}, script[first:]...)...)
	p, url := startProvider(t, script...)
	s := pact.NewDB(store.NewMemory())
	options := record.Options{Context: "chat", Manage: true,
		Policy: policyOf(t, `{"when":"now","rules":[{"select":".cb[kind='thinking']","ttl":2}]}`)}
	rec := recorder(t, s, options)
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), false)
	a.body["model"] = "claude-opus-5"
	a.ask("Look.")
	a.call()
	works(a, 0, 3)
	asked := works(a, 3, 4)
	rec.Close()
	later := recorder(t, s, options)
	a.client.Transport = later.Transport(nil)
	asked = append(asked, works(a, 4, 5)...)
	later.Close()
	if got := rec.Stats().Managed; got.Ended != 1 || later.Stats().Managed.Cut != 0 {
		t.Errorf("%+v, later %+v", got, later.Stats().Managed)
	}
	for k, r := range p.Received()[first+2:] {
		if !bytes.Equal(r.Body, asked[k]) {
			t.Errorf("request %d after the refusal: %s", k, r.Body)
		}
	}
}
